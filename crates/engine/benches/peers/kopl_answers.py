"""Answers of the package KoPL 0.0.5, for comparison with ours.

usage: PYTHONHASHSEED=N kopl_answers.py KB.json PROGRAMS.json ANSWERS.json

KB.json is a KB in KQA Pro's format, PROGRAMS.json a list of programs in KQA Pro's format. ANSWERS.json becomes a list of
{"answer": text or list of texts} and {"error": kind of the exception}, in the same order.
The order of Python's sets depends on PYTHONHASHSEED, and with it the answers to some programs.
"""

import contextlib
import io
import json
import sys


def main(kb_path, programs_path, answers_path):
    # The package prints its progress.
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        from kopl.kopl import KoPLEngine

        with open(kb_path) as file:
            engine = KoPLEngine(json.load(file))
    with open(programs_path) as file:
        programs = json.load(file)
    answers = []
    for program in programs:
        functions = [step["function"] for step in program]
        inputs = [step["inputs"] for step in program]
        try:
            answers.append({"answer": engine.forward(functions, inputs)})
        except Exception as error:  # whatever it is, it is what we want to know
            answers.append({"error": type(error).__name__})
    with open(answers_path, "w") as file:
        json.dump(answers, file)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
