// The list of questions with its filters, and the page of one question.

const PAGE = 100;
const FACET_FILTERS = ["shape", "function", "level"];
let lines = null;
let found = data.questions.map((_, at) => at);
let shown = 0;

/// The line of a question's details; they are split when the first one is needed.
function line(at) {
  lines ||= byId("details").textContent.split("\n");
  return lines[at];
}

const isRight = (result) => Boolean(result) && result[1] >= 1;
const facetValues = (question, facet) => (facet === "shape" ? [question.s] : question.f[facet] || []);
const isFlipped = (question) => question.r.some(isRight) && question.r.some((result) => result && !isRight(result));

/// How a prediction did: a sign, its class, and the same in words.
function judged(result) {
  if (!result) return ["", "absent", "not in this run"];
  const [outcome, value] = result;
  const score = isNumber(value) ? `, ${mainLabel} ${three(value)}` : "";
  if (outcome !== "answered") return ["∅", "unanswered", words(outcome)];
  if (isRight(result)) return ["✓", "good", `right${score}`];
  if (value > 0) return [value.toFixed(2).replace(/^0/, ""), "partly", `partly right${score}`];
  return ["✗", "bad", `wrong${score}`];
}

function mark(result, run) {
  const [sign, kind, text] = judged(result);
  const name = several ? `${data.runs[run].name}: ${text}` : text;
  return make("span", { class: `mark ${kind}`, title: name }, make("span", { "aria-hidden": "true", text: sign }), make("span", { class: "unseen", text: name }));
}

function row(at) {
  const question = data.questions[at];
  const shape = data.shapes[question.s];
  return make(
    "li",
    {},
    make("span", { class: "marks" }, ...question.r.map(mark)),
    make("a", { href: `#q/${encodeURIComponent(question.i)}`, text: question.q || question.i }),
    make("span", { class: "id" }, shape ? shapePicture(shape) : null, make("code", { text: question.i })),
  );
}

function showMore() {
  const next = found.slice(shown, shown + PAGE);
  byId("list").append(...next.map(row));
  shown += next.length;
  byId("more").hidden = shown >= found.length;
}

/// The filters as they are set.
function filters() {
  const set = { search: byId("search").value.trim(), run: byId("run").value, result: byId("result").value, outcome: byId("outcome").value };
  for (const select of byId("facet-filters").querySelectorAll("select")) set[select.name] = select.value;
  return set;
}

function fitsSearch(wanted) {
  if (!wanted) return () => true;
  const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const plain = new RegExp(escape(wanted), "i");
  // Details are searched as they are written: as JSON.
  const written = new RegExp(escape(JSON.stringify(wanted).slice(1, -1).replaceAll("<", "\\u003c")), "i");
  return (at) => {
    const question = data.questions[at];
    return plain.test(question.q) || plain.test(question.i) || written.test(line(at));
  };
}

function search() {
  const set = filters();
  const fits = fitsSearch(set.search);
  const facets = Object.entries(set).filter(([name, value]) => value && !["search", "run", "result", "outcome"].includes(name));
  found = [];
  data.questions.forEach((question, at) => {
    const results = (set.run === "" ? question.r : [question.r[Number(set.run)]]).filter(Boolean);
    if (results.length === 0) return;
    if (set.result === "right" && !results.every(isRight)) return;
    if (set.result === "wrong" && results.every(isRight)) return;
    if (set.result === "partly" && !results.some(([, value]) => value > 0 && value < 1)) return;
    if (set.result === "flipped" && !isFlipped(question)) return;
    if (set.outcome && !results.some(([outcome]) => outcome === set.outcome)) return;
    if (facets.some(([facet, value]) => !facetValues(question, facet).includes(value))) return;
    if (fits(at)) found.push(at);
  });
  shown = 0;
  byId("list").replaceChildren();
  byId("found").textContent = found.length === data.questions.length ? counted(found.length, "question", "questions") : `${grouped(found.length)} of ${counted(data.questions.length, "question", "questions")}${found.length === 0 ? ": remove a filter to see more" : ""}`;
  showMore();
}

/// A filter for a facet; facets that are rarely filtered by are added when an address names them.
function addFacetFilter(facet) {
  const counts = new Map();
  for (const question of data.questions) for (const value of facetValues(question, facet)) counts.set(value, (counts.get(value) || 0) + 1);
  const values = [...counts.keys()].filter(Boolean).sort((a, b) => counts.get(b) - counts.get(a));
  if (values.length < 2) return null;
  const select = make("select", { name: facet });
  options(select, [["", "all"], ...values.map((value) => [value, `${facetText(facet, value)} (${grouped(counts.get(value))})`])]);
  byId("facet-filters").append(make("label", {}, make("span", { text: words(facet) }), select));
  return select;
}

function setFilters(parameters) {
  byId("filters").reset();
  for (const [name, value] of parameters) {
    const select = ["search", "run", "result", "outcome"].includes(name) ? byId(name) : byId("facet-filters").querySelector(`select[name="${CSS.escape(name)}"]`) || addFacetFilter(name);
    if (select) select.value = value;
  }
  search();
}

// The page of a question.

const nameOf = ([, , , , , text]) => text;

/// Whether another graph lacks a part: `bits` has a bit for each graph.
const lacks = (bits, other) => Math.floor(bits / 2 ** other) % 2 === 1;

function edge(other, [nearX, nearY, left, right, y, farX, farY, flags, width, , , text = "", full = text]) {
  const isNext = farX > right;
  const curve = (x, from, to) => `M${x} ${from}C${(x + to) / 2} ${from} ${(x + to) / 2} ${y} ${to} ${y}`;
  const path = `${curve(nearX, nearY, left)}H${right}${curve(farX, farY, isNext ? right : left)}`;
  const tip = flags % 2 === 1 ? `M${farX} ${farY}l${isNext ? -9 : 9} -4v8z` : `M${nearX} ${nearY}l9 -4v8z`;
  const middle = (left + right) / 2;
  const label = text && svg("g", { class: "label" }, tooltip(full), svg("rect", { x: middle - width / 2, y: y - 9, width, height: 18, rx: 4 }), svg("text", { x: middle, y: y + 4 }, text));
  return svg("g", lacks(Math.floor(flags / 2), other) ? { class: "differs" } : {}, svg("path", { class: "line", d: path }), svg("path", { class: "arrow", d: tip }), label);
}

const KINDS = ["answer", "constraint", "variable"];

function vertex(other, [x, y, width, height, kind, text, note = "", full = text]) {
  const name = KINDS[kind % 4];
  const [middle, line] = [x + width / 2, y + height / 2];
  const box = svg("rect", { class: name, x, y, width, height, rx: kind % 4 === 1 ? 3 : 15 });
  const below = note && svg("text", { class: "note", x: middle, y: line + 13 }, note);
  const group = lacks(Math.floor(kind / 4), other) ? { class: "differs" } : {};
  return svg("g", group, tooltip(`${full === name ? name : `${name}: ${full}`}${note && ` [${note}]`}`), box, svg("text", { x: middle, y: note ? line - 3 : line + 5 }, text), below);
}

/// What an edge says, in words.
function statement(graph, [, , , , , , , flags, , near, far, text = "", full = text]) {
  const ends = [near, far].map((at) => (graph.v[at] ? nameOf(graph.v[at]) : "?"));
  const [from, to] = flags % 2 === 1 ? ends : ends.reverse();
  return `${from} — ${text || full} → ${to}`;
}

/// A query graph in its layout; what graph number `other` lacks is marked.
function drawing(graph, name, other = 40) {
  const [width, height] = graph.s;
  const text = [...graph.v.map(([, , , , kind, label, note]) => `${KINDS[kind % 4]} ${label}${note ? ` [${note}]` : ""}`), ...graph.e.map((e) => statement(graph, e))].join("; ");
  const picture = svg("svg", { class: "graph", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${name}: ${text}` }, ...graph.e.map((e) => edge(other, e)), ...graph.v.map((v) => vertex(other, v)));
  return make("figure", {}, make("figcaption", { text: name }), make("div", { class: "graph-box", tabindex: 0, role: "region", "aria-label": name }, picture));
}

/// What one graph says and another does not.
function statements(graph, other) {
  const edges = graph.e.filter((e) => lacks(Math.floor(e[7] / 2), other)).map((e) => statement(graph, e));
  const vertices = graph.v.filter((v) => v[4] % 4 !== 1 && lacks(Math.floor(v[4] / 4), other));
  return [...edges, ...vertices.map((v) => `${nameOf(v)}${v[6] ? ` [${v[6]}]` : ""}`)];
}

function differences(gold, predicted, run) {
  const [missing, added] = [statements(gold, run), statements(predicted, 0)];
  const list = (title, kind, items) => items.length > 0 && make("div", {}, make("h3", { text: title }), make("ul", { class: kind }, ...items.map((text) => make("li", { text }))));
  if (missing.length + added.length === 0) return make("p", { class: "small", text: "Both graphs say the same; if the forms differ, they do so in what a graph does not show." });
  return make("div", { class: "differences" }, list("Only in gold", "missing", missing), list("Only in the prediction", "added", added));
}

function answerList(answers, total, gold) {
  const box = make("ul", { class: "answers" });
  for (const answer of answers) {
    const kind = gold ? (gold.includes(answer) ? "right" : "wrong") : "";
    const sign = { right: "✓ ", wrong: "✗ " }[kind] || "";
    box.append(make("li", { class: kind }, sign && make("span", { "aria-hidden": "true", text: sign }), make("span", { text: answer })));
  }
  if (answers.length === 0) box.append(make("li", { class: "soft", text: "none" }));
  if (total > answers.length) box.append(make("li", { class: "soft", text: `and ${grouped(total - answers.length)} more` }));
  return box;
}

function predictionPart(question, detail, run) {
  const [listed, result] = [question.r[run], detail.r[run]];
  const title = make("h2", {}, swatch(run), several ? data.runs[run].name : "Prediction", " ");
  const part = make("section", { class: "prediction" }, title);
  if (!result) {
    part.append(make("p", { class: "soft", text: "This run was not graded on this question." }));
    return part;
  }
  const [, kind, text] = judged(listed);
  title.append(make("span", { class: `chip ${kind === "good" ? "good" : "bad"}`, text }), result.luck ? make("span", { class: "chip bad", text: "right by luck", title: "The query gives other answers than gold on neighbours of the KB." }) : "");
  if (result.c) part.append(make("p", { class: "wrong", text: result.c }));
  if (result.a) {
    const missing = detail.a.filter((answer) => !result.a.includes(answer));
    part.append(make("h3", { text: "Answers" }), answerList(result.a, result.a.length + (result.n || 0), detail.a));
    if (missing.length > 0 && !isRight(listed)) part.append(make("p", { class: "small", text: `Not found: ${missing.join(", ")}` }));
  }
  if (result.same) part.append(make("p", { class: "soft", text: "The form is the gold form." }));
  if (result.p) part.append(make("h3", {}, "Form", result.s ? " · " : "", result.s ? shapeName(result.s) : ""), make("pre", { text: result.p, tabindex: 0 }));
  if (result.P && detail.G) {
    part.append(make("div", { class: "graphs" }, drawing(detail.G, "Gold: what the prediction lacks is red", run), drawing(result.P, "Prediction: what gold lacks is red", 0)), differences(detail.G, result.P, run));
  }
  const values = data.measures.map(([, label], at) => [label, result.m[at]]).filter(([, value]) => isNumber(value));
  part.append(make("details", { class: "more" }, make("summary", { text: `${mainLabel} ${three(listed[1])} and ${values.length - 1} more measures` }), make("dl", { class: "values" }, ...values.map(([label, value]) => make("div", {}, make("dt", { text: label }), make("dd", { text: three(value) }))))));
  if (result.u) part.append(make("p", { class: "small", text: result.u }));
  if (result.t) part.append(make("details", { class: "more" }, make("summary", { text: "Trace" }), make("pre", { text: result.t, tabindex: 0 })));
  return part;
}

function questionPage(at) {
  const question = data.questions[at];
  const detail = JSON.parse(line(at));
  const place = found.indexOf(at);
  const step = (by, text) => {
    const next = place < 0 ? undefined : data.questions[found[place + by]];
    return next ? make("a", { href: `#q/${encodeURIComponent(next.i)}`, text }) : make("span", { class: "soft", text });
  };
  const chips = ["shape", ...Object.keys(question.f)].flatMap((facet) => facetValues(question, facet).filter(Boolean).map((value) => [facet, value]));
  const facts = chips.map(([facet, value]) => make("li", {}, make("span", { class: "soft", text: `${words(facet)} ` }), make("a", { href: listAddress({ [facet]: value }) }, facetNode(facet, value))));
  const gold = make("section", {}, make("h2", { text: "Gold" }), make("h3", { text: "Answers" }), answerList(detail.a, detail.n, null));
  if (detail.g) gold.append(make("h3", { text: "Form" }), make("pre", { text: detail.g, tabindex: 0 }));
  const isCompared = detail.r.some((result) => result && result.P);
  if (detail.G && !isCompared) gold.append(drawing(detail.G, "Query graph of gold"));
  return [
    make("nav", { class: "pager", "aria-label": "Questions" }, make("a", { href: listAddress(filters()), text: "← All questions" }), make("span", {}, step(-1, "Previous"), place < 0 ? "" : make("span", { class: "soft", text: `${grouped(place + 1)} of ${grouped(found.length)}` }), step(1, "Next"))),
    make("h1", { text: question.q || question.i }),
    make("ul", { class: "facets" }, make("li", {}, make("code", { text: question.i })), ...facts),
    gold,
    ...question.r.map((_, run) => predictionPart(question, detail, run)),
  ];
}

/// Shows what the address names: a question, the list with filters, or the report.
function follow() {
  const address = location.hash;
  const at = address.startsWith("#q/") ? data.questions.findIndex((question) => question.i === decodeURIComponent(address.slice(3))) : -1;
  const isQuestion = at >= 0;
  const came = byId("question").hidden ? null : byId("question");
  byId("overview").hidden = isQuestion;
  document.querySelector("body > header").hidden = isQuestion;
  byId("question").hidden = !isQuestion;
  if (isQuestion) {
    byId("question").replaceChildren(...questionPage(at));
    window.scrollTo(0, 0);
    byId("question").focus({ preventScroll: true });
  } else if (address.startsWith("#list")) {
    setFilters(new URLSearchParams(address.slice(6)));
    byId("questions").scrollIntoView({ behavior: "instant" });
  } else if (came && address.length > 1) {
    const part = byId(address.slice(1));
    if (part) part.scrollIntoView();
  }
}

function startQuestions() {
  options(byId("run"), [["", "any"], ...data.runs.map((run, number) => [number, run.name])], "");
  options(byId("result"), [["", "all"], ["right", "right"], ["wrong", "not right"], ["partly", "partly right"], ...(several ? [["flipped", "flipped between runs"]] : [])], "");
  const outcomes = [...new Set(data.questions.flatMap((question) => question.r.filter(Boolean).map(([outcome]) => outcome)))];
  options(byId("outcome"), [["", "all"], ...outcomes.map((outcome) => [outcome, words(outcome)])], "");
  FACET_FILTERS.forEach(addFacetFilter);
  const changed = () => {
    search();
    history.replaceState(null, "", listAddress(filters()));
  };
  byId("filters").addEventListener("change", changed);
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("show-all").addEventListener("click", () => setTimeout(changed));
  let waiting = 0;
  byId("search").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(changed, 150);
  });
  byId("more").addEventListener("click", showMore);
  window.addEventListener("hashchange", follow);
  window.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !byId("question").hidden) location.hash = listAddress(filters());
  });
  search();
}

startBreakdowns();
startQuestions();
follow();
// How long it took to be there, in milliseconds.
document.body.dataset.ready = Math.round(performance.now());
