#!/usr/bin/env python3
"""Kills every command that writes, many times, and checks what is left.

    tools/kill/test.py target/debug/touchstone [KILLS]

With a debug build, two of three kills are at the failpoints between the first write and the end; the rest are at random moments. After each
kill the output must be the old version or the new one, whole; nothing else may have changed; at most one leftover may lie there; and in the
end the command must work and leave nothing behind.
"""
import os, random, shutil, subprocess, sys, tempfile, time
from pathlib import Path

PROGRAM = str(Path(sys.argv[1]).resolve())
KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else 200
ROOT = Path(__file__).resolve().parents[2]
FOLDER = ["staging-created", "staging-owned", "staged", "before-commit", "after-commit", "placed", "placed:2", "marked", "clearing", "cleared"]
FILE = ["file-created", "file-written", "file-remembered", "file-remembered:2"]
random.seed(19)
work = Path(tempfile.mkdtemp(prefix="kill"))
environment = {key: value for key, value in os.environ.items() if not key.startswith("TOUCHSTONE_")}
environment["TOUCHSTONE_CACHE"] = str(work / "cache")


def start(words, failpoint=None):
    more = {"TOUCHSTONE_FAILPOINT": failpoint} if failpoint else {}
    return subprocess.Popen([PROGRAM, *map(str, words)], cwd=ROOT, env=environment | more, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def must(words):
    done = subprocess.run([PROGRAM, *map(str, words)], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)


def is_own(name):
    return name in (".touchstone.json", ".touchstone-staging", "verified") or name.endswith(".touchstone-partial")


def content(place):
    if place.is_file():
        return {"": place.read_bytes()}
    files = (path for path in place.rglob("*") if path.is_file() and not any(map(is_own, path.relative_to(place).parts)))
    return {str(path.relative_to(place)): path.read_bytes() for path in files}


def leftovers(folder):
    return [name for name in os.listdir(folder) if name.startswith(".") and "touchstone-" in name]


def check(name, out, commands, reader, failpoints, among=False):
    """Two versions of an output, each written by its command."""
    versions = []
    for command in commands:
        began = time.monotonic()
        must(command)
        took = time.monotonic() - began
        versions.append(content(out))
    assert versions[0] != versions[1], name
    (out.parent / f".{out.name}.old").mkdir()
    (out.parent / f".{out.name}.old" / "backup").write_text("precious")
    (out.parent / f".{out.name}.lock").write_text("precious")
    if among:
        (out / "NOTES.md").write_text("precious")
        versions = [version | {"NOTES.md": b"precious"} for version in versions]
    beside = lambda: {path: data for path, data in content(out.parent).items() if not path.split("/")[0] == out.name}
    around = beside()
    old = new = killed = mixed = 0
    for number in range(KILLS):
        now = int(content(out) == versions[1])
        failpoint = failpoints[number % len(failpoints)] if number % 3 and failpoints else None
        child = start(commands[1 - now], failpoint)
        if failpoint is None:
            time.sleep(random.uniform(0, took))
            child.kill()
        killed += child.wait() != 0
        if reader:
            must(reader)
        found = content(out)
        if found == versions[now]:
            old += 1
        elif found == versions[1 - now]:
            new += 1
        else:
            # Only others read it: each file is whole, and the next command finishes the set.
            assert not reader and out.is_dir(), (name, number, failpoint, "neither old nor new")
            assert all(data in (version.get(file) for version in versions) for file, data in found.items()), (name, number)
            mixed += 1
            must(commands[now])
        assert beside() == around, (name, number, failpoint, "something next to it changed")
        assert len(leftovers(out if out.is_dir() else out.parent)) <= 1, (name, number, failpoint)
    for command, version in zip(commands, versions):
        must(command)
        assert content(out) == version, name
    assert not leftovers(out.parent) and not (out.is_dir() and leftovers(out)), name
    print(f"{name}: {KILLS} times, {killed} killed; old {old}, new {new}, half for others {mixed}", flush=True)


def check_run(bench):
    """A run that is killed again and again loses nothing and repeats nothing."""
    command = lambda out: ["run", "degraded:T2:0.5", "--benchmark", bench, "--out", out]
    lines = lambda out: sorted((out / "predictions.jsonl").read_text().splitlines())
    began = time.monotonic()
    must(command(work / "whole"))
    took = time.monotonic() - began
    killed = 0
    for number in range(KILLS):
        out = work / f"run{number // 20}"
        failpoint = random.choice(["run-locked", "file-created", "file-written"]) if number % 4 == 0 else None
        child = start(command(out), failpoint)
        if failpoint is None:
            time.sleep(random.uniform(0, took))
            child.kill()
        killed += child.wait() != 0
        assert not out.is_dir() or len(leftovers(out)) <= 1
        if number % 20 == 19:
            must(command(out))
            assert lines(out) == lines(work / "whole") and not leftovers(out), number
    print(f"run: {KILLS} times, {killed} killed; every run complete in the end", flush=True)


def main():
    place = lambda name: (work / name).mkdir() or work / name / "out"
    for seed in (1, 2):
        must(["build", "quick", "--questions", 60, "--seed", seed, "--out", work / f"b{seed}"])
    bench = work / "b1"
    for force in ([], ["--force"]):
        out = place("build" + "".join(force))
        commands = [["build", "quick", "--questions", 60, "--seed", seed, "--out", out, *force] for seed in (1, 2)]
        check("build " + "".join(force), out, commands, ["stats", out, "--json"], FOLDER, bool(force))
        out = place("kb" + "".join(force))
        commands = [["kb", "import", "--from", "rdf", f"docs/{name}.ttl", "--out", out, *force] for name in ("example", "elements")]
        check("kb import " + "".join(force), out, commands, ["kb", "info", "--kb", out, "--json"], FOLDER, bool(force))
    out = place("mix")
    commands = [["mix", bench, "--against", bench, "--level", "all", "--name", name, "--out", out] for name in ("one", "two")]
    check("mix", out, commands, ["stats", out, "--json"], FOLDER)
    out = place("export")
    commands = [["export-dataset", work / f"b{seed}", "--format", "grailqa", "--out", out] for seed in (1, 2)]
    check("export-dataset", out, commands, None, FOLDER, True)
    train = out / "train.json"
    out = place("import")
    commands = [["import-dataset", "--format", "grailqa", "--train", train, "--name", name, "--kb", "world", "--out", out] for name in ("one", "two")]
    check("import-dataset", out, commands, ["stats", out, "--json"], FOLDER)
    for name, system in (("r1", "oracle"), ("r2", "degraded:T2:0.5")):
        must(["run", system, "--benchmark", bench, "--out", work / name])
    out = place("grade")
    commands = [["grade", "--benchmark", bench, "--predictions", work / name, "--out", out] for name in ("r1", "r2")]
    check("grade", out, commands, ["compare", out, out, "--json"], FOLDER, True)
    for name in ("r1", "r2"):
        must(["grade", "--benchmark", bench, "--predictions", work / name, "--out", work / name])
    out = place("report")
    check("report", out, [["report", work / name, "--out", out] for name in ("r1", "r2")], None, FILE)
    must(["kb", "import", "--from", "rdf", "docs/example.ttl", "--out", work / "example"])
    out = place("kbexport")
    check("kb export", out, [["kb", "export", "--kb", work / "example", "--format", form, "--out", out] for form in ("nt", "lines")], None, FILE)
    check_run(bench)
    shutil.rmtree(work)


main()
