"""Corpora: what they hold, how they are split, and what happens when a download goes wrong."""

import hashlib
import http.server
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
from collections import Counter
from importlib.resources import files

import pytest

from lmmetrics.corpora import CorpusError, _download, load, names
from lmmetrics.corpora._corpus import PARTS
from lmmetrics.corpora._download import FILES, RemoteFile, fetch
from lmmetrics.text import tokenize

HAN = re.compile("[\u4e00-\u9fff]")


def everything(corpus):
    return corpus.train + corpus.valid + corpus.test


# The corpora that need no network


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match="tales-en, tales-zh, numpy-docs"):
        load("shakespeare")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_tale_has_the_form_that_the_splitter_expects(language):
    folder = files("lmmetrics") / "data" / "tales" / language
    numbers = []
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        assert re.fullmatch(r"\d\d-[a-z0-9-]+\.txt", file.name)
        numbers.append(int(file.name[:2]))
        text = file.read_bytes().decode("utf-8")
        title, *paragraphs = text.removesuffix("\n").split("\n\n")
        assert text.endswith("\n") and not text.endswith("\n\n") and len(paragraphs) >= 2, file.name
        for part in (title, *paragraphs):
            assert part == part.strip() and part and "\n" not in part, (file.name, part)
    assert numbers == list(range(1, len(numbers) + 1))


def test_the_tales_are_the_same_in_both_languages_and_large_enough():
    english, chinese = load("tales-en"), load("tales-zh")
    for part in PARTS:
        pairs = zip(getattr(english, part), getattr(chinese, part), strict=True)
        for number, (one, other) in enumerate(pairs):
            assert one.count("\n") == other.count("\n"), (english.titles[part][number], "paragraphs")
        for corpus in (english, chinese):
            documents = getattr(corpus, part)
            assert [d.split("\n")[0] for d in documents] == corpus.titles[part]
    assert len(everything(english)) >= 40
    assert sum(len(d.split()) for d in everything(english)) >= 12_000
    assert sum(len(HAN.findall(d)) for d in everything(chinese)) >= 18_000
    assert not HAN.search("".join(everything(english)))


def test_the_tales_are_split_by_number():
    titles = load("tales-en").titles
    folder = files("lmmetrics") / "data" / "tales" / "en"
    for file in folder.iterdir():
        part = {3: "valid", 7: "test"}.get(int(file.name[:2]) % 8, "train")
        assert file.read_text(encoding="utf-8").split("\n")[0] in titles[part]


def test_a_corpus_shows_its_sizes_and_may_be_changed_by_its_owner():
    tales = load("tales-en")
    assert re.search(r"Corpus tales-en .*train \d+ documents, [\d,]+ characters; valid", repr(tales))
    first, digest = tales.train[0], tales.digest
    tales.train.clear()
    tales.titles["train"].clear()
    assert load("tales-en").train[0] == first and load("tales-en").titles["train"]
    assert load("tales-en").digest == digest != load("tales-zh").digest


# The documentation of NumPy and SymPy


@pytest.mark.parametrize(
    ("name", "digest"),
    [
        ("numpy-docs", "ef8e2db900e850f7fac6ff78942c630e40123eb95ae9a0e7dda7d877b83dd882"),
        ("sympy-docs", "312b36a2e5c5ee23f3f131f1139e2a3f15d3114cc21e9f36398333ec31b72b2a"),
    ],
)
def test_the_docs_are_those_of_the_book(name, digest):
    corpus = load(name)
    assert corpus.digest == digest
    documents = everything(corpus)
    paragraphs = [line for document in documents for line in document.split("\n")]
    assert len(paragraphs) == len(set(paragraphs)) and min(map(len, documents)) >= 100
    assert not re.search(r">>>|::|``|:math:|\$|---|[=<>{}\\]", "".join(documents))
    assert all(re.fullmatch(r"[A-Z].*[.?!]", paragraph) for paragraph in paragraphs)
    for part in PARTS:
        assert corpus.titles[part] == sorted(corpus.titles[part])
        for title in corpus.titles[part]:
            number = int(hashlib.sha256(title.encode()).hexdigest(), 16) % 10
            assert {8: "valid", 9: "test"}.get(number, "train") == part


@pytest.mark.parametrize("package", ["numpy", "sympy"])
def test_the_licence_of_the_docs_lies_beside_them(package):
    licence = (files("lmmetrics") / "data" / "docs" / f"LICENSE-{package}.txt").read_text(encoding="utf-8")
    version = re.search(r"[\d.]+$", load(f"{package}-docs").source)[0]
    assert f"{version}." in licence.splitlines()[0]
    assert "Copyright (c)" in licence and "Redistributions in binary form must reproduce" in licence


# The corpora that are downloaded


def test_tiny_shakespeare_is_whole_and_its_last_tenth_is_for_tests(real_texts):
    corpus = load("tiny-shakespeare")
    text = (real_texts / "tinyshakespeare" / "input.txt").read_bytes().decode()
    assert "".join(everything(corpus)) == text
    assert corpus.titles["train"][:2] == ["First Citizen", "All"]
    share = len("".join(corpus.train)) / len(text), len("".join(corpus.train + corpus.valid)) / len(text)
    assert share == pytest.approx((0.90, 0.95), abs=0.001)
    assert all(document.endswith("\n\n") for document in everything(corpus)[:-1])


def test_wikitext_2_has_its_articles_and_tokens(real_texts):
    corpus = load("wikitext-2")
    assert [len(getattr(corpus, part)) for part in PARTS] == [600, 60, 60]
    assert corpus.titles["test"][:2] == ["Robert <unk>", "Du Fu"]
    counts = [len(tokenize(getattr(corpus, part), by="whitespace")) for part in PARTS]
    assert counts == [2_088_628, 217_646, 245_569]


def test_tang_poems_are_each_there_once(real_texts):
    corpus = load("tang-300")
    poems = everything(corpus)
    assert len(poems) == len(set(poems)) > 300 and "[" not in "".join(poems)
    position = corpus.titles["train"].index("陳子昂：登幽州臺歌")
    assert corpus.train[position] == "前不見古人，後不見來者。\n念天地之悠悠，獨愴然而涕下。"
    assert corpus.language == "zh-Hant"
    letters = Counter("".join(poems))
    assert letters["\n"] + len(poems) == sum(len(poem.split("\n")) for poem in poems)


CONTENT = b"A small file for tests.\n" * 2000
SMALL = RemoteFile(
    "folder/小 file.txt", "https://example.org/", f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"
)


class Misbehaving(http.server.BaseHTTPRequestHandler):
    """Serves CONTENT, or does what the first part of the path says."""

    def do_GET(self):
        manner, self.server.asked = self.path.split("/")[1], urllib.parse.unquote(self.path)
        self.server.requests += 1
        if manner.isdigit():
            self.send_error(int(manner))
            return
        if manner == "silent":
            self.server.released.wait(5)
            return
        self.send_response(200)
        self.send_header("Content-Length", len(CONTENT))
        self.end_headers()
        if manner in ("cut", "hangs"):
            self.wfile.write(CONTENT[: len(CONTENT) // 2])
            self.wfile.flush()
            if manner == "hangs":
                self.server.released.wait(5)
        else:
            self.wfile.write(CONTENT.replace(b"small", b"SMALL") if manner == "changed" else CONTENT)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.delenv("LMMETRICS_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Misbehaving) as server:
        server.requests, server.released, server.daemon_threads = 0, threading.Event(), True
        server.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.released.set()
        server.shutdown()
        thread.join()


def files_in(folder):
    return [path.name for path in folder.rglob("*") if path.name != "folder"]


def test_a_download_is_verified_kept_and_not_repeated(server, tmp_path, capsys):
    path = fetch(SMALL, base_url=f"{server.url}/good", cache=tmp_path)
    assert path.read_bytes() == CONTENT and server.asked == "/good/folder/小 file.txt"
    assert "100%" in capsys.readouterr().err  # the progress bar
    assert fetch(SMALL, base_url=f"{server.url}/good", cache=tmp_path) == path and server.requests == 1
    assert files_in(tmp_path) == ["小 file.txt"]


@pytest.mark.parametrize(
    "manner, said",
    [
        ("404", "the server answered 404 Not Found"),
        ("500", "the server answered 500 Internal Server Error"),
        ("changed", "another file than expected: its 48,000 bytes have the sha256"),
        ("cut", "stopped before the end of the file"),
        ("silent", "did not answer within 0.3 seconds"),
        ("hangs", "did not answer within 0.3 seconds"),
    ],
)
def test_a_server_that_misbehaves_leaves_nothing_behind(server, tmp_path, manner, said):
    start = time.perf_counter()
    with pytest.raises(CorpusError) as caught:
        fetch(SMALL, base_url=f"{server.url}/{manner}", cache=tmp_path, timeout=0.3)
    message = str(caught.value)
    assert said in message and "Try again" in message and "LMMETRICS_DATA" in message
    assert SMALL.path in message and SMALL.address in message
    assert time.perf_counter() - start < 3
    assert files_in(tmp_path) == []


def test_no_network(monkeypatch, tmp_path):
    monkeypatch.delenv("LMMETRICS_DATA", raising=False)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}"
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        with pytest.raises(CorpusError, match=r"no connection \(is this machine online\?\)"):
            fetch(SMALL, base_url=address, cache=tmp_path)
    assert files_in(tmp_path) == []


def test_a_damaged_file_in_the_cache_is_downloaded_again(server, tmp_path):
    damaged = tmp_path / SMALL.path
    damaged.parent.mkdir()
    damaged.write_bytes(CONTENT[:100])
    assert fetch(SMALL, base_url=f"{server.url}/good", cache=tmp_path).read_bytes() == CONTENT
    damaged.write_bytes(CONTENT[:100])
    with pytest.raises(CorpusError):
        fetch(SMALL, base_url=f"{server.url}/404", cache=tmp_path)


def test_a_download_that_was_killed_is_not_taken_for_the_file(server, tmp_path):
    """The process is killed while the server sends: the next call downloads the whole file."""
    program = (
        "import sys; from lmmetrics.corpora._download import RemoteFile, fetch; from pathlib import Path;"
        "fetch(RemoteFile(*sys.argv[1:4]), base_url=sys.argv[4], cache=Path(sys.argv[5]))"
    )
    arguments = [SMALL.path, SMALL.url, SMALL.digest, f"{server.url}/hangs", str(tmp_path)]
    with subprocess.Popen([sys.executable, "-c", program, *arguments], stderr=subprocess.DEVNULL) as process:
        until = time.monotonic() + 30
        while not list(tmp_path.rglob("*.txt")):
            assert time.monotonic() < until, "the download has not begun"
            time.sleep(0.02)
        process.kill()
    assert not (tmp_path / SMALL.path).exists()
    assert fetch(SMALL, base_url=f"{server.url}/good", cache=tmp_path).read_bytes() == CONTENT


def test_a_folder_of_your_own_comes_first_and_is_verified(server, tmp_path, monkeypatch):
    own, cache = tmp_path / "own", tmp_path / "cache"
    monkeypatch.setenv("LMMETRICS_DATA", str(own))
    with pytest.raises(CorpusError, match="which does not exist"):
        fetch(SMALL, base_url=f"{server.url}/good", cache=cache)
    (own / "folder").mkdir(parents=True)
    assert fetch(SMALL, base_url=f"{server.url}/good", cache=cache).is_relative_to(cache)
    (own / SMALL.path).write_bytes(CONTENT)
    assert fetch(SMALL, base_url=f"{server.url}/404", cache=tmp_path / "new") == own / SMALL.path
    (own / SMALL.path).write_bytes(CONTENT[:-1])
    with pytest.raises(CorpusError, match="another file than expected: its 47,999 bytes") as caught:
        fetch(SMALL, base_url=f"{server.url}/good", cache=cache)
    assert "Replace it by https://example.org/" in str(caught.value)
    assert (own / SMALL.path).read_bytes() == CONTENT[:-1]  # what is yours is not touched


def test_a_folder_that_cannot_be_written(server, tmp_path):
    blocked = tmp_path / "folder"
    blocked.write_text("a file where a folder is needed")
    with pytest.raises(CorpusError, match="could not be written"):
        fetch(SMALL, base_url=f"{server.url}/good", cache=tmp_path)


def test_load_downloads_from_a_mirror(server, tmp_path, monkeypatch):
    monkeypatch.setattr(_download.pooch, "os_cache", lambda name: tmp_path / name)
    with pytest.raises(CorpusError, match="another file than expected"):
        load("tiny-shakespeare", base_url=f"{server.url}/good")
    assert server.asked == "/good/tinyshakespeare/input.txt"
    with pytest.raises(CorpusError, match="404"):
        load("tang-300", base_url=f"{server.url}/404")
    assert server.asked == "/404/tang-300/唐诗三百首.json"


def test_git_blob_ids_are_those_of_git(tmp_path):
    path = tmp_path / "blob"
    path.write_bytes(b"hello\n")
    good = RemoteFile("blob", "", "git:ce013625030ba8dba906f756967f9e9ca394464a")
    assert _download._difference(path, good) is None
    path.write_bytes(b"hello")
    assert "git blob id" in _download._difference(path, good)


def test_addresses_are_public_and_complete():
    for file in FILES.values():
        assert re.fullmatch(r"https://raw\.githubusercontent\.com/[!-~]+\.(txt|json)", file.address)
        assert re.fullmatch(r"sha256:[0-9a-f]{64}|git:[0-9a-f]{40}", file.digest)
    assert FILES["tang-300/唐诗三百首.json"].address.count("%") == 24
    assert names()[-3:] == ["tiny-shakespeare", "wikitext-2", "tang-300"]
