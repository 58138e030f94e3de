// The messages follow the text only while the last line is in view.

import { one } from "./dom.js";

const SLACK = 48; // pixels from the end that still count as the end
let isFollowing = true;

const scroller = () => one("#messages");
const isAtEnd = (box) => box.scrollHeight - box.scrollTop - box.clientHeight < SLACK;

export function follow() {
  const box = scroller();
  isFollowing = true;
  if (box) box.scrollTop = box.scrollHeight;
}

/** Stay where it is, whatever comes. */
export function stay() {
  isFollowing = false;
}

// Older messages come in above; what is in view stays where it is, also at the very top.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (!event.detail.target.matches(".older")) return;
  const box = scroller();
  const fromEnd = box.scrollHeight - box.scrollTop;
  stay();
  addEventListener("htmx:afterSwap", () => (box.scrollTop = box.scrollHeight - fromEnd), {
    once: true,
  });
});

export function watchScroll() {
  const box = scroller();
  if (!box) return;
  let last = 0;
  box.addEventListener("scroll", () => {
    if (box.scrollTop < last || isAtEnd(box)) isFollowing = isAtEnd(box);
    last = box.scrollTop;
    one(".jump", box).hidden = isAtEnd(box);
  });
  // What somebody opens is shown from its beginning on, however long it is.
  box.addEventListener("click", ({ target }) => {
    const opened = target.closest("summary")?.parentElement;
    if (!opened || opened.open) return;
    stay();
    const show = () => opened.scrollIntoView({ block: "nearest" });
    opened.addEventListener("toggle", show, { once: true });
  });
  const resized = new ResizeObserver(() => isFollowing && follow());
  resized.observe(one("#thread"));
  new MutationObserver(() => {
    if (isFollowing && getSelection().isCollapsed) follow();
    one(".jump", box).hidden = isAtEnd(box);
  }).observe(box, { childList: true, subtree: true, characterData: true });
  const shown = location.hash && one(`[id="${CSS.escape(location.hash.slice(1))}"]`);
  if (!shown) return follow();
  stay();
  if (shown.matches("details")) shown.open = true;
  shown.scrollIntoView({ block: "start" });
}
