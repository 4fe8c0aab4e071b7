"""Verdicts and coefficients of agreement from journals, computed without Touchstone.

    python agreement.py PROJECTS OUT

PROJECTS has a JSON line for each project: its rules, its tasks and the records of its journal. OUT gets a JSON line for each.
"""

import json
import sys
import warnings

import krippendorff
import numpy
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa
from statsmodels.stats.proportion import proportion_confint


def judged_texts(project):
    """For each text in the order of its record: task, number, author and live judgements in their order."""
    undone = {r["body"]["of"] for r in project["records"] if r["kind"] == "undone"}
    texts = {}
    for task in project["tasks"]:
        if task.get("text") is not None:
            texts[(task["id"], 0)] = []
    for record in project["records"]:
        if record["n"] in undone:
            continue
        if record["kind"] == "paraphrased":
            texts[(record["task"], record["n"])] = []
        elif record["kind"] == "judged":
            body = record["body"]
            texts[(record["task"], body["of"])].append((record["by"], body["same"], body["fluency"]))
    return texts


def text_verdict(rules, judgements):
    counted = judgements[: rules["judges"]]
    if len(counted) < rules["judges"]:
        return "waiting"
    yes = sum(same == "yes" for _, same, _ in counted)
    no = sum(same == "no" for _, same, _ in counted)
    mean = sum(fluency for _, _, fluency in counted) / len(counted)
    if yes >= rules["min_same"]:
        return "approved" if mean >= rules["min_fluency"] else "rejected"
    # Even if everybody else said yes it could not be approved.
    if len(counted) - no < rules["min_same"]:
        return "rejected"
    return "disputed"


def task_verdict(project, task, texts):
    rules = project["rules"]
    undone = {r["body"]["of"] for r in project["records"] if r["kind"] == "undone"}
    if any(r["kind"] == "confusing" and r.get("task") == task["id"] and r["n"] not in undone for r in project["records"]):
        return "removed" if rules["confusing_removes"] else "disputed"
    own = [(n, j) for (of, n), j in texts.items() if of == task["id"]]
    attempts = 1 if task.get("text") is not None else rules["paraphrase"]["attempts"]
    verdict = "waiting"
    for _, judgements in own[:attempts]:
        verdict = text_verdict(rules["judge"], judgements)
        if verdict != "rejected":
            break
    else:
        if len(own) < attempts:
            verdict = "waiting"
    if task.get("expected") == "no" and verdict == "approved":
        verdict = "disputed"
    return verdict


def coefficients(rows, level):
    """Of rows of {person: value}."""
    people = sorted({person for row in rows for person in row})
    matrix = numpy.array([[row.get(person, numpy.nan) for row in rows] for person in people], dtype=float)
    result = {}
    values = {value for row in rows if len(row) > 1 for value in row.values()}
    if len(values) > 1:
        result["alpha"] = float(krippendorff.alpha(reliability_data=matrix, level_of_measurement=level))
        result["interval"] = float(krippendorff.alpha(reliability_data=matrix, level_of_measurement="interval"))
    several = [row for row in rows if len(row) > 1]
    if len({len(row) for row in several}) == 1 and len(values) > 1:
        order = sorted(values)
        table = [[list(row.values()).count(value) for value in order] for row in several]
        result["fleiss"] = float(fleiss_kappa(numpy.array(table), method="fleiss"))
    result["pairs"] = {}
    for at, a in enumerate(people):
        for b in people[at + 1 :]:
            common = [(row[a], row[b]) for row in rows if a in row and b in row]
            order = sorted({value for pair in common for value in pair})
            if len(common) < 10 or len(order) < 2:
                continue
            table = numpy.zeros((len(order), len(order)))
            for x, y in common:
                table[order.index(x), order.index(y)] += 1
            result["pairs"][f"{a} {b}"] = float(cohens_kappa(table).kappa)
    return result


def main(projects, out):
    warnings.simplefilter("ignore")
    with open(projects) as lines, open(out, "w") as results:
        for line in lines:
            project = json.loads(line)
            texts = judged_texts(project)
            verdicts = {task["id"]: task_verdict(project, task, texts) for task in project["tasks"]}
            controls = {task["id"] for task in project["tasks"] if task.get("role") == "control"}
            counted = [j for (task, _), j in texts.items() if task not in controls and j]
            number = {"yes": 1, "no": 2, "unsure": 3}
            same = coefficients([{by: number[said] for by, said, _ in row} for row in counted], "nominal")
            fluency = coefficients([{by: value for by, _, value in row} for row in counted], "ordinal")
            approved = sum(verdict == "approved" for verdict in verdicts.values())
            low, high = proportion_confint(approved, len(verdicts), method="wilson")
            result = {"verdicts": verdicts, "same": same, "fluency": fluency, "wilson": [low, high]}
            results.write(json.dumps(result) + "\n")


main(*sys.argv[1:3])
