// TeX is set where a message has some. KaTeX comes with the first of it, and sets styles one by
// one through the DOM, which the strict content policy allows.

import { all } from "./dom.js";

const folder = new URL("../vendor/katex/", import.meta.url);
let loading;

/** This element as it was before its TeX was set. */
export function sourceOf(element) {
  const source = element.cloneNode(true);
  for (const box of [source, ...all(".math", source)].filter((box) => box.matches("[data-tex]"))) {
    box.textContent = box.dataset.tex;
    delete box.dataset.tex;
  }
  return source;
}

function load() {
  const href = new URL("katex.min.css", folder).href;
  document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href }));
  return import(new URL("katex.min.js", folder)).then(() => window.katex);
}

async function typeset() {
  const found = all(".math:not([data-tex])");
  if (!found.length) return;
  for (const box of found) box.dataset.tex = box.textContent;
  const katex = await (loading ??= load());
  for (const box of found) {
    try {
      const displayMode = box.matches(".math--block");
      // What TeX itself wouldn't take, such as an umlaut, is set all the same.
      katex.render(box.dataset.tex, box, { displayMode, strict: "ignore" });
    } catch {
      box.textContent = box.dataset.tex; // no TeX, or not yet
    }
  }
}

document.addEventListener("htmx:load", typeset);
typeset();
