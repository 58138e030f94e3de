// What the page does by itself: the composer, the scroll, the connection, dialogs and copying.
"use strict";

const one = (selector, within = document) => within.querySelector(selector);
const isTouch = matchMedia("(pointer: coarse)");
const isWide = matchMedia("(min-width: 80rem)");

// Composer

const composer = () => one("#composer");
const composerBody = () => one("#composer-body");

// Safari sends the Enter that ends an input method's word after the composition: keyCode 229.
const isComposing = (event) => event.isComposing || event.keyCode === 229;

function fit(textarea) {
  if (CSS.supports("field-sizing", "content")) return;
  textarea.style.height = "auto";
  textarea.style.height = `${textarea.scrollHeight}px`;
}

function fill(text) {
  const body = composerBody();
  body.value = text;
  fit(body);
  body.focus();
}

document.addEventListener("keydown", (event) => {
  if (isComposing(event)) return;
  if (event.key === "Escape" && !one("dialog[open], [popover]:popover-open")) one("[data-stop]")?.click();
  if (event.target.id !== "composer-body" || event.key !== "Enter") return;
  if (event.shiftKey || event.altKey || (isTouch.matches && !event.ctrlKey && !event.metaKey)) return;
  event.preventDefault();
  if (!one("[data-stop]") && event.target.value.trim()) composer().requestSubmit();
});

document.addEventListener("input", (event) => {
  if (event.target.id === "composer-body") fit(event.target);
});

document.addEventListener("htmx:afterRequest", (event) => {
  if (event.target !== composer() || !event.detail.successful) return; // form.id would be its field "id"
  fill("");
  one("#notice")?.replaceChildren();
  follow();
});

// Scroll: follows the text only while the last line is in view

const SLACK = 48; // pixels from the end that still count as the end
let isFollowing = true;

const scroller = () => one("#messages");
const isAtEnd = (box) => box.scrollHeight - box.scrollTop - box.clientHeight < SLACK;

function follow() {
  const box = scroller();
  isFollowing = true;
  if (box) box.scrollTop = box.scrollHeight;
}

function watchScroll() {
  const box = scroller();
  if (!box) return;
  let last = 0;
  box.addEventListener("scroll", () => {
    if (box.scrollTop < last || isAtEnd(box)) isFollowing = isAtEnd(box);
    last = box.scrollTop;
    one(".jump", box).hidden = isAtEnd(box);
  });
  new ResizeObserver(() => isFollowing && follow()).observe(one("#thread"));
  new MutationObserver(() => {
    if (isFollowing && getSelection().isCollapsed) follow();
    one(".jump", box).hidden = isAtEnd(box);
  }).observe(box, { childList: true, subtree: true, characterData: true });
  const shown = location.hash && one(`[id="${CSS.escape(location.hash.slice(1))}"]`);
  if (!shown) return follow();
  isFollowing = false;
  if (shown.matches("details")) shown.open = true;
  shown.scrollIntoView({ block: "start" });
}

// Connection

let socket = null;

function join() {
  socket?.send(JSON.stringify({ action: "join", stamp: one("#thread").dataset.stamp }), null);
}

function tell(problem) {
  const box = one("#problem");
  if (!box) return;
  one(".banner__text", box).textContent = box.dataset[problem] ?? box.dataset.other;
  box.hidden = false;
}

document.addEventListener("htmx:wsOpen", (event) => {
  socket = event.detail.socketWrapper;
  one("#offline").hidden = true;
  join();
});
document.addEventListener("htmx:wsClose", () => {
  one("#offline").hidden = false;
});
window.addEventListener("online", () => socket?.reconnect());
document.addEventListener("htmx:sendError", () => tell("unreachable"));
document.addEventListener("htmx:timeout", () => tell("unreachable"));
document.addEventListener("htmx:responseError", (event) => tell(String(event.detail.xhr.status)));
document.addEventListener("htmx:beforeRequest", () => {
  const problem = one("#problem");
  if (problem) problem.hidden = true;
});

// Fragments

// The answer to a send and the socket both bring the turn; whichever is second is left out.
document.addEventListener("htmx:oobBeforeSwap", (event) => {
  const { target, fragment } = event.detail;
  if (target.id === "thread") {
    for (const child of [...fragment.children]) {
      if (document.getElementById(child.id)) child.remove();
    }
  }
  if (target.matches("details[open]")) one("details", fragment)?.setAttribute("open", "");
});

document.addEventListener("htmx:afterSwap", (event) => {
  if (event.target.id === "thread") join();
});

// Older messages come in above; what is in view stays where it is, also at the very top.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (!event.detail.target.matches(".older")) return;
  const box = scroller();
  const fromEnd = box.scrollHeight - box.scrollTop;
  isFollowing = false;
  addEventListener("htmx:afterSwap", () => (box.scrollTop = box.scrollHeight - fromEnd), {
    once: true,
  });
});

document.addEventListener("htmx:oobAfterSwap", (event) => {
  const { target } = event.detail;
  if (target.id === "chat-title") {
    document.title = `${one("#chat-title").textContent} · memoryapp`;
  }
  if (target.id === "freshness") htmx.trigger(document.body, "stale");
  if (target.id === "notice") announce(one("[data-announce]")?.textContent ?? "");
  if (target.matches("[aria-busy]")) announce(one("#announce").dataset.finished);
});

let announced = "";
function announce(sentence) {
  if (sentence && sentence !== announced) one("#announce").textContent = sentence;
  announced = sentence;
}

// Dialog: filled by htmx, shown when there is something in it

document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.target?.id !== "dialog") return;
  const dialog = one("#dialog");
  if (!dialog.childElementCount) dialog.close();
  else if (!dialog.open) dialog.showModal();
  one("[aria-invalid], .input", dialog)?.focus();
});

// Presses

const presses = {
  "[data-close]": (button, event) => {
    const dialog = button.closest("dialog");
    if (!dialog) return;
    event.preventDefault();
    dialog.close();
  },
  "[data-dismiss]": (button) => {
    const box = document.getElementById(button.dataset.dismiss);
    if (box.id === "notice") box.replaceChildren();
    else box.hidden = true;
  },
  "[data-jump]": follow,
  "[data-saying]": (button) => fill(one(".quote", button).textContent),
  "[data-reconnect]": () => socket?.reconnect(),
  "[data-copy]": (button) => copy(button, one("code", button.closest(".code")).textContent),
  "[data-copy-message]": (button) =>
    copy(button, one(".message__body", button.closest(".message")).innerText),
  "[data-copy-from]": (button) =>
    copy(button, document.getElementById(button.dataset.copyFrom).textContent),
  "[data-review]": (link, event) => {
    event.preventDefault();
    const receipt = document.getElementById(link.hash.slice(1));
    receipt.open = true;
    receipt.scrollIntoView({ block: "nearest" });
    one("summary", receipt).focus();
  },
  "[data-drawer-set]": (button, event) => {
    if (!isWide.matches) return;
    event.preventDefault();
    const state = button.dataset.drawerSet;
    document.body.dataset.drawer = state;
    document.cookie = `drawer=${state}; path=/; max-age=31536000; samesite=lax`;
  },
};

document.addEventListener("click", (event) => {
  for (const [selector, press] of Object.entries(presses)) {
    const pressed = event.target.closest?.(selector);
    if (pressed) press(pressed, event);
  }
});

async function copy(button, text) {
  // navigator.clipboard exists only on https and localhost; a plain http LAN has the old way.
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
  } else {
    const area = Object.assign(document.createElement("textarea"), { value: text });
    button.after(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  announce(one("#announce").dataset.copied);
  one("use", button)?.setAttribute("href", one("use", button).getAttribute("href").replace("#copy", "#check"));
}

watchScroll();
if (!isTouch.matches && !location.hash) composerBody()?.focus();
