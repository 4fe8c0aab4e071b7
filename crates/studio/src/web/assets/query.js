// The query field: completion, running by key, stopping, and the last queries of this browser.

import { announce, element } from "./studio.js";

const RECENT = "touchstone-recent-queries";
const form = document.getElementById("query-form");
const field = document.getElementById("query");
const stop = document.querySelector("[data-action=stop]");
const elapsed = document.getElementById("elapsed");

// What is wrong is selected, so that it can be typed over.
if (field.dataset.wrongFrom !== undefined) {
  field.focus();
  field.setSelectionRange(Number(field.dataset.wrongFrom), Math.max(Number(field.dataset.wrongTo), Number(field.dataset.wrongFrom)));
}

let started = 0;
let timer = 0;
form.addEventListener("submit", () => {
  started = performance.now();
  stop.hidden = false;
  document.getElementById("result").setAttribute("aria-busy", "true");
  timer = setInterval(() => { elapsed.textContent = `running for ${((performance.now() - started) / 1000).toFixed(1)} s`; }, 100);
  remember(field.value);
});

function stopRunning() {
  if (!timer) return;
  // The server notices that nobody waits, and stops the query.
  window.stop();
  clearInterval(timer);
  timer = 0;
  stop.hidden = true;
  document.getElementById("result").removeAttribute("aria-busy");
  elapsed.textContent = "stopped";
  announce("The query was stopped");
}

stop.addEventListener("click", stopRunning);
window.addEventListener("pageshow", (event) => { if (event.persisted) stopRunning(); });
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && timer) stopRunning();
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    form.requestSubmit();
  }
});

// Completion.
const list = element("ul", { id: "completions", role: "listbox", class: "suggestions", "aria-label": "Completions" });
list.hidden = true;
const holder = element("div", { class: "has-suggestions" });
field.before(holder);
holder.append(field, list);
field.setAttribute("aria-controls", "completions");
field.setAttribute("aria-autocomplete", "list");
let words = [];
let from = 0;
let chosen = -1;

async function complete() {
  const at = field.selectionStart;
  const parameters = new URLSearchParams({ q: field.value, at: String(at) });
  const response = await fetch(`/query/complete?${parameters}`).catch(() => null);
  if (!response?.ok || field.selectionStart !== at) return;
  ({ from, words } = await response.json());
  list.replaceChildren(...words.map((word, number) => {
    const option = element("li", { role: "option", id: `completion-${number}`, "aria-selected": "false" }, word.text, " ", element("span", { class: "muted" }, word.what));
    option.addEventListener("mousedown", (event) => {
      event.preventDefault();
      insert(number);
    });
    return option;
  }));
  list.hidden = words.length === 0;
  announce(words.length === 0 ? "Nothing to complete" : `${words.length} completions`);
  if (words.length === 1) insert(0);
  else if (words.length > 0) choose(0);
}

function choose(number) {
  list.children[chosen]?.setAttribute("aria-selected", "false");
  chosen = number;
  list.children[number].setAttribute("aria-selected", "true");
  list.children[number].scrollIntoView({ block: "nearest" });
  field.setAttribute("aria-activedescendant", `completion-${number}`);
}

function insert(number) {
  field.setRangeText(words[number].text, from, field.selectionStart, "end");
  close();
}

function close() {
  list.hidden = true;
  chosen = -1;
  field.removeAttribute("aria-activedescendant");
}

field.addEventListener("keydown", (event) => {
  if (event.key === " " && event.ctrlKey) {
    event.preventDefault();
    complete();
  } else if (!list.hidden && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    choose((chosen + (event.key === "ArrowDown" ? 1 : words.length - 1)) % words.length);
  } else if (!list.hidden && event.key === "Enter" && !event.ctrlKey && chosen >= 0) {
    event.preventDefault();
    insert(chosen);
  } else if (!list.hidden && event.key === "Escape") {
    event.preventDefault();
    close();
  }
});
field.addEventListener("input", close);
field.addEventListener("blur", () => setTimeout(close, 150));

// The last queries. They stay in this browser.
function recent() {
  try {
    const stored = JSON.parse(localStorage.getItem(RECENT) ?? "[]");
    return Array.isArray(stored) ? stored.filter((query) => typeof query === "string") : [];
  } catch {
    return [];
  }
}

function remember(query) {
  const text = query.trim();
  if (text === "" || text.length > 2000) return;
  try {
    localStorage.setItem(RECENT, JSON.stringify([text, ...recent().filter((other) => other !== text)].slice(0, 20)));
  } catch {
    // The browser stores nothing: there is no list then.
  }
}

const shown = recent();
if (shown.length > 0) {
  const box = document.getElementById("recent-queries");
  box.hidden = false;
  box.querySelector("ul").append(...shown.map((query) => {
    const link = element("a", { href: `/query?${new URLSearchParams({ q: query })}` }, element("code", {}, query));
    return element("li", {}, link);
  }));
}
