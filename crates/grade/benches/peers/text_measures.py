"""Sentence BLEU of sacrebleu and ROUGE-L of rouge-score, on pairs of texts whose tokens have blanks between them.

usage: text_measures.py PAIRS.json OUT.json ROUNDS

PAIRS.json is a list of [predicted, gold]; OUT.json becomes
{"seconds", "seconds_two", "bleu": [...], "rouge_l": [...], "corpus_bleu"}: the best of ROUNDS rounds over all pairs in one process, and in
two processes with half of the pairs each. A first round is not counted.
"""

import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import sacrebleu
from rouge_score import rouge_scorer


class Blanks:
    """Tokens are what blanks divide."""

    def tokenize(self, text):
        return text.split()


def measure(pairs):
    bleu = sacrebleu.BLEU(tokenize="none", force=True, smooth_method="none", effective_order=True)
    rouge = rouge_scorer.RougeScorer(["rougeL"], tokenizer=Blanks())
    bleus = [bleu.sentence_score(predicted, [gold]).score / 100 for predicted, gold in pairs]
    rouges = [rouge.score(gold, predicted)["rougeL"].fmeasure for predicted, gold in pairs]
    return bleus, rouges


def best(rounds, work):
    seconds = float("inf")
    result = work()
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        seconds = min(seconds, time.perf_counter() - start)
    return seconds, result


def main():
    pairs = json.load(open(sys.argv[1], encoding="utf-8"))
    rounds = int(sys.argv[3])
    seconds, (bleus, rouges) = best(rounds, lambda: measure(pairs))
    halves = [pairs[0::2], pairs[1::2]]
    with ProcessPoolExecutor(2) as pool:
        seconds_two, _ = best(rounds, lambda: list(pool.map(measure, halves)))
    corpus = sacrebleu.BLEU(tokenize="none", force=True, smooth_method="none")
    whole = corpus.corpus_score([p for p, _ in pairs], [[g for _, g in pairs]]).score / 100
    out = {
        "seconds": seconds,
        "seconds_two": seconds_two,
        "bleu": bleus,
        "rouge_l": rouges,
        "corpus_bleu": whole,
    }
    json.dump(out, open(sys.argv[2], "w", encoding="utf-8"))


if __name__ == "__main__":
    main()
