"""Records what a binary of Touchstone prints and writes, and compares two such records. `golden.sh` calls it.

    golden.py record BINARY OUT PAGES DATA    PAGES: folder with README.md and docs/; DATA: folder of the real data, which may be absent
    golden.py compare OUT1 OUT2

A record holds the outputs as they are. Only the comparison normalises; NORMALISED lists what.
"""

import collections
import difflib
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

RECIPES = ["quick", "grailqa++", "kqapro", "hard"]
SEEDS = [1, 2]
QUESTIONS = 2000
# Larger files, and files that are not text, are recorded by their hash.
LARGEST = 32 * 1024 * 1024
# The pages whose `sh` blocks are followed in an empty folder, as crates/cli/tests/docs.rs does.
FOLLOWED = ["ci.md", "recipes.md", "your-kb.md", "your-questions.md", "your-system.md"]

NORMALISED = """Normalised: seconds and microseconds, time stamps (also modification times and inodes in `verified` of a KB), paths of the
working folder, hashes and lengths in .touchstone.json (the files that it lists are compared themselves), names that
the SPARQL parser gives to `[]`. Nothing else."""


class Recorder:
    def __init__(self, binary, out, pages, data):
        self.binary, self.out = pathlib.Path(binary).resolve(), pathlib.Path(out).resolve()
        self.pages, self.data = pathlib.Path(pages).resolve(), pathlib.Path(data).resolve()
        # The path has the same length each time: tables are as wide as what they hold.
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="golden."))
        self.environment = {
            name: value for name, value in os.environ.items() if name != "COLUMNS" and not name.startswith("TOUCHSTONE_")
        }
        programs = self.work / "bin"
        programs.mkdir()
        (programs / "touchstone").symlink_to(self.binary)
        self.environment["PATH"] = f"{programs}:{self.environment['PATH']}"
        self.environment["TOUCHSTONE_CACHE"] = str(self.work / "cache")
        self.n_commands = 0

    def command(self, name, arguments, folder=None, shell=False):
        """Runs a command and records what it printed as `name`.txt."""
        program = ["sh", "-e", "-c", arguments] if shell else ["touchstone", *arguments]
        ran = subprocess.run(
            program, cwd=folder or self.work, env=self.environment, capture_output=True, stdin=subprocess.DEVNULL
        )
        shown = arguments if shell else shlex.join(program)
        text = b"$ " + shown.encode() + b"\n" + ran.stdout + b"--- standard error\n" + ran.stderr
        self.write(name + ".txt", text + b"--- exit code %d\n" % ran.returncode)
        self.n_commands += 1
        return ran.stdout

    def write(self, name, content):
        path = self.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def files(self, name, folder):
        """Records the files that commands have written to a folder (or one file)."""
        folder = pathlib.Path(folder)
        for path in [folder] if folder.is_file() else sorted(folder.rglob("*")):
            if not path.is_file() or path.is_symlink():
                continue
            target = name if folder.is_file() else f"{name}/{path.relative_to(folder)}"
            content = path.read_bytes()
            if len(content) > LARGEST or b"\0" in content[:4096] or not is_text(content):
                digest = hashlib.sha256(content).hexdigest()
                self.write(target + ".hash", f"{len(content)} bytes, SHA-256 {digest}\n".encode())
            else:
                self.write(target, content)

    def record(self):
        if self.out.exists():
            sys.exit(f"{self.out} is there already")
        self.out.mkdir(parents=True)
        self.write("work-folder", str(self.work).encode())
        try:
            for part in [self.record_pages, self.record_followed, self.record_builds, self.record_others, self.record_data]:
                started = time.monotonic()
                part()
                print(f"{part.__name__}: {time.monotonic() - started:.0f} s, {self.n_commands} commands so far", flush=True)
        finally:
            shutil.rmtree(self.work)

    def record_pages(self):
        """The `console` blocks of the README and of docs/, as crates/cli/tests/readme.rs plays them."""
        folder = self.work / "pages"
        shutil.copytree(self.pages, folder)
        (folder / "target").mkdir()
        pages = [folder / "README.md", *sorted((folder / "docs").glob("*.md"))]
        for page in pages:
            blocks = page.read_text().split("```")[1::2]
            commands = [
                line.removeprefix("$ touchstone ")
                for block in blocks
                if block.startswith("console\n")
                for line in block.splitlines()
                if line.startswith("$ touchstone ")
            ]
            for number, command in enumerate(commands):
                self.command(f"pages/{page.name}/{number:02}", words(command), folder)
        self.files("pages/files", folder / "target")

    def record_followed(self):
        """The pages that are followed: a block with a file name is a file, a block of `sh` is run."""
        for page in FOLLOWED:
            folder = self.work / "followed" / page
            (folder / "docs").mkdir(parents=True)
            shutil.copy(self.pages / "docs/elements.ttl", folder / "docs/elements.ttl")
            number = 0
            for block in (self.pages / "docs" / page).read_text().split("```")[1::2]:
                info, body = block.split("\n", 1)
                match info.split():
                    case ["sh"]:
                        self.command(f"followed/{page}/{number:02}", body, folder, shell=True)
                        number += 1
                    case [_, name]:
                        (folder / name).write_text(body)
            shutil.rmtree(folder / "docs")
            self.files(f"followed/{page}/files", folder)

    def record_builds(self):
        for recipe in RECIPES:
            for seed in SEEDS:
                name = f"build/{recipe}-{seed}"
                out = self.work / name
                wanted = ["--questions", str(QUESTIONS), "--seed", str(seed), "--out", str(out)]
                self.command(name, ["build", recipe, *wanted])
                self.files(name, out)
            benchmark = ["--benchmark", str(self.work / f"build/{recipe}-1")]
            self.command(f"measures/axioms-{recipe}", ["axioms", *benchmark, "--limit", "100", "--all", "--json"])
            self.command(f"measures/sensitivity-{recipe}", ["sensitivity", *benchmark, "--json"])
            for transform in ["T1", "T2", "T3", "drop", "flip", "function"]:
                spoilt = self.work / f"{recipe}-{transform}.jsonl"
                arguments = ["--transform", transform, "--share", "0.5", "--out", str(spoilt)]
                self.command(f"measures/degrade-{recipe}-{transform}", ["degrade", *benchmark, *arguments])
                self.grade(f"grade/{recipe}-{transform}", [*benchmark, "--predictions", str(spoilt)])
            self.command(f"build/{recipe}-lint", ["lint", benchmark[1]])
            self.command(f"build/{recipe}-stats", ["stats", benchmark[1], "--json"])

    def record_others(self):
        """What else can be done with a benchmark and with grades."""
        quick = str(self.work / "build/quick-1")
        for form in ["grailqa", "kqapro", "qald", "nspm", "parquet"]:
            out = str(self.work / "export" / form)
            self.command(f"export/{form}", ["export-dataset", quick, "--format", form, "--out", out])
            self.files(f"export/{form}", out)
        out = str(self.work / "mix")
        hard = str(self.work / "build/hard-1")
        self.command("mix", ["mix", hard, "--against", quick, "--level", "all", "--kb", "world", "--out", out])
        self.files("mix", out)
        neighbours = str(self.work / "neighbours.jsonl")
        self.command("robust/distil", ["distil", "--benchmark", quick, "--limit", "100", "--out", neighbours])
        self.files("robust/neighbours.jsonl", neighbours)
        spoilt = str(self.work / "quick-function.jsonl")
        self.grade("robust/grade", ["--benchmark", quick, "--predictions", spoilt, "--robust", neighbours])
        runs = [str(self.work / f"grade/quick-{transform}") for transform in ["T1", "T2", "drop"]]
        self.command("compare/table", ["compare", *runs, "--by", "level"])
        self.command("compare/json", ["compare", *runs, "--json"])
        self.command("compare/regress", ["regress", "--benchmark", quick, "--grades", runs[2], "--json"])
        page = str(self.work / "report.html")
        self.command("compare/report", ["report", *runs, "--out", page])
        self.files("compare/report.html", page)
        statistics = str(self.work / "stats.html")
        self.command("compare/stats", ["stats", quick, "--html", statistics])
        self.files("compare/stats.html", statistics)

    def grade(self, name, arguments):
        out = self.work / name
        self.command(name, ["grade", *arguments, "--out", str(out)])
        self.files(name, out)

    def record_data(self):
        if not self.data.is_dir():
            print(f"skipped: there is no folder {self.data}, so nothing is recorded on real data")
            return
        # A link: its path has the same length wherever the data is.
        data = self.work / "data"
        data.symlink_to(self.data)
        self.imports(data)
        self.forms(data)
        self.grades(data)

    def imports(self, data):
        for name, arguments in {
            "freebase": ["--from", "rdf", "--profile", "freebase", f"{data}/freebase/mini.nt"],
            "kopl": ["--from", "kqapro", f"{data}/kqapro/kopl_example_kb.json"],
            **{path.stem: [f"{data}/rdf/{path.name}"] for path in sorted((self.data / "rdf").iterdir())},
        }.items():
            kb = self.work / "kb" / name
            self.command(f"kb/{name}-import", ["kb", "import", *arguments, "--out", str(kb)])
            if not kb.exists():
                continue
            self.files(f"kb/{name}", kb)
            self.command(f"kb/{name}-info", ["kb", "info", "--kb", str(kb), "--schema", "--json"])
            for form in ["nt", "lines"]:
                out = self.work / f"kb/{name}.{form}"
                self.command(f"kb/{name}-{form}", ["kb", "export", "--kb", str(kb), "--format", form, "--out", str(out)])
                if out.exists():
                    self.files(f"kb/{name}.{form}", out)
        for name, arguments in {
            "grailqa": ["--train", f"{data}/grailqa/train_sample.json", "--dev", f"{data}/grailqa/dev.json"],
            "cwq": ["--test", f"{data}/cwq/test.json"],
            "kqapro": ["--train", f"{data}/kqapro/train_first100.json"],
            "lcquad": ["--train", f"{data}/lcquad/train.json"],
        }.items():
            out = self.work / "datasets" / name
            ontology = ["--ontology", f"{data}/freebase"] if name in ("grailqa", "cwq") else []
            self.command(f"datasets/{name}", ["import-dataset", "--format", name, *arguments, *ontology, "--out", str(out)])
            self.files(f"datasets/{name}", out)

    def forms(self, data):
        ontology = ["--ontology", f"{data}/freebase"]
        sources = {
            "grailqa-dev": ("grailqa", "grailqa/dev.json", ontology),
            "grailqa-train": ("grailqa", "grailqa/train_sample.json", ontology),
            "cwq-test": ("cwq", "cwq/test.json", ontology),
            "kqapro-100": ("kqapro", "kqapro/train_first100.json", []),
            "kqapro-sparql": ("sparql", "kqapro/train_sparql.jsonl", []),
            "lcquad": ("lcquad", "lcquad/train.json", []),
            **{f"human-{path.stem}": ("sparql", f"human/{path.name}", []) for path in sorted((self.data / "human").iterdir())},
        }
        for name, (form, path, known) in sources.items():
            file = f"{data}/{path}"
            self.command(f"shape/{name}", ["shape", "--format", form, file, *known])
            self.command(f"shape/{name}-each", ["shape", "--format", form, "--per-question", file, *known])
            for language in ["sexpr", "kopl", "sparql"]:
                self.command(f"convert/{name}-{language}", ["convert", "--from", form, "--to", language, "--json", file, *known])
        level = ["level", "--train", f"{data}/grailqa/train_sample.json", "--test", f"{data}/grailqa/dev.json"]
        self.command("level/grailqa", [*level, "--per-question"])
        self.command("level/grailqa-inverse", [*level, "--inverse-rule", *ontology, "--per-question"])
        pictures = self.work / "pictures"
        self.command("shape/pictures", ["shape", "--svg", str(pictures), f"{data}/cwq/test.json"])
        self.files("shape/pictures", pictures)

        gold = {str(q["qid"]): q["s_expression"] for q in read_json(self.data / "grailqa/dev.json")}
        predicted = read_lines(self.data / "grailqa/bert_ranking_1000.jsonl")
        pairs = [{"id": p["qid"], "gold": gold[str(p["qid"])], "predicted": p["logical_form"]} for p in predicted]
        write_lines(self.work / "grailqa-pairs.jsonl", pairs)
        answered = [p for p in read_lines(self.data / "llm-sparql/predictions.jsonl") if p["predicted"]]
        pairs = [{"id": n, "gold": p["gold"], "predicted": p["predicted"]} for n, p in enumerate(answered)]
        write_lines(self.work / "llm-pairs.jsonl", pairs)
        for name, arguments in {
            "grailqa-official": ["--mode", "official", *ontology, "grailqa-pairs.jsonl"],
            "grailqa-legacy": ["--mode", "official", "--legacy", *ontology, "grailqa-pairs.jsonl"],
            "grailqa-canonical": ["--mode", "canonical", *ontology, "grailqa-pairs.jsonl"],
            "llm-canonical": ["--mode", "canonical", "llm-pairs.jsonl"],
        }.items():
            self.command(f"match/{name}", ["match", *arguments])
            self.command(f"match/{name}-each", ["match", "--json", *arguments])

    def grades(self, data):
        known = ["--kb", str(self.work / "kb/freebase"), "--ontology", f"{data}/freebase"]
        grailqa = ["--dataset", f"grailqa:{data}/grailqa/dev.json"]
        baseline = ["--predictions", f"{data}/grailqa/bert_ranking_1000.jsonl", "--only-predicted"]
        self.grade("grade/grailqa", [*grailqa, *known, *baseline, "--compat", "grailqa"])
        self.grade("grade/grailqa-no-kb", [*grailqa, "--kb", "none", *baseline])
        cwq = ["--dataset", f"cwq:{data}/cwq/executable_on_mini_1000.json"]
        self.command("measures/axioms-cwq", ["axioms", *cwq, *known, "--limit", "100", "--all", "--json"])
        self.command("measures/sensitivity-cwq", ["sensitivity", *cwq, *known, "--json"])
        self.command("measures/sensitivity-grailqa", ["sensitivity", *grailqa, *known, "--json"])

        queries = [{"id": q["qid"], "lang": "sexpr", "query": q["s_expression"]} for q in read_json(self.data / "grailqa/dev.json")]
        cwq = read_json(self.data / "cwq/executable_on_mini_1000.json")
        queries += [{"id": n, "lang": "sparql", "query": q["sparql"]} for n, q in enumerate(cwq) if "sparql" in q]
        write_lines(self.work / "queries.jsonl", queries)
        out = self.work / "results.jsonl"
        self.command("query/batch", ["query", *known[:2], "--batch", "queries.jsonl", "--out", str(out)])
        self.files("query/results.jsonl", out)

        predictions = read_lines(self.data / "llm-sparql/predictions.jsonl")
        lines = [{"id": str(n), "question": p["question"], "sparql": p["gold"]} for n, p in enumerate(predictions)]
        write_lines(self.work / "llm.jsonl", lines)
        lines = [{"id": str(n), "logical_form": p["predicted"], "lang": "sparql"} for n, p in enumerate(predictions) if p["predicted"]]
        write_lines(self.work / "llm-predictions.jsonl", lines)
        out = str(self.work / "datasets/llm")
        self.command("datasets/llm", ["import-dataset", "--format", "lines", "--test", "llm.jsonl", "--name", "llm", "--out", out])
        self.files("datasets/llm", out)
        options = ["--kb", "none", "--predictions", "llm-predictions.jsonl", "--only-predicted", "--compat", "gek"]
        self.grade("grade/llm", ["--benchmark", out, *options])


def is_text(content):
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def words(line):
    """Splits a command line at blanks outside of double quotes."""
    found, quoted = [""], False
    for c in line:
        if c == '"':
            quoted = not quoted
        elif c == " " and not quoted:
            found.append("")
        else:
            found[-1] += c
    return found


def read_json(path):
    return json.loads(path.read_text())


def read_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def write_lines(path, records):
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))


NUMBER = r"-?[0-9][0-9.]*(?:e-?[0-9]+)?"
JSON_TIMES = re.compile(rf'("(?:seconds|micros|milliseconds|elapsed|latency)": ?)(?:{NUMBER}|\{{[^{{}}]*\}})')
# Names that the SPARQL parser chooses at random for `[]`, where a message quotes a pattern.
BLANK_NODE = re.compile(r"_:(?:[0-9a-f]{16,32}\b|[0-9a-f]*…)")
TIME_STAMP = re.compile(r'("(?:started|ended|finished)": ?)"[^"]*"')


def normalised(path, text, work):
    """The lines of a file without what may differ between two recordings: see NORMALISED."""
    text = text.replace(work, "WORK")
    if path.name == ".touchstone.json":
        text = re.sub(r'("(?:blake3|hash|bytes|length|size)": ?)("[0-9a-f]*"|[0-9]+)', r'\1"..."', text)
    if path.name == "verified":
        # Name, length, modification time and inode of each file.
        return [" ".join(line.split()[:2]) for line in text.split("\n")]
    text = BLANK_NODE.sub("_:...", text)
    text = TIME_STAMP.sub(r'\1"..."', JSON_TIMES.sub(r'\1"..."', text))
    # Mean, median, 95 % and total of the seconds per question, in tables of all formats.
    text = re.sub(rf"\bseconds((?:[ |,&]+{NUMBER}){{4}})", "seconds ...", text)
    lines, in_steps, in_usage, column = [], False, False, None
    for line in text.split("\n"):
        # As in crates/cli/tests/readme.rs: the seconds per question of a run, the steps of a query, times behind "in".
        in_usage = line.startswith(" per question ") or (in_usage and line.startswith((" ", "─")))
        in_steps = (line.startswith("step ") and " µs " in line) or (in_steps and line != "")
        column = line.find(" s/question ") + 1 or (column if line.startswith((" ", "─")) else None)
        if in_usage:
            line = (line.split() or [""])[0].replace("─", "")
        elif in_steps:
            line = " ".join(word for word in line.split() if not re.fullmatch(r"[0-9]+\.[0-9]+", word))
        elif column:
            line = " ".join((line[:column] + re.sub(r"^[0-9.]+", "...", line[column:])).split()).replace("─", "")
        else:
            line = re.sub(rf" in {NUMBER} s\b", " in ... s", line)
        lines.append(line)
    return lines


def json_changes(old, new, path=""):
    """Where two JSON values differ, as (path, old, new); positions in lists are not part of the path."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in list(old) + [key for key in new if key not in old]:
            if key not in new:
                yield f"{path}.{key}", old[key], "(absent)"
            elif key not in old:
                yield f"{path}.{key}", "(absent)", new[key]
            else:
                yield from json_changes(old[key], new[key], f"{path}.{key}")
        if list(old) != list(new) and sorted(old) == sorted(new):
            yield f"{path} (order of keys)", list(old), list(new)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for one, other in zip(old, new):
            yield from json_changes(one, other, f"{path}[]")
    elif old != new or type(old) is not type(new):
        yield path, old, new


def short(value):
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else text[:157] + "..."


def changes(path, old, new):
    """The differences between two lists of lines, as (what, old, new)."""
    if len(old) == len(new) and path.suffix in (".json", ".jsonl", ".txt", ".html"):
        for one, other in zip(old, new):
            if one == other:
                continue
            try:
                found = list(json_changes(json.loads(one), json.loads(other)))
            except ValueError:
                found = [("", one, other)]
            yield from found or [("spelling", one, other)]
        return
    if len(old) + len(new) > 20_000:
        removed, added = collections.Counter(old), collections.Counter(new)
        yield from (("", line, "(absent)") for line in (removed - added).elements())
        yield from (("", "(absent)", line) for line in (added - removed).elements())
        return
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield "", "\n    ".join(old[i1:i2]) or "(absent)", "\n    ".join(new[j1:j2]) or "(absent)"


def wording(old, new):
    """The words that differ between two texts, without what both have in common: a change of wording is the same in thousands of lines."""
    if not (isinstance(old, str) and isinstance(new, str)) or len(old) + len(new) > 4000:
        return None
    old, new = old.split(), new.split()
    parts = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            parts.append(f"{' '.join(old[i1:i2]) or '(nothing)'} -> {' '.join(new[j1:j2]) or '(nothing)'}")
    return "; ".join(parts)


def compare(first, second):
    print(NORMALISED)
    wordings = collections.defaultdict(collections.Counter)
    folders = [pathlib.Path(first), pathlib.Path(second)]
    works = [(folder / "work-folder").read_text() for folder in folders]
    names = [{str(p.relative_to(f)) for p in f.rglob("*") if p.is_file()} - {"work-folder"} for f in folders]
    n_different, seen = 0, {}
    for name in sorted(names[0] | names[1]):
        if name not in names[0] or name not in names[1]:
            n_different += 1
            print(f"only in {folders[0] if name in names[0] else folders[1]}: {name}")
            continue
        contents = [(folder / name).read_bytes() for folder in folders]
        if contents[0] == contents[1]:
            continue
        path = pathlib.Path(name)
        old, new = (normalised(path, c.decode(), w) for c, w in zip(contents, works))
        if old == new:
            continue
        n_different += 1
        kinds = collections.defaultdict(list)
        for what, one, other in changes(path, old, new):
            kinds[what].append((short(one), short(other)))
            wordings[wording(one, other) or "(not text)"][name] += 1
        print(f"differs: {name} ({sum(map(len, kinds.values()))} places)")
        for what, examples in kinds.items():
            for one, other in examples[:3]:
                earlier = seen.setdefault((what, one, other), name)
                if earlier == name:
                    print(f"  {what}\n  - {one}\n  + {other}")
                else:
                    print(f"  {what} as in {earlier}")
            if len(examples) > 3:
                print(f"  {what} and {len(examples) - 3} more")
    if wordings:
        print("\nThe same differences by the words that changed, most frequent first:")
    for words_changed, places in sorted(wordings.items(), key=lambda item: -sum(item[1].values()))[:200]:
        print(f"  {sum(places.values())} places in {len(places)} files, first {min(places)}: {short(words_changed)}")
    print(f"{len(names[0] | names[1])} files compared, {n_different} differ")
    return n_different


def main(arguments):
    match arguments:
        case ["record", binary, out, pages, data]:
            Recorder(binary, out, pages, data).record()
        case ["compare", first, second]:
            sys.exit(1 if compare(first, second) else 0)
        case _:
            sys.exit(__doc__)


main(sys.argv[1:])
