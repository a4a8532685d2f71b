/* Folds: a link into one opens it, what a reader has opened stays open while they read, print shows all. */
(function () {
  "use strict";
  const key = "folds:" + location.pathname;
  const folds = () => [...document.querySelectorAll("details.fold")];
  const read = () => { try { return JSON.parse(sessionStorage.getItem(key)) || []; } catch { return []; } };

  function openAround(target) {
    for (let box = target && target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  }

  function follow() {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    openAround(target);
    target.scrollIntoView();
  }

  document.addEventListener("DOMContentLoaded", function () {
    const all = folds();
    for (const number of read()) if (all[number]) all[number].open = true;
    for (const box of all) {
      box.addEventListener("toggle", function () {
        const open = all.flatMap((one, number) => (one.open ? [number] : []));
        try { sessionStorage.setItem(key, JSON.stringify(open)); } catch { /* a private window keeps nothing */ }
      });
    }
    follow();
  });
  window.addEventListener("hashchange", follow);
  window.addEventListener("beforeprint", function () {
    for (const box of folds()) if (!box.open) { box.open = true; box.dataset.printed = ""; }
  });
  window.addEventListener("afterprint", function () {
    for (const box of document.querySelectorAll("details[data-printed]")) { box.open = false; delete box.dataset.printed; }
  });
})();
