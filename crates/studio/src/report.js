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
const precise = (value, digits) => (value === null ? "" : value.toPrecision(digits));
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
  const head = make("tr", {}, ...headings.map((heading) => make("th", {}, heading)));
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
    facet === "shape" ? make("td", {}, shapeName(key)) : key,
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
    make("td", {}, shapeName(shape)),
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
    make("td", {}, shapeName(shape)),
    ...guesses.map((guess) => {
      const n = counts.get(`${shape}\u0001${guess}`) || 0;
      if (n === 0) return make("td", { class: "none", text: "·" });
      const share = n / totals.get(shape);
      return heatCell(grouped(n), `${(100 * share).toFixed(0)} %`, shape === guess ? share : Math.max(0, 0.45 - share / 2));
    }),
  ]);
  byId("confusion-body").replaceChildren(table(["gold \\ predicted", ...guesses.map(shapeName)], rows));
}

function showExtras() {
  for (const run of data.runs) {
    const { sensitivity, regression } = run;
    if (sensitivity) {
      const names = sensitivity.length ? sensitivity[0].scores.map(([name]) => name) : [];
      const rows = names.map((name, at) => [words(name), ...sensitivity.map((row) => three(row.scores[at][1]))]);
      byId("extras").append(make("h2", { text: "Sensitivity" }), make("div", { class: "scroll" }, table(["measure", ...sensitivity.map((row) => `${row.degradation} ${row.share * 100} %`)], rows)));
    }
    if (regression) {
      const rows = regression.coefficients.map((c) => [words(c.name), precise(c.estimate, 4), precise(c.error, 3), precise(c.p, 3), c.stars]);
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

const svg = (name, attributes, ...children) => {
  const element = document.createElementNS("http" + "://www.w3.org/2000/svg", name);
  for (const [key, v] of Object.entries(attributes)) element.setAttribute(key, v);
  element.append(...children.filter((child) => child !== null));
  return element;
};
const tooltip = (text) => svg("title", {}, text);

/// A shape by its picture and its name.
function shapeName(code) {
  const shape = data.shapes[code];
  if (!shape) return make("span", { text: code });
  const [width, height] = shape.size;
  const picture = svg("svg", { class: "shape", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": shape.title }, tooltip(shape.title), svg("use", { href: `#shape-${shape.symbol}` }));
  return make("span", { class: "shape-name" }, picture, shape.name);
}

function edge([nearX, nearY, left, right, y, farX, farY, flags, width, text = "", full = text]) {
  const isNext = farX > right;
  const curve = (x, from, to) => `M${x} ${from}C${(x + to) / 2} ${from} ${(x + to) / 2} ${y} ${to} ${y}`;
  const line = `${curve(nearX, nearY, left)}H${right}${curve(farX, farY, isNext ? right : left)}`;
  const tip = flags & 1 ? `M${farX} ${farY}l${isNext ? -9 : 9} -4v8z` : `M${nearX} ${nearY}l9 -4v8z`;
  const middle = (left + right) / 2;
  const label = text && svg("g", { class: "label" }, tooltip(full), svg("rect", { x: middle - width / 2, y: y - 9, width, height: 18, rx: 4 }), svg("text", { x: middle, y: y + 4 }, text));
  return svg("g", flags & 2 ? { class: "differs" } : {}, svg("path", { class: "line", d: line }), svg("path", { class: "arrow", d: tip }), label || null);
}

function vertex([x, y, width, height, kind, text, note = "", full = text]) {
  const name = ["answer", "constraint", "variable"][kind];
  const [middle, line] = [x + width / 2, y + height / 2];
  const box = svg("rect", { class: name, x, y, width, height, rx: kind === 1 ? 3 : 15 });
  const below = note && svg("text", { class: "note", x: middle, y: line + 13 }, note);
  return svg("g", {}, tooltip(`${full === name ? name : `${name}: ${full}`}${note && ` [${note}]`}`), box, svg("text", { x: middle, y: note ? line - 3 : line + 5 }, text), below || null);
}

/// A query graph in its layout; what the other graph does not say is marked.
function drawing(graph, name) {
  const [width, height] = graph.s;
  return svg("svg", { class: "graph", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": name }, tooltip(name), ...graph.e.map(edge), ...graph.v.map(vertex));
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
  const gold = make("div", { class: "gold" }, make("h4", {}, "Gold · ", shapeName(question.s)));
  if (question.g) gold.append(make("pre", { text: question.g }));
  gold.append(answers(question.a, null, question.n));
  if (question.G) gold.append(drawing(question.G, "Query graph of gold"));
  box.append(gold);
  question.r.forEach((result, run) => {
    if (!result) return;
    const part = make("div", {}, make("h4", {}, `${several ? data.runs[run].name : "Predicted"} · ${words(result.o)}`, ...(result.s ? [" · ", shapeName(result.s)] : [])));
    if (result.c) part.append(make("p", { class: "small wrong", text: result.c }));
    if (result.same) part.append(make("p", { class: "small", text: "the gold form" }));
    if (result.p) part.append(make("pre", { text: result.p }));
    if (result.a) part.append(answers(result.a, question.a, result.a.length));
    if (result.P) part.append(drawing(result.P, "Query graph of the prediction"));
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
  byId("lead").textContent = `${grouped(data.questions.length)} questions of ${data.benchmark || "a benchmark"}; ${data.runs.map((run) => run.name).join(", ")}`;
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
