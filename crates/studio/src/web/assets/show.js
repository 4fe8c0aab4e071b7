// Copying identifiers.

import { addKey, announce, element } from "./studio.js";

const codes = document.querySelectorAll(".copies dd code");
for (const code of codes) {
  const button = element("button", { type: "button", class: "quiet small" }, "Copy");
  button.setAttribute("aria-label", `Copy ${code.textContent}`);
  button.addEventListener("click", () => copy(code.textContent, button));
  code.after(" ", button);
}

async function copy(text, button) {
  const copied = await navigator.clipboard.writeText(text).then(() => true, () => false);
  const said = copied ? "Copied" : "Could not copy";
  announce(`${said}: ${text}`);
  if (!button) return;
  button.textContent = said;
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

if (codes.length > 0) addKey("c", "Copy the id", () => copy(codes[0].textContent));
