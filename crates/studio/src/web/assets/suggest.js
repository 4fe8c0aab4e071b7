// Suggestions while a name is typed: a combobox with a list, as the ARIA Authoring Practices describe it.

import { announce, element } from "./studio.js";

const PAUSE = 80;
let count = 0;

for (const field of document.querySelectorAll("input[data-suggest]")) attach(field);

function attach(field) {
  const id = `suggestions-${count++}`;
  const list = element("ul", { id, role: "listbox", class: "suggestions", "aria-label": "Suggestions" });
  list.hidden = true;
  field.parentElement.classList.add("has-suggestions");
  field.after(list);
  for (const [name, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": id })) {
    field.setAttribute(name, value);
  }
  let waiting = 0;
  let asked = 0;
  let found = [];
  let chosen = -1;

  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, PAUSE);
  });
  field.addEventListener("blur", () => setTimeout(close, 150));
  field.addEventListener("keydown", onKey);

  async function ask() {
    const text = field.value.trim();
    const number = ++asked;
    if (text === "") return close();
    const response = await fetch(`/kb/suggest?${new URLSearchParams({ q: text })}`).catch(() => null);
    // An answer that arrives after the next question is no longer wanted.
    if (!response?.ok || number !== asked || document.activeElement !== field) return;
    found = await response.json();
    chosen = -1;
    list.replaceChildren(...found.map(option));
    list.hidden = found.length === 0;
    field.setAttribute("aria-expanded", String(!list.hidden));
    field.removeAttribute("aria-activedescendant");
    announce(found.length === 1 ? "1 suggestion" : `${found.length} suggestions`);
  }

  function option(hit, at) {
    const name = element("span", { class: "suggestion-name" }, hit.label);
    const about = element("span", { class: "muted" }, hit.about || hit.what);
    const made = element("li", { role: "option", id: `${id}-${at}`, "aria-selected": "false" }, name, " ", about);
    if (hit.name) name.append(element("span", { class: "muted" }, ` (${hit.name})`));
    made.addEventListener("mousedown", (event) => {
      event.preventDefault();
      location.assign(hit.href);
    });
    return made;
  }

  function onKey(event) {
    if (list.hidden || found.length === 0) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      choose((chosen + (event.key === "ArrowDown" ? 1 : -1) + found.length + (chosen < 0 && event.key === "ArrowUp" ? 1 : 0)) % found.length);
    } else if (event.key === "Enter" && chosen >= 0) {
      location.assign(found[chosen].href);
    } else if (event.key === "Escape") {
      close();
    } else {
      return;
    }
    event.preventDefault();
  }

  function choose(at) {
    list.children[chosen]?.setAttribute("aria-selected", "false");
    chosen = at;
    const option = list.children[at];
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    field.setAttribute("aria-activedescendant", option.id);
  }

  function close() {
    asked++;
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  }
}
