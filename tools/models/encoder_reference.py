"""Writes the fixtures of the pretrained encoder. README.md describes them.

    encoder_reference.py [--out FOLDER] [--minilm FOLDER]

A random tiny BERT in the format of Hugging Face, what `transformers` computes with it, and the sentence embeddings of
all-MiniLM-L6-v2, whose folder `--minilm` names.
"""

import argparse
import json
import pathlib

import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import Tensor
from transformers import BertConfig, BertModel, BertTokenizer

SEED = 20
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
LETTERS = list("abcdefghijklmnopqrstuvwxyz0123456789?.,;'")
WORDS = ["who", "direct", "##ed", "the", "film", "##s", "alien", "born", "in", "where", "was", "movie", "of", "and"]
MAX_LENGTH = 24
QUESTIONS = [
    ("Who directed the films?", None),
    ("Where was Zoë born, in 1979?", "film.film.directed_by; film.actor"),
    ("movie of the alien and the alien and the alien and the alien and the alien and the alien", "who"),
    ("日本 film", None),
]
SENTENCES = [
    "Who directed the film Alien?",
    "Which films did the director of Alien make?",
    "The mass of the Sun is 1.989e30 kg.",
    "Où est née Zoë?",
]


def vocabulary() -> list[str]:
    return SPECIAL + LETTERS + [f"##{letter}" for letter in LETTERS] + WORDS


def write_folder(folder: pathlib.Path) -> BertModel:
    """config.json, vocab.txt, tokenizer.json and model.safetensors of a random BERT."""
    folder.mkdir(parents=True, exist_ok=True)
    words = vocabulary()
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")
    tokenizer = BertTokenizer(str(folder / "vocab.txt"), do_lower_case=True)
    # A tokeniser that pads and cuts by itself, as some published ones do. A loader must not rely on that.
    backend = tokenizer.backend_tokenizer
    backend.enable_padding(length=40)
    backend.enable_truncation(max_length=5)
    backend.save(str(folder / "tokenizer.json"))
    config = BertConfig(
        vocab_size=len(words), hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=12,
        max_position_embeddings=32, type_vocab_size=2,
    )
    model = BertModel(config).eval()
    for name, parameter in model.named_parameters():
        near_one = name.endswith("LayerNorm.weight")
        torch.nn.init.uniform_(parameter, 0.5 if near_one else -0.5, 1.5 if near_one else 0.5)
    model.save_pretrained(folder)
    return model


def write_tiny(out: pathlib.Path) -> None:
    torch.manual_seed(SEED)
    folder = out / "tiny_bert"
    model = write_folder(folder).double()
    tokenizer = BertTokenizer(str(folder / "vocab.txt"), do_lower_case=True)
    rows = [tokenizer(first, second, truncation="longest_first", max_length=MAX_LENGTH) for first, second in QUESTIONS]
    longest = max(len(row["input_ids"]) for row in rows)
    pad = lambda values: torch.tensor([value + [0] * (longest - len(value)) for value in values])
    ids = pad([row["input_ids"] for row in rows])
    types = pad([row["token_type_ids"] for row in rows])
    mask = pad([row["attention_mask"] for row in rows])
    out_tensors = model(input_ids=ids, token_type_ids=types, attention_mask=mask)
    hidden, pooled = out_tensors.last_hidden_state, out_tensors.pooler_output
    real = mask[..., None].double()
    mean = (hidden * real).sum(dim=1) / real.sum(dim=1)
    # What positions of the padding hold does not matter and is not compared.
    loss = (hidden * real).square().sum() + pooled.sum() + mean.sum()
    loss.backward()
    results = {"ids": ids, "types": types, "mask": mask, "hidden": hidden * real, "pooled": pooled, "mean": mean}
    tensors = {f"output.{name}": value for name, value in (results | {"loss": loss.reshape(1)}).items()}
    tensors |= {f"grad.{name}": parameter.grad for name, parameter in model.named_parameters()}
    save(tensors, out / "tiny_bert.safetensors")
    (out / "tiny_bert_questions.json").write_text(json.dumps(QUESTIONS, ensure_ascii=False, indent=1) + "\n")


def write_minilm(out: pathlib.Path, folder: pathlib.Path) -> None:
    """Sentence embeddings as sentence-transformers has them: the mean over the pieces, with norm 1."""
    model = BertModel.from_pretrained(folder).eval().double()
    tokenizer = BertTokenizer(str(folder / "vocab.txt"), do_lower_case=True)
    with torch.no_grad():
        rows = []
        for sentence in SENTENCES:
            encoded = tokenizer(sentence, return_tensors="pt", truncation=True, max_length=256)
            rows.append(F.normalize(model(**encoded).last_hidden_state.mean(dim=1), dim=-1)[0])
    save({"embeddings": torch.stack(rows)}, out / "minilm.safetensors")
    (out / "minilm_sentences.json").write_text(json.dumps(SENTENCES, ensure_ascii=False, indent=1) + "\n")


def save(tensors: dict[str, Tensor], path: pathlib.Path) -> None:
    rounded = {
        name: value.detach().to(torch.float32 if value.is_floating_point() else torch.int32).contiguous().clone()
        for name, value in tensors.items()
    }
    save_file(rounded, path)
    print(f"{path.name:40} {path.stat().st_size:7} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes the fixtures of the pretrained encoder.")
    fixtures = pathlib.Path(__file__).resolve().parents[2] / "crates/train/tests/fixtures"
    parser.add_argument("--out", type=pathlib.Path, default=fixtures, help="default: crates/train/tests/fixtures")
    parser.add_argument("--minilm", type=pathlib.Path, help="the folder of all-MiniLM-L6-v2; without it: not written")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_tiny(arguments.out)
    if arguments.minilm is not None:
        write_minilm(arguments.out, arguments.minilm)


if __name__ == "__main__":
    main()
