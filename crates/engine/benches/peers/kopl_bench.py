"""Measures the package KoPL 0.0.5.

usage: kopl_bench.py KB.json PROGRAMS.json OUT.json [SECONDS]

KB.json is a KB in KQA Pro's format; PROGRAMS.json an object of lists of programs in KQA Pro's format, by their kind. Each kind is warmed up
with its first programs, then runs in rounds for SECONDS (5 by default), at least one round. OUT.json becomes
{"engine", "load_seconds", "megabytes", "kinds": {kind: {"runs", "seconds_per_program", "median", "p95", "answers"}}};
the seconds are those of the best whole round; an answer is a text, a list of texts, or {"error": kind of the exception}.
"""

import contextlib
import io
import json
import resource
import sys
import time

WARM_UP = 20


def run(engine, program):
    try:
        return engine.forward(*program)
    except Exception as error:
        return {"error": type(error).__name__}


def measure(engine, programs, seconds):
    for program in programs[:WARM_UP]:
        run(engine, program)
    answers, times, rounds = [], [], []
    end = time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        first = len(times)
        for program in programs:
            start = time.perf_counter()
            answer = run(engine, program)
            times.append(time.perf_counter() - start)
            if len(answers) < len(programs):
                answers.append(answer)
            elif time.perf_counter() > end:
                break
        else:
            rounds.append(sum(times[first:]) / len(programs))
    ordered = sorted(times)
    return {
        "runs": len(times),
        "seconds_per_program": min(rounds),
        "median": ordered[len(ordered) // 2],
        "p95": ordered[int(len(ordered) * 0.95)],
        "answers": answers,
    }


def main(kb_path, programs_path, out_path, seconds="5"):
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
        result["kinds"][kind] = measure(engine, ready, float(seconds))
    with open(out_path, "w") as file:
        json.dump(result, file)


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    main(*sys.argv[1:])
