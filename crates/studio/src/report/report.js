"use strict";
// The data of the page and what its parts share. breakdowns.js and questions.js follow in the same script.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const several = data.runs.length > 1;
const measureAt = (at) => ({ key: data.measures[at][0], label: data.measures[at][1] });
const mainLabel = (data.measures.find(([key]) => key === data.main) || [data.main, data.main])[1];

/// An element with attributes and children; `text` is its text.
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "text") element.textContent = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function svg(name, attributes, ...children) {
  const element = document.createElementNS("http" + "://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children.filter(Boolean));
  return element;
}
const tooltip = (text) => svg("title", {}, text);

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const three = (value) => (isNumber(value) ? value.toFixed(3) : "");
const signed = (value) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(3);
const probability = (p) => (p < 0.001 ? "p < 0.001" : `p = ${p.toFixed(3)}`);
const grouped = (n) => n.toLocaleString("en");
const counted = (n, one, many) => `${grouped(n)} ${n === 1 ? one : many}`;
const words = (text) => text.replaceAll("_", " ");
const clamped = (value) => Math.max(0, Math.min(1, value));
const share = (value) => `${(clamped(value) * 100).toFixed(1)}%`;
const swatch = (run) => make("span", { class: `swatch line-${run % 8}`, "aria-hidden": "true" });

function table(attributes, headings, rows) {
  const head = make("tr", {}, ...headings.map((heading) => (heading.tagName === "TH" ? heading : make("th", { scope: "col" }, heading))));
  const cell = (content, at) => {
    if (content instanceof Node && ["TD", "TH"].includes(content.tagName)) return content;
    return at === 0 ? make("th", { scope: "row" }, content) : make("td", {}, content);
  };
  return make("table", attributes, make("thead", {}, head), make("tbody", {}, ...rows.map((cells) => make("tr", {}, ...cells.map(cell)))));
}

/// A mean and its interval on the line from 0 to 1; `mark` is another value to compare with.
function intervalBar([, mean, low, high]) {
  if (!(mean >= 0 && mean <= 1)) return null;
  const width = share(Math.max(0.004, clamped(high) - clamped(low)));
  return svg(
    "svg",
    { class: "interval", role: "img", "aria-label": `${three(low)} to ${three(high)}` },
    svg("rect", { class: "track", x: 0, y: 5, width: "100%", height: 2 }),
    svg("rect", { class: "range", x: share(low), y: 2, width, height: 8, rx: 2 }),
    svg("rect", { class: "mean", x: share(mean), y: 0, width: 3, height: 12, rx: 1 }),
  );
}

/// A shape by its picture and its name.
function shapeName(code) {
  const shape = data.shapes[code];
  if (!shape) return make("span", { text: code || "–" });
  return make("span", { class: "shape-name" }, shapePicture(shape), make("span", { text: shape.name, title: shape.title }));
}

function shapePicture(shape) {
  const [width, height] = shape.size;
  const attributes = { class: "shape", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": shape.title };
  return svg("svg", attributes, tooltip(shape.title), svg("use", { href: `#shape-${shape.symbol}` }));
}

/// The value of a facet for people.
const facetText = (facet, value) => (facet === "shape" ? (data.shapes[value] || { name: value }).name : words(value));
const facetNode = (facet, value) => (facet === "shape" ? shapeName(value) : make("span", { text: words(value) }));

/// The address of the list of questions with these filters.
function listAddress(filters) {
  const set = Object.entries(filters).filter(([, value]) => value !== "" && value !== undefined && value !== null);
  return `#list?${new URLSearchParams(set)}`;
}

function options(select, entries, chosen) {
  select.replaceChildren(...entries.map(([value, text]) => make("option", { value, text })));
  if (chosen !== undefined) select.value = chosen;
}
