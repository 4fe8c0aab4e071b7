"""The PyTorch side of the bench `training` of crates/models, which starts it: `bench.py FOLDER`.

FOLDER has `task.json`. Each line of the standard input is a command, answered by a line with a number:
`train` (seconds for one pass over all batches), `decode` (seconds for all questions), `memory` (peak in MB),
`parameters`. The networks are those of the published code, written with the fast modules of PyTorch.
"""

import json
import math
import pathlib
import resource
import sys
import time

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

PAD, START, END = 0, 2, 3


class SupSparql(nn.Module):
    """As `Program` and `SPARQL` of the KQA Pro baselines: packed sequences, nn.GRU."""

    def __init__(self, sizes: dict, words: int):
        super().__init__()
        emb, hidden, layers, rate = (sizes[name] for name in ("embedding", "hidden", "layers", "dropout"))
        self.source, self.target = nn.Embedding(words, emb), nn.Embedding(words, emb)
        self.encoder = nn.GRU(emb, hidden, layers, dropout=rate, batch_first=True)
        self.decoder = nn.GRU(emb, hidden, layers, dropout=rate, batch_first=True)
        self.classifier = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, words))
        self.dropout = nn.Dropout(rate)

    def run(self, gru: nn.GRU, vectors: Tensor, tokens: Tensor, state: Tensor | None) -> tuple[Tensor, Tensor]:
        lengths = (tokens != PAD).sum(dim=1)
        packed = pack_padded_sequence(self.dropout(vectors), lengths, batch_first=True, enforce_sorted=False)
        outputs, final = gru(packed, state)
        return pad_packed_sequence(outputs, batch_first=True, total_length=tokens.shape[1])[0], final

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, state = self.run(self.encoder, self.source(source), source, None)
        return memory, source == PAD, state

    def attended(self, outputs: Tensor, memory: Tensor, hidden: Tensor) -> Tensor:
        scores = (outputs @ memory.transpose(1, 2)).masked_fill(hidden[:, None], -1e10)
        return self.classifier(outputs + torch.softmax(scores, dim=-1) @ memory)

    def loss(self, source: Tensor, target_in: Tensor, target_out: Tensor) -> Tensor:
        memory, hidden, state = self.encode(source)
        outputs, _ = self.run(self.decoder, self.target(target_in), target_in, state)
        return F.cross_entropy(self.attended(outputs, memory, hidden).flatten(0, 1), target_out.flatten())

    def start(self, source: Tensor):
        return self.encode(source)

    def step(self, state, tokens: Tensor):
        memory, hidden, last = state
        outputs, last = self.decoder(self.target(tokens[:, -1:]), last)
        return self.attended(outputs, memory, hidden)[:, -1], (memory, hidden, last)


class Attention(nn.Module):
    def __init__(self, size: int, heads: int, rate: float):
        super().__init__()
        self.query, self.key, self.value, self.output = (nn.Linear(size, size) for _ in range(4))
        self.heads, self.rate = heads, rate

    def forward(self, query: Tensor, memory: Tensor, seen: Tensor) -> Tensor:
        split = lambda x: x.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        q, k, v = split(self.query(query)), split(self.key(memory)), split(self.value(memory))
        rate = self.rate if self.training else 0.0
        found = F.scaled_dot_product_attention(q, k, v, attn_mask=seen, dropout_p=rate)
        return self.output(found.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, size: int, heads: int, ff: int, rate: float, is_decoder: bool):
        super().__init__()
        self.own, self.own_norm = Attention(size, heads, rate), nn.LayerNorm(size)
        if is_decoder:
            self.source, self.source_norm = Attention(size, heads, rate), nn.LayerNorm(size)
        self.feed = nn.Sequential(nn.Linear(size, ff), nn.ReLU(), nn.Dropout(rate), nn.Linear(ff, size))
        self.feed_norm, self.dropout = nn.LayerNorm(size), nn.Dropout(rate)

    def forward(self, x: Tensor, seen: Tensor, memory: Tensor | None = None, seen_memory: Tensor | None = None):
        x = self.own_norm(x + self.dropout(self.own(x, x, seen)))
        if memory is not None:
            x = self.source_norm(x + self.dropout(self.source(x, memory, seen_memory)))
        return self.feed_norm(x + self.dropout(self.feed(x)))


class Transformer(nn.Module):
    """As notebook 6 of bentrevett/pytorch-seq2seq, with fused attention."""

    def __init__(self, sizes: dict, words: int):
        super().__init__()
        size, layers, heads, ff, rate, positions = (
            sizes[name] for name in ("size", "layers", "heads", "feed_forward", "dropout", "positions")
        )
        self.words = nn.ModuleList(nn.Embedding(words, size) for _ in range(2))
        self.positions = nn.ModuleList(nn.Embedding(positions, size) for _ in range(2))
        self.encoder = nn.ModuleList(Layer(size, heads, ff, rate, False) for _ in range(layers))
        self.decoder = nn.ModuleList(Layer(size, heads, ff, rate, True) for _ in range(layers))
        self.output, self.dropout = nn.Linear(size, words), nn.Dropout(rate)

    def embed(self, side: int, tokens: Tensor) -> Tensor:
        words = self.words[side](tokens) * math.sqrt(self.words[side].embedding_dim)
        return self.dropout(words + self.positions[side].weight[: tokens.shape[1]])

    def start(self, source: Tensor) -> tuple[Tensor, Tensor]:
        seen = (source != PAD)[:, None, None]
        x = self.embed(0, source)
        for layer in self.encoder:
            x = layer(x, seen)
        return x, seen

    def decode(self, state: tuple[Tensor, Tensor], target: Tensor) -> Tensor:
        causal = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).tril()
        seen = (target != PAD)[:, None, None] & causal
        x = self.embed(1, target)
        for layer in self.decoder:
            x = layer(x, seen, *state)
        return x

    def loss(self, source: Tensor, target_in: Tensor, target_out: Tensor) -> Tensor:
        logits = self.output(self.decode(self.start(source), target_in))
        return F.cross_entropy(logits.flatten(0, 1), target_out.flatten(), ignore_index=PAD)

    def step(self, state, tokens: Tensor):
        """As the notebook: the decoder reads all tokens again. Only the last position goes to the output layer."""
        return self.output(self.decode(state, tokens)[:, -1]), state


def decode(network: nn.Module, batches: list[dict[str, Tensor]]) -> None:
    """Greedy, as the published code: a batch runs until all its rows have ended. Row i ends after ends[i] words."""
    network.eval()
    with torch.inference_mode():
        for batch in batches:
            state = network.start(batch["source"])
            tokens = torch.full((len(batch["source"]), 1), START)
            for number in range(1, int(batch["ends"].max()) + 1):
                logits, state = network.step(state, tokens)
                word = logits.argmax(dim=-1)
                word = torch.where(batch["ends"] <= number, END, word)
                tokens = torch.cat([tokens, word[:, None]], dim=1)
    network.train()


def train(network: nn.Module, optimiser: torch.optim.Optimizer, clip: float, batches: list[dict[str, Tensor]]) -> None:
    for batch in batches:
        optimiser.zero_grad()
        network.loss(batch["source"], batch["input"], batch["output"]).backward()
        if clip > 0:
            nn.utils.clip_grad_norm_(network.parameters(), clip)
        optimiser.step()


def main() -> None:
    task = json.loads((pathlib.Path(sys.argv[1]) / "task.json").read_text())
    torch.set_num_threads(task["threads"])
    torch.manual_seed(1)
    network = {"sup-sparql": SupSparql, "transformer": Transformer}[task["system"]](task["sizes"], task["words"])
    network.train()
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-4)
    batches = [{name: torch.tensor(rows) for name, rows in batch.items()} for batch in task["batches"]]
    for line in sys.stdin:
        command = line.strip()
        if command == "memory":
            answer = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        elif command == "parameters":
            answer = sum(parameter.numel() for parameter in network.parameters())
        else:
            started = time.perf_counter()
            if command == "train":
                train(network, optimiser, task["clip"], batches)
            else:
                decode(network, batches)
            answer = time.perf_counter() - started
        print(answer, flush=True)


if __name__ == "__main__":
    main()
