// Tables by facet, the heat map of shape and function, and the confusion matrix of shapes.

/// Fewer questions say too little to call a difference significant.
const MIN_QUESTIONS = 10;

function scoreCell(score, test, run) {
  if (!score) return make("td", { class: "soft", text: "–" });
  const [n, mean, low, high] = score;
  const significant = test && test[3] < 0.05 && n >= MIN_QUESTIONS;
  const chip = test && make("span", { class: `chip ${significant ? (test[0] > 0 ? "good" : "bad") : "plain"}`, title: `${probability(test[3])}, 95 % interval ${three(test[1])} to ${three(test[2])}`, text: signed(test[0]) });
  return make("td", { class: `score line-${run % 8}` }, make("p", {}, make("b", { text: three(mean) }), " ", chip), intervalBar(score), make("small", { text: `${three(low)}–${three(high)}`, title: counted(n, "question", "questions") }));
}

function showFacet() {
  const at = Number(byId("measure").value);
  const facet = data.facets[Number(byId("facet").value)];
  if (!facet) return byId("breakdown").remove();
  const reference = data.runs[data.reference].name;
  const headings = [facet.name, make("th", { class: "n", scope: "col", text: "n" }), ...data.runs.map((run, number) => make("span", {}, swatch(number), run.name))];
  const rows = facet.values.map((value) => [
    make("th", { scope: "row" }, make("a", { href: listAddress({ [facet.name]: value.v }), title: "the questions" }, facetNode(facet.name, value.v))),
    make("td", { class: "n", text: grouped(value.n) }),
    ...data.runs.map((_, run) => scoreCell(value.s[at][run], value.t[at][run], run)),
  ]);
  const tests = facet.values.flatMap((value) => value.t[at]).filter(Boolean).length;
  byId("facet-note").textContent = `${measureAt(data.by[at]).label} with 95 % intervals.` + (tests ? ` Differences are from ${reference}; coloured ones are significant after correction for the ${tests} comparisons of this table, over at least ${MIN_QUESTIONS} questions.` : "");
  byId("facet-body").replaceChildren(table({ class: "scores" }, headings, rows));
}

/// Low scores are orange, high ones blue, and those in the middle have no colour.
function heatColour(value) {
  const at = clamped(value);
  const [from, to, part] = at < 0.5 ? ["low", "middle", at * 2] : ["middle", "high", at * 2 - 1];
  return `color-mix(in oklab, var(--heat-${to}) ${(part * 100).toFixed(0)}%, var(--heat-${from}))`;
}

function showHeat() {
  const at = Number(byId("heat-measure").value);
  const run = Number(byId("heat-run").value);
  const { functions, shapes, cells } = data.heat[run] || { functions: [], shapes: [], cells: [] };
  if (functions.length === 0) {
    byId("heat-note").textContent = "The runs are not graded by function (`grade --by function`).";
    return byId("heat-body").replaceChildren();
  }
  byId("heat-note").textContent = `${measureAt(data.by[at]).label} of ${data.runs[run].name}: orange is low, blue is high. A cell leads to its questions.`;
  const cell = (score, shape, f) => {
    if (!score) return make("td", { class: "none" }, make("span", { class: "unseen", text: "no questions" }));
    const [n, mean, low, high] = score;
    const box = make("td", { class: "heat" });
    box.style.background = heatColour(mean);
    const address = listAddress({ shape: shapes[shape], function: functions[f], run });
    box.append(make("a", { href: address, title: `${three(low)} to ${three(high)}` }, make("b", { text: mean.toFixed(2) }), make("small", { text: `n ${grouped(n)}` })));
    return box;
  };
  const rows = shapes.map((shape, row) => [shapeName(shape), ...functions.map((_, f) => cell(cells[row][f][at], row, f))]);
  byId("heat-body").replaceChildren(table({ class: "matrix" }, ["shape", ...functions.map(words)], rows));
}

const MAX_CONFUSED = 12;

function showConfusion() {
  const run = Number(byId("confusion-run").value);
  const confusion = data.runs[run].confusion;
  const total = (counts) => Object.values(counts).reduce((sum, n) => sum + n, 0);
  const gold = Object.keys(confusion).sort((a, b) => total(confusion[b]) - total(confusion[a]));
  if (gold.length === 0) {
    byId("confusion-note").textContent = `${data.runs[run].name} predicts no logical forms, or their shapes were not recorded.`;
    return byId("confusion-body").replaceChildren();
  }
  const guessed = new Map();
  for (const counts of Object.values(confusion)) for (const [shape, n] of Object.entries(counts)) guessed.set(shape, (guessed.get(shape) || 0) + n);
  const rowShapes = gold.slice(0, MAX_CONFUSED);
  // In the order of the rows, so that the diagonal is one.
  const frequent = [...guessed.keys()].sort((a, b) => guessed.get(b) - guessed.get(a)).slice(0, MAX_CONFUSED);
  const columns = [...rowShapes.filter((shape) => frequent.includes(shape)), ...frequent.filter((shape) => !rowShapes.includes(shape))];
  const same = gold.reduce((sum, shape) => sum + (confusion[shape][shape] || 0), 0);
  const all = gold.reduce((sum, shape) => sum + total(confusion[shape]), 0);
  byId("confusion-note").textContent = `${data.runs[run].name} predicts the right shape for ${grouped(same)} of ${grouped(all)} questions with a form (${((100 * same) / all).toFixed(0)} %). Rows are gold, columns are predictions; the right ones are framed.`;
  const rows = rowShapes.map((shape) => [
    shapeName(shape),
    ...columns.map((guess) => {
      const n = confusion[shape][guess] || 0;
      const box = make("td", { class: `heat${shape === guess ? " same" : ""}${n ? "" : " none"}` });
      if (n === 0) return box;
      const part = n / total(confusion[shape]);
      const colour = shape === guess ? "--heat-high" : "--heat-low";
      box.style.background = `color-mix(in oklab, var(${colour}) ${(100 * part).toFixed(0)}%, var(--panel))`;
      box.append(make("b", { text: grouped(n) }), make("small", { text: `${(100 * part).toFixed(0)} %` }));
      return box;
    }),
  ]);
  byId("confusion-body").replaceChildren(table({ class: "matrix" }, ["gold", ...columns.map((guess) => (guess === "INVALID" ? "unreadable" : shapeName(guess)))], rows));
}

function startBreakdowns() {
  const measures = data.by.map((at, number) => [number, measureAt(at).label]);
  const runs = data.runs.map((run, number) => [number, run.name]);
  options(byId("measure"), measures, 0);
  options(byId("heat-measure"), measures, 0);
  options(byId("facet"), data.facets.map((facet, number) => [number, words(facet.name)]), 0);
  options(byId("heat-run"), runs, data.focus);
  options(byId("confusion-run"), runs, data.focus);
  byId("measure").addEventListener("change", showFacet);
  byId("facet").addEventListener("change", showFacet);
  byId("heat-measure").addEventListener("change", showHeat);
  byId("heat-run").addEventListener("change", showHeat);
  byId("confusion-run").addEventListener("change", showConfusion);
  if (data.runs.length === 0 || data.by.length === 0) return;
  showFacet();
  showHeat();
  showConfusion();
}
