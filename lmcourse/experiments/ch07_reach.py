"""What chapter 07 says of the gradients in its RNN and its LSTM: how far back they reach, fresh and trained.

It is stored in ``book/reproduced.json`` under "reach", by the same command as the published numbers. The
networks are those of the race, each at its best rate there, after fewer steps.
"""

import numpy as np
import torch

from lmcourse.experiments.ch07_networks import SEEDS
from lmcourse.experiments.storage import made, store
from lmcourse.experiments.texts import tales
from lmcourse.pages.networks import fit, network
from lmmetrics import neural
from lmmetrics.text import tokenize

STEPS = 500
RATES = {"RNN": 0.01, "LSTM": 0.03}
BACK, ENDS = 30, range(40, 121, 10)
"""How many steps back the gradient is followed, and from which positions of a tale."""


def recompute():
    """Train the networks, measure their gradients, and store what was found."""
    rows = list(runs(tales()))
    store({"reach": made(steps=STEPS, rates=RATES, back=BACK, ends=list(ENDS), runs=rows)})


def runs(texts, steps=STEPS, seeds=SEEDS, names=tuple(RATES)):
    """Yield two rows for each network and seed: before and after training."""
    torch.set_num_threads(1)
    train, valid, _ = texts
    tale = a_tale(texts)
    for name in names:
        for seed in seeds:
            model = network(name, train.vocabulary, seed)
            for trained in (False, True):
                if trained:
                    fit(model, train, valid, RATES[name], seed, steps)
                row = {"model": name, "seed": seed, "steps": steps * trained, **reach(model, tale)}
                print(f"{name}, seed {seed}, {row['steps']} steps: {row['left'][25]:.2g} left", flush=True)
                yield row


def a_tale(texts):
    """The beginning of the first validation tale."""
    train, valid, _ = texts
    return tokenize(["".join(valid.strings()[: max(ENDS) + 1])], by="char", vocabulary=train.vocabulary)


def reach(model, tale):
    """What is left of a gradient of length 1 after 0, 1, ... steps back, and the forget gates of an LSTM.

    The gradient is that of a number in a random direction at the state of an RNN, or at the cell of an LSTM;
    its length is the root of the mean square over the positions `ENDS`.
    """
    layer, is_lstm = model.cells, model.config["cell"] == "lstm"
    inputs = torch.from_numpy(neural.inputs_of(tale))[: max(ENDS) + 1]
    embedded = model.eval().embedding(inputs).detach()
    zeros = torch.zeros(1, 1, layer.hidden_size, requires_grad=True)
    state, carried, opened = (zeros, zeros) if is_lstm else zeros, [], []
    for e in embedded:
        if is_lstm:
            with torch.no_grad():
                old = state[0].flatten()
                gates = (
                    layer.weight_ih_l0 @ e + layer.bias_ih_l0 + layer.weight_hh_l0 @ old + layer.bias_hh_l0
                )
                opened.append(gates.chunk(4)[1].sigmoid())
        state = layer(e[None, None], state)[1]
        carried.append(state[1] if is_lstm else state)
    generator, squares = torch.Generator().manual_seed(0), []
    for end in ENDS:
        direction = torch.randn(layer.hidden_size, generator=generator)
        earlier = [carried[end - k] for k in range(BACK + 1)]
        last = direction / direction.norm() @ carried[end].flatten()
        found = torch.autograd.grad(last, earlier, retain_graph=True)
        squares.append([float(part.norm()) ** 2 for part in found])
    row = {"left": [float(f"{value:.4g}") for value in np.sqrt(np.mean(squares, axis=0))]}
    if is_lstm:
        gates = torch.stack(opened)
        row |= {
            "gates": [round(float(x), 4) for x in (gates.min(), gates.max(), (gates > 0.9).float().mean())]
        }
    return row
