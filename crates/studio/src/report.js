"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "text") element.textContent = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
};
const three = (value) => (value === null || value === undefined || Number.isNaN(value) ? "" : value.toFixed(3));
const grouped = (n) => n.toLocaleString("en");
const several = data.runs.length > 1;
const usual = ["em_canonical", "em_official", "em_string", "bleu", "rouge_l", "f1_sem", "f1_tri", "f1_aligned", "f1_inverse", "exec", "em_answer", "precision", "recall", "f1", "accuracy", "hits_1", "mrr", "kqapro_accuracy", "choice_accuracy", "gek_1", "gek_2", "gek_3"];
const measures = [...usual.filter((name) => data.measures.includes(name)), ...data.measures.filter((name) => !usual.includes(name))];
const place = Object.fromEntries(data.measures.map((name, at) => [name, at]));
const colours = { answered: "#3f8f5f", abstained: "#8a93a0", unparsable: "#c25b4e", failed_to_execute: "#d98a3d", over_budget: "#b9a13a", system_error: "#7d5aa6", missing: "#4a4f57" };
const words = (text) => text.replaceAll("_", " ");
const facetNames = [...new Set(data.questions.flatMap((question) => Object.keys(question.f)))];
const facetValues = (question, facet) => (facet === "shape" ? [question.s] : question.f[facet] || []);

function table(headings, rows) {
  const head = make("tr", {}, ...headings.map((text) => make("th", { text })));
  const body = rows.map((cells) => make("tr", {}, ...cells.map((cell) => (cell instanceof Node ? cell : make("td", { text: cell })))));
  return make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
}

function whisker(score) {
  const at = (value) => `${Math.max(0, Math.min(1, value)) * 100}%`;
  const outer = make("span", { class: "whisker", role: "img", "aria-label": `${three(score.low)} to ${three(score.high)}` });
  const range = make("i");
  range.style.left = at(score.low);
  range.style.right = `${(1 - Math.max(0, Math.min(1, score.high))) * 100}%`;
  const mean = make("b");
  mean.style.left = at(score.mean);
  outer.append(range, mean);
  return outer;
}

function showScores() {
  const headings = ["measure", "n", ...data.runs.flatMap((run) => [several ? run.name : "all questions", "95 % interval", "answered"])];
  const rows = measures
    .filter((name) => data.runs.some((run) => run.summary.measures && run.summary.measures[name]))
    .map((name) => {
      const scores = data.runs.map((run) => run.summary.measures[name]);
      const first = scores.find((score) => score);
      return [
        make("td", { text: words(name) }),
        grouped(first.n),
        ...scores.flatMap((score) => {
          if (!score) return ["", "", ""];
          const interval = make("td", {}, name === "perplexity" ? "" : whisker(score), make("small", { text: ` ${three(score.low)}–${three(score.high)}` }));
          return [make("td", {}, make("strong", { text: three(score.mean) })), interval, score.answered ? three(score.answered.mean) : ""];
        }),
      ];
    });
  byId("scores-body").append(table(headings, rows));
}

function showOutcomes() {
  const seen = new Set();
  for (const run of data.runs) {
    const outcomes = run.summary.outcomes || {};
    const total = Object.values(outcomes).reduce((sum, n) => sum + n, 0) || 1;
    if (several) byId("outcomes-body").append(make("div", { class: "small", text: run.name }));
    const stack = make("div", { class: "stack" });
    for (const [outcome, colour] of Object.entries(colours)) {
      const n = outcomes[outcome] || 0;
      if (n === 0) continue;
      seen.add(outcome);
      const part = make("span", { title: `${words(outcome)}: ${grouped(n)}` });
      part.style.background = colour;
      part.style.flex = `${n} 0 0`;
      stack.append(part);
    }
    byId("outcomes-body").append(stack);
    const legend = make("div", { class: "legend" });
    for (const [outcome, colour] of Object.entries(colours)) {
      const n = outcomes[outcome] || 0;
      if (n === 0) continue;
      const mark = make("i");
      mark.style.background = colour;
      legend.append(make("span", {}, mark, `${words(outcome)} ${grouped(n)} (${((100 * n) / total).toFixed(1)} %)`));
    }
    byId("outcomes-body").append(legend);
  }
}

const value = (question, run, measure) => {
  const result = question.r[run];
  return result ? result.m[place[measure]] : null;
};

function means(keyOf, run, measure) {
  const cells = new Map();
  for (const question of data.questions) {
    const v = value(question, run, measure);
    if (v === null || v === undefined) continue;
    for (const key of keyOf(question)) {
      const cell = cells.get(key) || { n: 0, sum: 0 };
      cell.n += 1;
      cell.sum += v;
      cells.set(key, cell);
    }
  }
  return cells;
}

function showFacet() {
  const [measure, facet] = [byId("measure").value, byId("facet").value];
  const all = data.runs.map((_, run) => means((question) => facetValues(question, facet), run, measure));
  const keys = [...new Set(all.flatMap((cells) => [...cells.keys()]))];
  const size = (key) => Math.max(...all.map((cells) => (cells.get(key) ? cells.get(key).n : 0)));
  keys.sort((a, b) => size(b) - size(a) || a.localeCompare(b));
  const rows = keys.map((key) => [
    key,
    grouped(size(key)),
    ...all.flatMap((cells) => {
      const cell = cells.get(key);
      if (!cell) return ["", ""];
      const bar = make("span", { class: "bar" });
      bar.style.width = `${Math.max(0, Math.min(1, cell.sum / cell.n)) * 8}rem`;
      return [three(cell.sum / cell.n), make("td", { class: "bars" }, bar)];
    }),
  ]);
  byId("facet-body").replaceChildren(table([facet, "n", ...data.runs.flatMap((run) => [several ? run.name : words(measure), ""])], rows));
  showHeat();
  showConfusion();
}

const heatColour = (share) => `hsl(${Math.round(8 + 132 * share)} 45% ${Math.round(38 - 4 * share)}%)`;

function heatCell(text, small, share) {
  const cell = make("td", { class: "heat" }, text, make("small", { text: small }));
  cell.style.background = heatColour(share);
  return cell;
}

function byCount(list) {
  const counts = new Map();
  for (const item of list) counts.set(item, (counts.get(item) || 0) + 1);
  return [...counts.entries()].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).map(([item]) => item);
}

function showHeat() {
  const [measure, run] = [byId("measure").value, Number(byId("run").value)];
  const functions = byCount(data.questions.flatMap((question) => question.f.function || []));
  if (functions.length === 0) return byId("heat-body").replaceChildren(make("p", { class: "small", text: "The grades have no facet `function`." }));
  const shapes = byCount(data.questions.map((question) => question.s)).slice(0, 25);
  const cells = means((question) => (question.f.function || []).map((f) => `${question.s}\u0001${f}`), run, measure);
  const rows = shapes.map((shape) => [
    shape,
    ...functions.map((f) => {
      const cell = cells.get(`${shape}\u0001${f}`);
      return cell ? heatCell(three(cell.sum / cell.n), `n ${grouped(cell.n)}`, Math.max(0, Math.min(1, cell.sum / cell.n))) : make("td", { class: "none", text: "·" });
    }),
  ]);
  byId("heat-body").replaceChildren(table(["shape", ...functions], rows));
}

function showConfusion() {
  const run = Number(byId("run").value);
  const predicted = data.questions.filter((question) => question.r[run] && question.r[run].s);
  if (predicted.length === 0) return byId("confusion-body").replaceChildren(make("p", { class: "small", text: "This run predicts no logical forms." }));
  const shapes = byCount(predicted.map((question) => question.s)).slice(0, 12);
  const guesses = byCount(predicted.map((question) => question.r[run].s)).slice(0, 12);
  const counts = new Map();
  const totals = new Map();
  for (const question of predicted) {
    const key = `${question.s}\u0001${question.r[run].s}`;
    counts.set(key, (counts.get(key) || 0) + 1);
    totals.set(question.s, (totals.get(question.s) || 0) + 1);
  }
  const rows = shapes.map((shape) => [
    shape,
    ...guesses.map((guess) => {
      const n = counts.get(`${shape}\u0001${guess}`) || 0;
      if (n === 0) return make("td", { class: "none", text: "·" });
      const share = n / totals.get(shape);
      return heatCell(grouped(n), `${(100 * share).toFixed(0)} %`, shape === guess ? share : Math.max(0, 0.45 - share / 2));
    }),
  ]);
  byId("confusion-body").replaceChildren(table(["gold \\ predicted", ...guesses], rows));
}

function showExtras() {
  for (const run of data.runs) {
    const { sensitivity, regression } = run.extras || {};
    if (sensitivity) {
      const names = sensitivity.length ? sensitivity[0].scores.map(([name]) => name) : [];
      const rows = names.map((name, at) => [words(name), ...sensitivity.map((row) => three(row.scores[at][1]))]);
      byId("extras").append(make("h2", { text: "Sensitivity" }), make("div", { class: "scroll" }, table(["measure", ...sensitivity.map((row) => `${row.degradation} ${row.share * 100} %`)], rows)));
    }
    if (regression) {
      const rows = regression.coefficients.map((c) => [words(c.name), c.estimate.toPrecision(4), c.error.toPrecision(3), c.p.toPrecision(3), c.stars]);
      byId("extras").append(make("h2", { text: `What explains ${words(regression.measure)}` }), make("div", { class: "scroll" }, table(["", "estimate", "error", "p", ""], rows)));
    }
  }
}

// Questions.
let shown = 0;
let found = [];
const main = () => measures.find((name) => name === "f1") || measures[0];

function dot(result) {
  const mark = make("span", { class: "dot" });
  const v = result ? result.m[place[main()]] : null;
  mark.style.background = !result ? "transparent" : result.o !== "answered" ? colours[result.o] : heatColour(Math.max(0, Math.min(1, v || 0)));
  mark.title = result ? `${words(result.o)}, ${words(main())} ${three(v)}` : "";
  return mark;
}

function edgesOf(graph) {
  const name = (at) => (graph[1][at][1] ? graph[1][at][0] : "?");
  return graph[2].map(([from, to, label]) => `${name(from)}\u0001${label}\u0001${name(to)}`);
}

/// A graph spread out from the answer, level by level; what the other graph does not say is marked.
function drawing(graph, other) {
  const [root, vertices, edges] = graph;
  const depth = vertices.map(() => -1);
  depth[root] = 0;
  for (let round = 0; round < vertices.length; round += 1) {
    for (const [from, to] of edges) {
      if (depth[from] === round && depth[to] < 0) depth[to] = round + 1;
      if (depth[to] === round && depth[from] < 0) depth[from] = round + 1;
    }
  }
  const levels = [];
  vertices.forEach((_, at) => (levels[Math.max(0, depth[at])] ||= []).push(at));
  const width = Math.max(300, 170 * Math.max(...levels.map((level) => (level ? level.length : 0))));
  const height = 80 * levels.length;
  const spot = [];
  levels.forEach((level, y) => level.forEach((at, x) => (spot[at] = [(width * (x + 0.5)) / level.length, 36 + 80 * y])));
  const svg = (name, attributes, text) => {
    const element = document.createElementNS("http" + "://www.w3.org/2000/svg", name);
    for (const [key, v] of Object.entries(attributes)) element.setAttribute(key, v);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img" });
  const known = other ? edgesOf(other) : null;
  const own = edgesOf(graph);
  const pairs = new Map();
  edges.forEach(([from, to, label], at) => {
    const pair = [from, to].sort().join("-");
    const n = pairs.get(pair) || 0;
    pairs.set(pair, n + 1);
    const odd = known && !known.includes(own[at]) ? " odd" : "";
    const [[x1, y1], [x2, y2]] = [spot[from], spot[to]];
    const bend = n * 34;
    picture.append(svg("path", { class: `edge${odd}`, d: `M${x1} ${y1} Q${(x1 + x2) / 2 + bend} ${(y1 + y2) / 2} ${x2} ${y2}` }));
    const short = label.length > 26 ? `${label.slice(0, 25)}…` : label;
    const arrow = y2 >= y1 ? "↓" : "↑";
    picture.append(svg("text", { class: `label${odd}`, x: (x1 + x2) / 2 + bend / 2 + 4, y: (y1 + y2) / 2 + 3 }, `${arrow} ${short}`));
  });
  vertices.forEach(([label, grounded, note], at) => {
    const [x, y] = spot[at];
    picture.append(svg("circle", { class: `vertex${grounded ? " grounded" : ""}${at === root ? " root" : ""}`, cx: x, cy: y, r: 9 }));
    const text = [at === root && !label ? "answer" : label, note].filter(Boolean).join(" · ");
    const short = text.length > 24 ? `${text.slice(0, 23)}…` : text;
    const element = svg("text", { x, y: y - 14, "text-anchor": "middle" }, short);
    element.append(svg("title", {}, text));
    picture.append(element);
  });
  return picture;
}

function answers(list, gold, total) {
  const box = make("p", { class: "answers" });
  list.forEach((answer, at) => box.append(at ? ", " : "", make("span", { class: gold ? (gold.includes(answer) ? "right" : "wrong") : "", text: answer })));
  if (list.length === 0) box.append(make("span", { class: "small", text: "none" }));
  if (total > list.length) box.append(` and ${grouped(total - list.length)} more`);
  return box;
}

function detail(question) {
  const box = make("div", { class: "detail" });
  const gold = make("div", {}, make("h4", { text: `Gold · ${question.s}` }));
  if (question.g) gold.append(make("pre", { text: question.g }));
  gold.append(answers(question.a, null, question.n));
  const firstOther = question.r.map((result) => result && result.P).find(Boolean);
  if (question.G) gold.append(drawing(question.G, firstOther || null));
  box.append(gold);
  question.r.forEach((result, run) => {
    if (!result) return;
    const part = make("div", {}, make("h4", { text: `${several ? data.runs[run].name : "Predicted"} · ${words(result.o)}${result.s ? ` · ${result.s}` : ""}` }));
    if (result.c) part.append(make("p", { class: "small wrong", text: result.c }));
    if (result.same) part.append(make("p", { class: "small", text: "the gold form" }));
    if (result.p) part.append(make("pre", { text: result.p }));
    if (result.a) part.append(answers(result.a, question.a, result.a.length));
    if (result.P && question.G) part.append(drawing(result.P, question.G));
    const values = measures.filter((name) => result.m[place[name]] !== null).map((name) => `${words(name)} ${three(result.m[place[name]])}`);
    part.append(make("p", { class: "small", text: values.join(" · ") }));
    if (result.t) part.append(make("details", {}, make("summary", { class: "small", text: "trace" }), make("pre", { text: result.t })));
    box.append(part);
  });
  return box;
}

function row(question) {
  const summary = make("summary", {}, make("span", {}, ...question.r.map(dot)), make("span", { text: question.q || question.i }), make("span", { class: "id", text: question.i }));
  const details = make("details", {}, summary);
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(detail(question));
  });
  return make("li", {}, details);
}

function showMore() {
  const next = found.slice(shown, shown + 100);
  byId("list").append(...next.map(row));
  shown += next.length;
  byId("more").hidden = shown >= found.length;
}

function search() {
  const wanted = byId("search").value.trim().toLowerCase();
  const filter = byId("filter").value;
  const right = (result) => result && result.m[place[main()]] >= 1;
  const fits = (question) => {
    const results = question.r.filter(Boolean);
    if (filter === "wrong" && !results.some((result) => !right(result))) return false;
    if (filter === "right" && !results.every(right)) return false;
    if (filter === "differ" && new Set(question.r.map((result) => Boolean(right(result)))).size < 2) return false;
    if (filter.startsWith("outcome:") && !results.some((result) => result.o === filter.slice(8))) return false;
    if (!wanted) return true;
    const texts = [question.i, question.q, question.g, question.s, ...results.map((result) => result.p)];
    return texts.some((text) => text && text.toLowerCase().includes(wanted));
  };
  found = data.questions.filter(fits);
  shown = 0;
  byId("list").replaceChildren();
  byId("found").textContent = `${grouped(found.length)} of ${grouped(data.questions.length)}`;
  showMore();
}

function start() {
  const first = data.runs[0] ? data.runs[0].summary : {};
  byId("lead").textContent = `${grouped(data.questions.length)} questions of ${first.benchmark || "a benchmark"}; ${data.runs.map((run) => run.name).join(", ")}`;
  byId("measure").append(...measures.map((name) => make("option", { value: name, text: words(name) })));
  byId("measure").value = main();
  byId("facet").append(...(facetNames.length ? facetNames : ["shape"]).map((name) => make("option", { value: name, text: name })));
  byId("run").append(...data.runs.map((run, at) => make("option", { value: at, text: run.name })));
  byId("run-label").hidden = !several;
  const outcomes = new Set(data.questions.flatMap((question) => question.r.filter(Boolean).map((result) => result.o)));
  const filters = [["", "all"], ["wrong", "wrong"], ["right", "right"], ...(several ? [["differ", "where runs differ"]] : []), ...[...outcomes].map((outcome) => [`outcome:${outcome}`, words(outcome)])];
  byId("filter").append(...filters.map(([v, text]) => make("option", { value: v, text })));
  showScores();
  showOutcomes();
  showFacet();
  showExtras();
  search();
  for (const id of ["measure", "facet", "run"]) byId(id).addEventListener("change", showFacet);
  byId("filter").addEventListener("change", search);
  let waiting = 0;
  byId("search").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 120);
  });
  byId("more").addEventListener("click", showMore);
  // How long it took to be there, in milliseconds.
  document.body.dataset.ready = Math.round(performance.now());
}

start();
