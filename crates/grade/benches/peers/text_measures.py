"""Sentence BLEU of sacrebleu and ROUGE-L of rouge-score, on pairs of texts whose tokens have blanks between them.

usage: text_measures.py PAIRS.json OUT.json

PAIRS.json is a list of [predicted, gold]; OUT.json becomes {"seconds", "bleu": [...], "rouge_l": [...], "corpus_bleu"}.
"""

import json
import sys
import time

import sacrebleu
from rouge_score import rouge_scorer


# On a shared machine the best of some rounds counts.
ROUNDS = 2


class Blanks:
    """Tokens are what blanks divide."""

    def tokenize(self, text):
        return text.split()


def main():
    pairs = json.load(open(sys.argv[1], encoding="utf-8"))
    bleu = sacrebleu.BLEU(tokenize="none", force=True, smooth_method="none", effective_order=True)
    rouge = rouge_scorer.RougeScorer(["rougeL"], tokenizer=Blanks())
    seconds = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        bleus = [bleu.sentence_score(predicted, [gold]).score / 100 for predicted, gold in pairs]
        rouges = [rouge.score(gold, predicted)["rougeL"].fmeasure for predicted, gold in pairs]
        seconds = min(seconds, time.perf_counter() - start)
    corpus = sacrebleu.BLEU(tokenize="none", force=True, smooth_method="none")
    whole = corpus.corpus_score([p for p, _ in pairs], [[g for _, g in pairs]]).score / 100
    out = {"seconds": seconds, "bleu": bleus, "rouge_l": rouges, "corpus_bleu": whole}
    json.dump(out, open(sys.argv[2], "w", encoding="utf-8"))


main()
