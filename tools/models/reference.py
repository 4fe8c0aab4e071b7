"""Writes the fixtures that the Rust networks are tested against. README.md describes them.

    reference.py [--out FOLDER]

Parameters and inputs are float32 numbers. Everything is computed from them in float64 and rounded to float32 at the
end, so that a difference is the error of the implementation under test, not of this one.
"""

import argparse
import dataclasses
import math
import pathlib
from collections.abc import Callable

import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

SEED = 20
PAD, START, END = 0, 2, 3  # 1 is the unknown word
FIRST_WORD = 4
SOURCE_WORDS, TARGET_WORDS, FUNCTIONS = 13, 11, 6
SOURCE_LENGTHS, TARGET_LENGTHS = [5, 3, 4], [4, 5, 2]  # a target length counts END, but not START
ARGUMENTS = 3
MAX_DECODED, BEAM = 8, 3
# A test in float32 can only repeat a decision between scores that differ by more than rounding errors.
LEAST_MARGIN = 1e-3

State = tuple[Tensor, Tensor]


# --- Recurrent layers and attention


def run_gru(gru: nn.GRU, sequence: Tensor, lengths: Tensor, state: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Outputs, which are zero after the end of a sequence, and the states at the end of each sequence."""
    packed = pack_padded_sequence(sequence, lengths, batch_first=True, enforce_sorted=False)
    outputs, final = gru(packed, state)
    return pad_packed_sequence(outputs, batch_first=True, total_length=sequence.shape[1])[0], final


class ForgetBiasLstm(nn.LSTM):
    """The parameters of `nn.LSTM`, with 1.0 added to the forget gate as TensorFlow's BasicLSTMCell does."""

    def __init__(self, inputs: int, units: int):
        super().__init__(inputs, units, num_layers=2, batch_first=True)

    def zero_state(self, batch: int) -> State:
        zeros = self.weight_hh_l0.new_zeros(self.num_layers, batch, self.hidden_size)
        return zeros, zeros

    def step(self, x: Tensor, state: State) -> tuple[Tensor, State]:
        """One time step of all layers: the output of the top layer and the new state, [layers, batch, units] each."""
        hs, cs = [], []
        for layer, (h, c) in enumerate(zip(*state)):
            w_ih, w_hh, b_ih, b_hh = self.all_weights[layer]
            i, f, g, o = (F.linear(x, w_ih, b_ih) + F.linear(h, w_hh, b_hh)).chunk(4, dim=-1)
            c = torch.sigmoid(f + 1.0) * c + torch.sigmoid(i) * torch.tanh(g)
            x = torch.sigmoid(o) * torch.tanh(c)
            hs.append(x)
            cs.append(c)
        return x, (torch.stack(hs), torch.stack(cs))

    def forward(self, sequence: Tensor, lengths: Tensor) -> tuple[Tensor, State]:
        """As `run_gru`, from a zero state."""
        state = self.zero_state(sequence.shape[0])
        outputs = []
        for time in range(sequence.shape[1]):
            running = (time < lengths)[:, None]
            top, (h, c) = self.step(sequence[:, time], state)
            outputs.append(torch.where(running, top, 0.0))
            state = torch.where(running, h, state[0]), torch.where(running, c, state[1])
        return torch.stack(outputs, dim=1), state


def attend(scores: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Weights and context of scores [batch, time]. The context is a sum of the memory itself, not of its keys."""
    weights = torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)
    return weights, torch.einsum("bt,btu->bu", weights, memory)


class DotAttention(nn.Module):
    def forward(self, query: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        return attend(torch.einsum("bu,btu->bt", query, memory), memory, mask)


class NormedBahdanauAttention(nn.Module):
    def __init__(self, units: int):
        super().__init__()
        self.memory_layer = nn.Linear(units, units, bias=False)
        self.query_layer = nn.Linear(units, units, bias=False)
        self.v = nn.Parameter(torch.empty(units))
        self.g = nn.Parameter(torch.empty(1))
        self.b = nn.Parameter(torch.empty(units))

    def forward(self, query: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        hidden = torch.tanh(self.memory_layer(memory) + self.query_layer(query)[:, None] + self.b)
        return attend(hidden @ (self.g * self.v / self.v.norm()), memory, mask)


class ScaledLuongAttention(nn.Module):
    def __init__(self, units: int):
        super().__init__()
        self.memory_layer = nn.Linear(units, units, bias=False)
        self.g = nn.Parameter(torch.empty(1))

    def forward(self, query: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        return attend(self.g * torch.einsum("bu,btu->bt", query, self.memory_layer(memory)), memory, mask)


# --- NSpM


class Nspm(nn.Module):
    def __init__(self, units: int, attention: nn.Module | None):
        super().__init__()
        self.source_embedding = nn.Embedding(SOURCE_WORDS, units)
        self.target_embedding = nn.Embedding(TARGET_WORDS, units)
        self.encoder = ForgetBiasLstm(units, units)
        self.decoder = ForgetBiasLstm(units if attention is None else 2 * units, units)
        self.attention = attention
        if attention is not None:
            self.attention_layer = nn.Linear(2 * units, units, bias=False)
        self.output_layer = nn.Linear(units, TARGET_WORDS, bias=False)

    def forward(self, source: Tensor, target_in: Tensor) -> Tensor:
        mask = source != PAD
        memory, state = self.encoder(self.source_embedding(source), mask.sum(dim=1))
        fed_back = torch.zeros_like(memory[:, 0])
        outputs = []
        for token in target_in.unbind(dim=1):
            x = self.target_embedding(token)
            if self.attention is None:
                output, state = self.decoder.step(x, state)
            else:
                cell_output, state = self.decoder.step(torch.cat([x, fed_back], dim=-1), state)
                _, context = self.attention(cell_output, memory, mask)
                output = fed_back = self.attention_layer(torch.cat([cell_output, context], dim=-1))
            outputs.append(output)
        return self.output_layer(torch.stack(outputs, dim=1))


# --- Convolutional sequence to sequence. Names of parameters as in notebook 5 of bentrevett/pytorch-seq2seq.


class ConvSide(nn.Module):
    """What encoder and decoder share."""

    def __init__(self, words: int, emb: int, hidden: int, blocks: int, kernel: int, positions: int, padding: int):
        super().__init__()
        self.tok_embedding = nn.Embedding(words, emb)
        self.pos_embedding = nn.Embedding(positions, emb)
        self.emb2hid = nn.Linear(emb, hidden)
        self.hid2emb = nn.Linear(hidden, emb)
        self.convs = nn.ModuleList(nn.Conv1d(hidden, 2 * hidden, kernel, padding=padding) for _ in range(blocks))
        self.scale = math.sqrt(0.5)

    def embed(self, tokens: Tensor) -> Tensor:
        return self.tok_embedding(tokens) + self.pos_embedding.weight[: tokens.shape[1]]


class ConvEncoder(ConvSide):
    def forward(self, source: Tensor) -> tuple[Tensor, Tensor]:
        embedded = self.embed(source)
        h = self.emb2hid(embedded).transpose(1, 2)
        for conv in self.convs:
            h = (F.glu(conv(h), dim=1) + h) * self.scale
        z = self.hid2emb(h.transpose(1, 2))
        return z, (z + embedded) * self.scale


class ConvDecoder(ConvSide):
    def __init__(self, words: int, emb: int, hidden: int, blocks: int, kernel: int, positions: int):
        super().__init__(words, emb, hidden, blocks, kernel, positions, padding=0)
        self.kernel = kernel
        self.attn_hid2emb = nn.Linear(hidden, emb)  # one pair of layers for the attention of all blocks
        self.attn_emb2hid = nn.Linear(emb, hidden)
        self.fc_out = nn.Linear(emb, words)

    def forward(self, target_in: Tensor, keys: Tensor, values: Tensor, pad_value: float) -> Tensor:
        embedded = self.embed(target_in)
        h = self.emb2hid(embedded).transpose(1, 2)
        for conv in self.convs:
            gated = F.glu(conv(F.pad(h, (self.kernel - 1, 0), value=pad_value)), dim=1)
            query = (self.attn_hid2emb(gated.transpose(1, 2)) + embedded) * self.scale
            # The notebook does not mask the padding of the source.
            context = torch.softmax(query @ keys.transpose(1, 2), dim=-1) @ values
            gated = (gated + self.attn_emb2hid(context).transpose(1, 2)) * self.scale
            h = (gated + h) * self.scale
        return self.fc_out(self.hid2emb(h.transpose(1, 2)))


class ConvS2S(nn.Module):
    def __init__(self, emb: int = 6, hidden: int = 8, blocks: int = 2, kernel: int = 3, positions: int = 20):
        super().__init__()
        self.encoder = ConvEncoder(SOURCE_WORDS, emb, hidden, blocks, kernel, positions, padding=kernel // 2)
        self.decoder = ConvDecoder(TARGET_WORDS, emb, hidden, blocks, kernel, positions)

    def forward(self, source: Tensor, target_in: Tensor, pad_value: float = float(PAD)) -> Tensor:
        """`pad_value` fills the left padding of the decoder: the notebook takes the index of the pad token."""
        return self.decoder(target_in, *self.encoder(source), pad_value)


# --- Transformer. Names of parameters as in notebook 6 of bentrevett/pytorch-seq2seq.


class MultiHeadAttention(nn.Module):
    def __init__(self, d: int, heads: int):
        super().__init__()
        self.heads = heads
        self.fc_q, self.fc_k, self.fc_v, self.fc_o = (nn.Linear(d, d) for _ in range(4))

    def forward(self, query: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        # Head i has the i-th contiguous slice of the features.
        q, k, v = (
            x.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for x in (self.fc_q(query), self.fc_k(memory), self.fc_v(memory))
        )
        energy = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
        attention = torch.softmax(energy.masked_fill(~mask, -1e10), dim=-1)
        return self.fc_o((attention @ v).transpose(1, 2).flatten(2))


class Feedforward(nn.Module):
    def __init__(self, d: int, ff: int):
        super().__init__()
        self.fc_1 = nn.Linear(d, ff)
        self.fc_2 = nn.Linear(ff, d)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc_2(torch.relu(self.fc_1(x)))


class EncoderLayer(nn.Module):
    def __init__(self, d: int, heads: int, ff: int):
        super().__init__()
        self.self_attn_layer_norm, self.ff_layer_norm = nn.LayerNorm(d), nn.LayerNorm(d)
        self.self_attention = MultiHeadAttention(d, heads)
        self.positionwise_feedforward = Feedforward(d, ff)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        x = self.self_attn_layer_norm(x + self.self_attention(x, x, mask))
        return self.ff_layer_norm(x + self.positionwise_feedforward(x))


class DecoderLayer(EncoderLayer):
    def __init__(self, d: int, heads: int, ff: int):
        super().__init__(d, heads, ff)
        self.enc_attn_layer_norm = nn.LayerNorm(d)
        self.encoder_attention = MultiHeadAttention(d, heads)

    def forward(self, x: Tensor, mask: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        x = self.self_attn_layer_norm(x + self.self_attention(x, x, mask))
        x = self.enc_attn_layer_norm(x + self.encoder_attention(x, memory, memory_mask))
        return self.ff_layer_norm(x + self.positionwise_feedforward(x))


class TransformerSide(nn.Module):
    def __init__(self, words: int, d: int, positions: int, layers: list[nn.Module]):
        super().__init__()
        self.tok_embedding = nn.Embedding(words, d)
        self.pos_embedding = nn.Embedding(positions, d)
        self.layers = nn.ModuleList(layers)

    def forward(self, tokens: Tensor, *others: Tensor) -> Tensor:
        x = self.tok_embedding(tokens) * math.sqrt(self.tok_embedding.embedding_dim)
        x = x + self.pos_embedding.weight[: tokens.shape[1]]  # only the token is scaled
        for layer in self.layers:
            x = layer(x, *others)
        return x


class Transformer(nn.Module):
    def __init__(self, d: int = 8, heads: int = 2, ff: int = 12, layers: int = 2, positions: int = 20):
        super().__init__()
        self.encoder = TransformerSide(SOURCE_WORDS, d, positions, [EncoderLayer(d, heads, ff) for _ in range(layers)])
        self.decoder = TransformerSide(TARGET_WORDS, d, positions, [DecoderLayer(d, heads, ff) for _ in range(layers)])
        self.decoder.fc_out = nn.Linear(d, TARGET_WORDS)

    def forward(self, source: Tensor, target_in: Tensor) -> Tensor:
        # [batch, heads, query, key]; a pad position is never a key, but still a query.
        source_mask = (source != PAD)[:, None, None]
        causal = torch.ones(target_in.shape[1], target_in.shape[1], dtype=torch.bool).tril()
        target_mask = (target_in != PAD)[:, None, None] & causal
        memory = self.encoder(source, source_mask)
        return self.decoder.fc_out(self.decoder(target_in, target_mask, memory, source_mask))


# --- KQA Pro: Sup. SPARQL and Sup. Program


def add_attention(h: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
    """h [batch, time, units] plus its dot-product context. Without a mask, zero vectors of the padding take part."""
    scores = h @ memory.transpose(1, 2)
    if mask is not None:
        scores = scores.masked_fill(~mask[:, None], -math.inf)
    return h + torch.softmax(scores, dim=-1) @ memory


def classifier(hidden: int, classes: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, classes))


class SupSparql(nn.Module):
    def __init__(self, hidden: int = 8, emb: int = 5):
        super().__init__()
        self.source_embedding = nn.Embedding(SOURCE_WORDS, emb)
        self.target_embedding = nn.Embedding(TARGET_WORDS, emb)
        self.encoder = nn.GRU(emb, hidden, num_layers=2, batch_first=True)
        self.decoder = nn.GRU(emb, hidden, num_layers=2, batch_first=True)
        self.classifier = classifier(hidden, TARGET_WORDS)

    def forward(self, source: Tensor, target_in: Tensor, masked: bool = True) -> Tensor:
        mask = source != PAD
        memory, state = run_gru(self.encoder, self.source_embedding(source), mask.sum(dim=1))
        # The released code packs the target too: h is zero at its padding, and the loss includes these positions.
        h, _ = run_gru(self.decoder, self.target_embedding(target_in), (target_in != PAD).sum(dim=1), state)
        return self.classifier(add_attention(h, memory, mask if masked else None))


class SupProgram(nn.Module):
    """`as_paper`: arguments from three classifiers of the function's vector, and dependencies from a binary classifier.
    Otherwise as the released code: arguments from a decoder of their own, and no dependencies."""

    def __init__(self, as_paper: bool, hidden: int = 8, emb: int = 5):
        super().__init__()
        self.source_embedding = nn.Embedding(SOURCE_WORDS, emb)
        self.function_embedding = nn.Embedding(FUNCTIONS, emb)
        self.encoder = nn.GRU(emb, hidden, num_layers=2, batch_first=True)
        self.function_decoder = nn.GRU(emb, hidden, num_layers=2, batch_first=True)
        self.function_classifier = classifier(hidden, FUNCTIONS)
        self.as_paper = as_paper
        if as_paper:
            self.argument_classifiers = nn.ModuleList(classifier(hidden, SOURCE_WORDS) for _ in range(ARGUMENTS))
            # The paper does not say what its classifier reads: here the vectors of the function and of an earlier one.
            self.dependency_classifier = nn.Sequential(nn.Linear(2 * hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))
        else:
            self.argument_embedding = nn.Embedding(SOURCE_WORDS, emb)  # the vocabulary of the questions, embedded anew
            self.argument_decoder = nn.GRU(emb + hidden, hidden, num_layers=2, batch_first=True)
            self.argument_classifier = classifier(hidden, SOURCE_WORDS)

    def forward(
        self, source: Tensor, functions_in: Tensor, arguments_in: Tensor, argument_lengths: Tensor, masked: bool = True
    ) -> dict[str, Tensor]:
        mask = source != PAD
        memory, state = run_gru(self.encoder, self.source_embedding(source), mask.sum(dim=1))
        attended = mask if masked else None
        h, _ = run_gru(
            self.function_decoder, self.function_embedding(functions_in), (functions_in != PAD).sum(dim=1), state
        )
        functions = add_attention(h, memory, attended)
        logits = {"function_logits": self.function_classifier(functions)}
        if self.as_paper:
            arguments = torch.stack([one(functions) for one in self.argument_classifiers], dim=2)
            logits["argument_logits"] = arguments.flatten(1, 2)
            shape = (-1, functions.shape[1], functions.shape[1], -1)
            pairs = torch.cat([functions[:, :, None].expand(shape), functions[:, None].expand(shape)], dim=-1)
            logits["dependency_logits"] = self.dependency_classifier(pairs)[..., 0]  # [batch, function, earlier one]
            return logits
        # The state that predicts a function is the input of the three steps that predict its arguments.
        repeated = functions.repeat_interleave(ARGUMENTS, dim=1)
        inputs = torch.cat([self.argument_embedding(arguments_in), repeated], dim=-1)
        h, _ = run_gru(self.argument_decoder, inputs, argument_lengths, state)
        logits["argument_logits"] = self.argument_classifier(add_attention(h, memory, attended))
        return logits


# --- Decoding


def decided(scores: Tensor, n: int) -> Tensor:
    """Indices of the n highest scores; fails if rounding errors could change them or their order."""
    best = scores.topk(min(n + 1, scores.shape[-1]))
    if (best.values[..., :-1] - best.values[..., 1:] < LEAST_MARGIN).any():
        raise ValueError("two scores are too close: change the number of practice steps")
    return best.indices[..., :n]


def greedy(network: Callable[[Tensor, Tensor], Tensor], source: Tensor) -> Tensor:
    """Ids [batch, MAX_DECODED] without START, up to and with END, then PAD. No id is excluded."""
    tokens = torch.full((source.shape[0], 1), START)
    finished = torch.zeros(source.shape[0], dtype=torch.bool)
    for _ in range(MAX_DECODED):
        logits = network(source, tokens)[:, -1]
        chosen = torch.full_like(tokens[:, 0], PAD)
        chosen[~finished] = decided(logits[~finished], 1)[:, 0]
        if (chosen[~finished] == PAD).any():
            raise ValueError("a decoded PAD looks like the end: change the number of practice steps")
        tokens = torch.cat([tokens, chosen[:, None]], dim=1)
        finished |= chosen == END
        if finished.all():
            break
    return F.pad(tokens[:, 1:], (0, MAX_DECODED + 1 - tokens.shape[1]), value=PAD)


def beam_search(network: Callable[[Tensor, Tensor], Tensor], source: Tensor) -> tuple[Tensor, Tensor]:
    """Ids [BEAM, MAX_DECODED] as from `greedy` and summed log-probabilities [BEAM] of one question [1, time]."""
    beam: list[tuple[float, list[int]]] = [(0.0, [START])]
    for _ in range(MAX_DECODED):
        if all(ids[-1] == END for _, ids in beam):
            break
        candidates = []
        for score, ids in beam:
            if ids[-1] == END:
                candidates.append((score, ids))
            else:
                steps = torch.log_softmax(network(source, torch.tensor([ids]))[0, -1], dim=-1)
                candidates += [(score + step, [*ids, word]) for word, step in enumerate(steps.tolist())]
        order = decided(torch.tensor([score for score, _ in candidates], dtype=torch.float64), BEAM)
        beam = [candidates[i] for i in order]
    if any(PAD in ids for _, ids in beam):
        raise ValueError("a decoded PAD looks like the end: change the number of practice steps")
    ids = [ids[1:] + [PAD] * (MAX_DECODED + 1 - len(ids)) for _, ids in beam]
    return torch.tensor(ids), torch.tensor([score for score, _ in beam], dtype=torch.float64)


def greedy_program(network: SupProgram, source: Tensor) -> dict[str, Tensor]:
    """Functions [batch, MAX_DECODED] as from `greedy`, their arguments [batch, MAX_DECODED, ARGUMENTS], zero from the
    end on, and with `as_paper` 1 for each of the at most two earlier functions that a function depends on."""
    batch = source.shape[0]
    functions = torch.full((batch, 1), START)
    arguments = torch.full((batch, 1), START)
    finished = torch.zeros(batch, dtype=torch.bool)
    for step in range(MAX_DECODED):
        for slot in range(ARGUMENTS):
            known = torch.full((batch,), arguments.shape[1])
            inputs = F.pad(arguments, (0, ARGUMENTS * (step + 1) - arguments.shape[1]))
            logits = network(source, functions, inputs, known)
            chosen = torch.zeros(batch, dtype=torch.long)
            running = ~finished & (decided(logits["function_logits"][:, -1], 1)[:, 0] != END)
            chosen[running] = decided(logits["argument_logits"][running, ARGUMENTS * step + slot], 1)[:, 0]
            arguments = torch.cat([arguments, chosen[:, None]], dim=1)
        chosen = torch.full((batch,), END)
        chosen[~finished] = decided(logits["function_logits"][~finished, -1], 1)[:, 0]
        if (chosen == PAD).any():
            raise ValueError("a decoded PAD looks like the end: change the number of practice steps")
        functions = torch.cat([functions, chosen[:, None]], dim=1)
        finished |= chosen == END
        if finished.all():
            break
    steps = functions.shape[1] - 1
    after_end = (functions[:, :-1] == END).cumsum(dim=1) > 0
    found = {
        "greedy_functions": F.pad(functions[:, 1:].masked_fill(after_end, PAD), (0, MAX_DECODED - steps)),
        "greedy_arguments": F.pad(arguments[:, 1:].unflatten(1, (-1, ARGUMENTS)), (0, 0, 0, MAX_DECODED - steps)),
    }
    if network.as_paper:
        logits = logits["dependency_logits"]
        if (logits.abs() < LEAST_MARGIN).any():
            raise ValueError("a dependency is too close: change the number of practice steps")
        is_function = (functions[:, 1:] != END) & ~after_end
        possible = torch.ones(steps, steps, dtype=torch.bool).tril(-1) & is_function[:, :, None]
        scores = logits.masked_fill(~possible, -math.inf)
        rank = scores.argsort(dim=-1, descending=True).argsort(dim=-1)
        depends = (scores > 0) & (rank < 2)
        found["greedy_dependencies"] = F.pad(depends.long(), (0, MAX_DECODED - steps, 0, MAX_DECODED - steps))
    return found


def one_by_one(source: Tensor) -> list[Tensor]:
    """Each row of a batch as a batch of its own, without padding."""
    return [row[row != PAD][None] for row in source]


# --- Fixtures


@dataclasses.dataclass(frozen=True)
class Batch:
    source: Tensor
    target_in: Tensor
    target_out: Tensor

    def inputs(self) -> dict[str, Tensor]:
        lengths = {"source_lengths": torch.tensor(SOURCE_LENGTHS), "target_lengths": torch.tensor(TARGET_LENGTHS)}
        return dataclasses.asdict(self) | lengths


def padded(words: int, lengths: list[int], before: list[int], after: list[int]) -> Tensor:
    """Rows of random words between `before` and `after`, filled up with PAD."""
    rows = [[*before, *torch.randint(FIRST_WORD, words, (n,)).tolist(), *after] for n in lengths]
    longest = max(map(len, rows))
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])


def sequences(words: int) -> Batch:
    source = padded(SOURCE_WORDS, SOURCE_LENGTHS, [], [])
    target = padded(words, [n - 1 for n in TARGET_LENGTHS], [START], [END])
    # As the notebooks and the KQA Pro code shift: the END of a shorter target is an input too, before its padding.
    return Batch(source, target[:, :-1], target[:, 1:])


def float32_numbers(network: nn.Module) -> None:
    """Rounds the parameters to float32 and makes them float64."""
    network.float().double().eval()


def initialise(network: nn.Module) -> None:
    for parameter in network.parameters():
        nn.init.uniform_(parameter, -0.5, 0.5)
    for module in network.modules():
        if isinstance(module, nn.LayerNorm):
            nn.init.uniform_(module.weight, 0.5, 1.5)
    float32_numbers(network)


def practise(network: nn.Module, loss: Callable[[], Tensor], steps: int) -> None:
    """Trains a little, so that decoding gives clear decisions and some ENDs instead of one word again and again."""
    optimiser = torch.optim.Adam(network.parameters(), lr=0.02)
    for _ in range(steps):
        optimiser.zero_grad()
        loss().backward()
        optimiser.step()
    float32_numbers(network)


def random_numbers(*shape: int) -> Tensor:
    return torch.randn(*shape).double().requires_grad_()


class Writer:
    def __init__(self, folder: pathlib.Path):
        self.folder = folder

    def write(
        self, name: str, network: nn.Module, inputs: dict[str, Tensor], outputs: dict[str, Tensor], loss: Tensor
    ) -> None:
        """Writes a file with the gradients of `loss` for the parameters and for the inputs that require them."""
        network.zero_grad()
        loss.backward()
        parameters = dict(network.named_parameters())
        tensors = {f"param.{key}": value for key, value in parameters.items()}
        tensors |= {f"input.{key}": value for key, value in inputs.items()}
        tensors |= {f"output.{key}": value for key, value in (outputs | {"loss": loss.reshape(1)}).items()}
        for key, value in (parameters | inputs).items():
            if value.requires_grad:
                tensors[f"grad.{key}"] = value.grad
        rounded = {
            key: value.detach().to(torch.float32 if value.is_floating_point() else torch.int32).contiguous().clone()
            for key, value in tensors.items()
        }
        if not all(torch.isfinite(value).all() for value in rounded.values()):
            raise ValueError(f"{name}: a number is not finite")
        path = self.folder / f"{name}.safetensors"
        save_file(rounded, path)
        print(f"{path.name:40} {path.stat().st_size:7} bytes, loss {loss.item():.4f}")


def stack_fixture(writer: Writer, name: str, rnn: nn.GRU | ForgetBiasLstm) -> None:
    initialise(rnn)
    lengths = torch.tensor(SOURCE_LENGTHS)
    real = torch.arange(max(SOURCE_LENGTHS)) < lengths[:, None]
    sequence = (random_numbers(*real.shape, rnn.input_size) * real[..., None]).detach().requires_grad_()
    if isinstance(rnn, ForgetBiasLstm):
        outputs, (h, c) = rnn(sequence, lengths)
        check_lstm(rnn, sequence, lengths, outputs)
        final = {"final_h": h, "final_c": c}
    else:
        outputs, h = run_gru(rnn, sequence, lengths)
        final = {"final_h": h}
    loss = outputs.square().sum() + sum(state.sum() for state in final.values())
    writer.write(name, rnn, {"sequence": sequence, "lengths": lengths}, {"outputs": outputs} | final, loss)


def check_lstm(ours: ForgetBiasLstm, sequence: Tensor, lengths: Tensor, outputs: Tensor) -> None:
    """Compares with `nn.LSTM` whose biases hold the forget bias."""
    theirs = nn.LSTM(ours.input_size, ours.hidden_size, ours.num_layers, batch_first=True).double()
    theirs.load_state_dict(ours.state_dict())
    with torch.no_grad():
        for layer in range(theirs.num_layers):
            getattr(theirs, f"bias_ih_l{layer}").chunk(4)[1].add_(1.0)
        packed = pack_padded_sequence(sequence, lengths, batch_first=True, enforce_sorted=False)
        expected = pad_packed_sequence(theirs(packed)[0], batch_first=True, total_length=sequence.shape[1])[0]
    torch.testing.assert_close(outputs.detach(), expected)


def attention_fixture(writer: Writer, name: str, attention: nn.Module, units: int) -> None:
    initialise(attention)
    query, memory = random_numbers(3, units), random_numbers(3, 5, units)
    mask = torch.arange(5) < torch.tensor(SOURCE_LENGTHS)[:, None]
    weights, context = attention(query, memory, mask)
    inputs = {"query": query, "memory": memory, "mask": mask}
    writer.write(name, attention, inputs, {"weights": weights, "context": context}, context.square().sum())


def network_fixture(
    writer: Writer, name: str, network: nn.Module, loss_of: Callable[[Tensor, Tensor], Tensor], practice: int
) -> None:
    """A whole network from source and target to logits, decoded greedily, and NSpM with a beam as well."""
    initialise(network)
    batch = sequences(TARGET_WORDS)
    practise(network, lambda: loss_of(network(batch.source, batch.target_in), batch.target_out), practice)
    logits = network(batch.source, batch.target_in)
    outputs = {"logits": logits}
    with torch.no_grad():
        outputs["greedy"] = greedy(network, batch.source)
        alone = torch.cat([greedy(network, row) for row in one_by_one(batch.source)])
        if isinstance(network, ConvS2S):
            outputs["greedy_unpadded"] = alone
            outputs["logits_pad_value_1"] = network(batch.source, batch.target_in, pad_value=1.0)
        elif not torch.equal(alone, outputs["greedy"]):
            raise ValueError(f"{name}: the padding of the source changes what is decoded")
        if isinstance(network, SupSparql):
            outputs["logits_unmasked"] = network(batch.source, batch.target_in, masked=False)
            outputs["loss_unmasked"] = loss_of(outputs["logits_unmasked"], batch.target_out).reshape(1)
        if isinstance(network, Nspm):
            beams = [beam_search(network, row) for row in one_by_one(batch.source)]
            outputs["beam_ids"], outputs["beam_scores"] = (torch.stack(parts) for parts in zip(*beams))
    writer.write(name, network, batch.inputs(), outputs, loss_of(logits, batch.target_out))


def program_fixture(writer: Writer, name: str, as_paper: bool, practice: int) -> None:
    network = SupProgram(as_paper)
    initialise(network)
    batch = sequences(FUNCTIONS)
    # A function has 1 to 3 arguments here; END and PAD have none.
    is_function = batch.target_out >= FIRST_WORD
    counts = torch.randint(1, ARGUMENTS + 1, batch.target_out.shape) * is_function
    words = torch.randint(FIRST_WORD, SOURCE_WORDS, (*batch.target_out.shape, ARGUMENTS))
    arguments = torch.where(torch.arange(ARGUMENTS) < counts[..., None], words, PAD).flatten(1)
    arguments_in = torch.cat([torch.full((arguments.shape[0], 1), START), arguments[:, :-1]], dim=1)
    # The released code packs 1 + 3 n steps for n functions with END, and leaves out the last step of the longest.
    lengths = (1 + ARGUMENTS * torch.tensor(TARGET_LENGTHS)).clamp(max=arguments.shape[1])
    inputs = {
        "source": batch.source,
        "source_lengths": torch.tensor(SOURCE_LENGTHS),
        "functions_in": batch.target_in,
        "functions_out": batch.target_out,
        "function_lengths": (batch.target_in != PAD).sum(dim=1),
        "arguments_in": arguments_in,
        "arguments_out": arguments,
        "argument_lengths": lengths,
    }
    size = batch.target_out.shape[1]
    earlier = torch.ones(size, size, dtype=torch.bool).tril(-1) & is_function[:, :, None]
    if as_paper:
        inputs["dependencies"] = torch.randint(2, earlier.shape) * earlier

    def loss_of(logits: dict[str, Tensor]) -> Tensor:
        loss = mean_of_all(logits["function_logits"], batch.target_out) + mean_of_all(logits["argument_logits"], arguments)
        if as_paper:
            scores, wanted = logits["dependency_logits"], inputs["dependencies"].double()
            each = F.binary_cross_entropy_with_logits(scores, wanted, reduction="none")
            loss = loss + (each * earlier).sum() / batch.target_out.numel()
        return loss

    def run(masked: bool = True) -> dict[str, Tensor]:
        return network(batch.source, batch.target_in, arguments_in, lengths, masked)

    practise(network, lambda: loss_of(run()), practice)
    outputs = run()
    loss = loss_of(outputs)
    with torch.no_grad():
        unmasked = run(masked=False)
        outputs |= {f"{key}_unmasked": value for key, value in unmasked.items()}
        outputs["loss_unmasked"] = loss_of(unmasked).reshape(1)
        outputs |= greedy_program(network, batch.source)
    writer.write(name, network, inputs, outputs, loss)


def sum_per_row(logits: Tensor, target: Tensor) -> Tensor:
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD, reduction="sum") / len(target)


def mean_without_padding(logits: Tensor, target: Tensor) -> Tensor:
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)


def mean_of_all(logits: Tensor, target: Tensor) -> Tensor:
    return F.cross_entropy(logits.flatten(0, 1), target.flatten())


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes the fixtures that the Rust networks are tested against.")
    fixtures = pathlib.Path(__file__).resolve().parents[2] / "crates/models/tests/fixtures"
    parser.add_argument("--out", type=pathlib.Path, default=fixtures, help="default: crates/models/tests/fixtures")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    writer = Writer(folder)
    units = 6
    # The numbers of practice steps leave a mix of outputs that end early and outputs that reach the greatest length,
    # and for ConvS2S a question that is decoded differently without padding.
    makers: list[Callable[[], None]] = [
        lambda: stack_fixture(writer, "gru_stack", nn.GRU(5, units, 2, batch_first=True)),
        lambda: stack_fixture(writer, "bigru_stack", nn.GRU(5, units, 2, batch_first=True, bidirectional=True)),
        lambda: stack_fixture(writer, "lstm_stack", ForgetBiasLstm(5, units)),
        lambda: attention_fixture(writer, "attention_dot", DotAttention(), units),
        lambda: attention_fixture(writer, "attention_normed_bahdanau", NormedBahdanauAttention(units), units),
        lambda: attention_fixture(writer, "attention_scaled_luong", ScaledLuongAttention(units), units),
        lambda: network_fixture(writer, "nspm_none", Nspm(units, None), sum_per_row, 14),
        lambda: network_fixture(writer, "nspm_att1", Nspm(units, NormedBahdanauAttention(units)), sum_per_row, 40),
        lambda: network_fixture(writer, "nspm_att2", Nspm(units, ScaledLuongAttention(units)), sum_per_row, 25),
        lambda: network_fixture(writer, "convs2s", ConvS2S(), mean_without_padding, 5),
        lambda: network_fixture(writer, "transformer", Transformer(), mean_without_padding, 8),
        lambda: network_fixture(writer, "sup_sparql", SupSparql(), mean_of_all, 40),
        lambda: program_fixture(writer, "sup_program", False, 90),
        lambda: program_fixture(writer, "sup_program_paper", True, 60),
    ]
    for make in makers:
        torch.manual_seed(SEED)  # each file is independent of the others
        make()


if __name__ == "__main__":
    main()
