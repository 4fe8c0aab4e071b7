"""Measures the package KoPL 0.0.5.

usage: kopl_bench.py KB.json PROGRAMS.json OUT.json ROUNDS SECONDS

KB.json is a KB in KQA Pro's format; PROGRAMS.json an object of lists of programs in KQA Pro's format, by their kind. Of each kind the first
programs are taken that run within SECONDS, at least 20; that pass is the warm-up and gives the answers. Then they run ROUNDS times. OUT.json
becomes {"engine", "load_seconds", "megabytes", "kinds": {kind: {"programs", "seconds_per_program", "answers"}}}: the seconds are those of
the best round; an answer is a text, a list of texts, or {"error": kind of the exception}.
"""

import contextlib
import io
import json
import resource
import sys
import time

FEWEST = 20


def run(engine, program):
    try:
        return engine.forward(*program)
    except Exception as error:
        return {"error": type(error).__name__}


def measure(engine, programs, rounds, seconds):
    answers = []
    end = time.perf_counter() + seconds
    for program in programs:
        if len(answers) >= FEWEST and time.perf_counter() > end:
            break
        answers.append(run(engine, program))
    programs = programs[: len(answers)]
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        for program in programs:
            run(engine, program)
        best = min(best, time.perf_counter() - start)
    return {"programs": len(programs), "seconds_per_program": best / len(programs), "answers": answers}


def main(kb_path, programs_path, out_path, rounds, seconds):
    start = time.perf_counter()
    # The package prints its progress.
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        from kopl.kopl import KoPLEngine

        with open(kb_path) as file:
            engine = KoPLEngine(json.load(file))
    load = time.perf_counter() - start
    with open(programs_path) as file:
        kinds = json.load(file)
    result = {
        "engine": "KoPL 0.0.5",
        "load_seconds": load,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "kinds": {},
    }
    for kind, programs in kinds.items():
        ready = [([s["function"] for s in program], [s["inputs"] for s in program]) for program in programs]
        result["kinds"][kind] = measure(engine, ready, int(rounds), float(seconds))
    with open(out_path, "w") as file:
        json.dump(result, file)


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
