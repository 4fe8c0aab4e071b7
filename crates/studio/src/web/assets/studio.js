// What every page has: keyboard shortcuts, their list, and filters. Pages work without it.

const status = document.getElementById("status");

/** Says something to screen readers. */
export function announce(text) {
  if (status) status.textContent = text;
}

/** Whether keys belong to the focused element. */
export function isTyping(target) {
  return target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;
}

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

document.documentElement.classList.add("has-script");

// Filters hide the rows of tables and lists that do not contain the text.
const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
for (const field of document.querySelectorAll("input[data-filter]")) {
  const rows = [...document.querySelectorAll("[data-filtered] > *")];
  const texts = rows.map((row) => fold(row.textContent));
  const apply = () => {
    const wanted = fold(field.value.trim());
    let shown = 0;
    rows.forEach((row, at) => {
      row.hidden = !texts[at].includes(wanted);
      shown += row.hidden ? 0 : 1;
    });
    if (wanted) announce(`${shown} of ${rows.length} shown`);
  };
  field.addEventListener("input", apply);
  if (!field.form) apply();
}

// Keys. A page adds its own with `addKey`.
const keys = new Map();
let afterGo = false;

export function addKey(key, about, run) {
  keys.set(key, { about, run });
}

addKey("/", "Search", () => document.getElementById("search")?.focus());
for (const link of document.querySelectorAll(".page-head a[data-key]")) {
  addKey(`g ${link.dataset.key}`, `Go to ${link.textContent}`, () => link.click());
}
addKey("g h", "Go to the start page", () => document.querySelector(".brand").click());
addKey("?", "This list", showKeys);

const links = [...document.querySelectorAll("[data-list] > li, .facts .values > li, [data-filtered] > tr")];
if (links.length > 0) {
  addKey("j", "Next item of the list", () => move(1));
  addKey("k", "Previous item of the list", () => move(-1));
}

const filter = document.querySelector("input[data-filter]");
if (filter) addKey("f", "Filter", () => filter.focus());
const query = document.querySelector("[data-key-action=query]");
if (query) addKey("q", "Query from here", () => query.click());

function move(by) {
  const shown = links.filter((item) => !item.closest("[hidden]") && item.querySelector("a"));
  const at = shown.findIndex((item) => item.contains(document.activeElement));
  const next = shown[Math.max(0, Math.min(shown.length - 1, at < 0 ? 0 : at + by))];
  next?.querySelector("a").focus();
}

function showKeys() {
  const list = element("dl", { class: "keys" });
  for (const [key, { about }] of keys) {
    const names = key.split(" ").map((part) => element("kbd", {}, part));
    list.append(element("div", {}, element("dt", {}, ...names), element("dd", {}, about)));
  }
  const close = element("button", { type: "button", class: "quiet" }, "Close");
  const title = element("h2", { id: "keys-title" }, "Keyboard shortcuts");
  const dialog = element("dialog", { "aria-labelledby": "keys-title" }, title, list, close);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

document.querySelector("[data-action=help]")?.addEventListener("click", showKeys);

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event.target)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (document.querySelector("dialog[open]")) return;
  const name = afterGo ? `g ${event.key}` : event.key;
  afterGo = !afterGo && event.key === "g";
  if (afterGo) {
    setTimeout(() => { afterGo = false; }, 1500);
    return;
  }
  const key = keys.get(name);
  if (key) {
    event.preventDefault();
    key.run();
  }
});
