// What the page does by itself, beside its composer and its scroll: connection, dialogs, copying.

import { beginAnew, fill, submit, unfold } from "./composer.js";
import { all, announce, isComposing, isTaken, isTouch, one } from "./dom.js";
import "./math.js";
import "./patch.js";
import { follow, stay, watchScroll } from "./scroll.js";
import { SIGNED_OUT, ask, reconnect } from "./socket.js";
import { said } from "./temporary.js";
import { sendWaiting, takeBack } from "./waiting.js";

const isWide = matchMedia("(min-width: 80rem)");

// Connection

const join = () => ask({ action: "join", stamp: one("#thread").dataset.stamp, said: said() });
const isOfThread = (event) => event.detail.target.id === "thread";
const isOfChat = (event) => isOfThread(event) || event.target.matches("#composer, #waiting");

function tell(problem) {
  const box = one("#problem");
  if (!box) return;
  one(".banner__text", box).textContent = box.dataset[problem] ?? box.dataset.other;
  box.hidden = false;
}

document.addEventListener("htmx:wsOpen", join);
document.addEventListener("htmx:sendError", () => tell("unreachable"));
document.addEventListener("htmx:timeout", () => tell("unreachable"));
document.addEventListener("htmx:wsClose", ({ detail }) => {
  if (detail.event.code === SIGNED_OUT) tell("403");
});
document.addEventListener("htmx:responseError", (event) => {
  const { status } = event.detail.xhr;
  if (status === 404 && isOfChat(event)) reconnect(); // and be told what became of the chat
  else tell(String(status));
});
// What is told stands until the person does the next thing; the page asks by itself, too.
document.addEventListener("htmx:beforeRequest", (event) => {
  const problem = one("#problem");
  if (problem && event.detail.requestConfig.triggeringEvent?.isTrusted) problem.hidden = true;
});

// Fragments

// The answer to a send and the socket both bring the turn; whichever is second is left out. By then
// its reply may have ended, and with it what else the answer says of it.
let isOvertaken = false;

document.addEventListener("htmx:oobBeforeSwap", (event) => {
  const { target, fragment } = event.detail;
  if (target.id === "thread" && !one("#thread", fragment)) {
    for (const child of [...fragment.children]) {
      const shown = document.getElementById(child.id);
      if (shown) child.remove();
      isOvertaken ||= Boolean(shown) && child.matches("[aria-busy]") && !shown.matches("[aria-busy]");
    }
  }
  if (isOvertaken && ["composer-send", "listed"].includes(target.id)) event.detail.shouldSwap = false;
  const isEnd = target.matches("[aria-busy]") && !one("[aria-busy]", fragment);
  if (isEnd) announce(one("#announce").dataset.finished);
});

// The thread is read again when this page can't follow what happened. Meanwhile nobody edits in it,
// and no answer is under way to it: both would be lost with what they belong to.
const READ_AGAIN_AFTER = 5000; // milliseconds, when it couldn't be read
let isStale = false;
const isInUse = () => Boolean(one("#thread :is([data-edit-form], .htmx-request)"));

function readAgain() {
  isStale = isInUse();
  if (!isStale) htmx.trigger(document.body, "stale");
}

// What arrived meanwhile would be overwritten.
document.addEventListener("htmx:beforeRequest", (event) => {
  if (isOfThread(event)) ask({ action: "leave" });
});

document.addEventListener("htmx:beforeSwap", (event) => {
  if (!isOfThread(event) || !isInUse()) return;
  event.detail.shouldSwap = false;
  isStale = true;
});

document.addEventListener("htmx:afterRequest", (event) => {
  const { elt } = event.detail.requestConfig; // which may be gone from the page by now
  const isGone = event.detail.xhr.status === 404; // and stays gone
  if (isOfThread(event) && !isTaken(event) && !isGone) setTimeout(join, READ_AGAIN_AFTER);
  if (isTaken(event) && elt.matches("[data-edit-form]")) {
    delete elt.dataset.editForm;
    if (elt.contains(document.activeElement) && !isTouch.matches) one("#composer-body")?.focus();
    follow();
  }
  if (isStale) readAgain();
  isOvertaken = false;
});

document.addEventListener("htmx:afterSwap", (event) => {
  if (event.target.id === "thread") join();
});

// The chat's row of the side list comes in a template: the list may show others just now.
function showInList() {
  const row = one("#listed").content.firstElementChild;
  const before = row && document.getElementById(row.id);
  if (!before) return;
  before.replaceWith(row);
  htmx.process(row);
}

document.addEventListener("htmx:oobAfterSwap", (event) => {
  const { target } = event.detail;
  if (target.id === "chat-title") {
    document.title = `${one("#chat-title").textContent} · memoryapp`;
  }
  if (target.id === "listed") showInList();
  if (target.id === "freshness") readAgain();
  if (target.id === "gone") {
    for (const reply of all("#thread [aria-busy]")) reply.removeAttribute("aria-busy");
    one("#chats li:has([aria-current])")?.remove();
    beginAnew(one("#gone").dataset.begin);
  }
  if (target.id === "notice") announce(one("[data-announce]")?.textContent ?? "");
});

// Dialog: filled by htmx, shown when there is something in it

document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.target?.id !== "dialog") return;
  const dialog = one("#dialog");
  if (!dialog.childElementCount) dialog.close();
  else if (!dialog.open) dialog.showModal();
  one("[aria-invalid], .input", dialog)?.focus();
});

// Menu: a button that submits can't close it by itself

document.addEventListener("submit", (event) => event.target.closest("#menu")?.hidePopover());

// When what was chosen in a menu is done, the focus goes back to the button that the menu belongs
// to. That may be another one by now, of a new list; what was chosen is hidden, and can't have it.
let menuButton = "";

const isLost = (focused) => focused === document.body || !focused.checkVisibility();

function giveBack() {
  const button = document.getElementById(menuButton) ?? one("#chats .chats__link");
  if (menuButton && button && isLost(document.activeElement)) takeFocus(button);
  menuButton = "";
}

document.addEventListener("close", giveBack, true);
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.requestConfig?.elt.matches("#menu form")) giveBack();
});

// The inbox: what is decided goes, and the focus with it; what then stands in its place has it.
document.addEventListener("htmx:afterSettle", (event) => {
  const row = event.detail.requestConfig?.elt.closest("#proposals > li");
  if (!row || !isLost(document.activeElement)) return;
  const at = [...row.parentElement.children].indexOf(row);
  (all("#proposals > li")[at] ?? one("#proposals > :last-child")).focus({ preventScroll: true });
});

// A row of memory that comes anew has the focus where the old one had it: in its form, or at the act
// in the same place.
const actsOf = (row) => [...(one(".fact__acts", row)?.children ?? [])];

document.addEventListener("htmx:afterSettle", ({ target, detail }) => {
  const pressed = detail.requestConfig?.elt;
  const row = pressed?.closest(".fact");
  if (!row || !target.matches(".fact") || !isLost(document.activeElement)) return;
  const act = actsOf(target)[actsOf(row).indexOf(pressed)];
  const field = one("[aria-invalid], .input", target);
  (field ?? act?.querySelector("button") ?? act ?? target).focus({ preventScroll: true });
});

// An edit that is given up gives the focus back: to the composer, or to what was pressed.
let editedFrom = "";

document.addEventListener("htmx:afterSettle", ({ target, detail }) => {
  if (!detail.requestConfig?.elt.matches("[data-edit-cancel]")) return;
  (document.getElementById(editedFrom) ?? one("[data-edit]", target))?.focus();
});

// Keys

// A side that is no part of the page lies over it while it is open; one that slides out is still
// visible.
function takeFocus(element) {
  const side = element.closest("[popover]");
  const isOver = side && getComputedStyle(side).position === "fixed";
  if (isOver && !side.matches(":popover-open")) side.showPopover();
  element.focus();
}

document.addEventListener("keydown", (event) => {
  if (isComposing(event)) return;
  const isOpen = one("dialog[open], [popover]:popover-open");
  const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
  const isCommand = event.ctrlKey || event.metaKey;
  const cancel = event.target.closest?.("[data-edit-form]");
  if (event.key === "Escape" && cancel) one("[data-edit-cancel]", cancel).click();
  else if (event.key === "Escape" && !isOpen) one("[data-stop]")?.click();
  else if (event.key === "?" && !isTyping && !isOpen) one("#keys")?.showModal();
  else if (isCommand && event.key === "k") takeFocus(one(".side .search .input"));
  else if (isCommand && event.shiftKey && event.key.toLowerCase() === "o") one("[data-new-chat]").click();
  else return;
  if (event.key !== "Escape") event.preventDefault();
});

// Light or dark: kept in a cookie, so that the next page comes in it

document.addEventListener("change", (event) => {
  if (!event.target.matches("[data-theme-select]")) return;
  const theme = event.target.value;
  document.documentElement.dataset.theme = theme;
  if (!theme) delete document.documentElement.dataset.theme;
  document.cookie = `theme=${theme}; path=/; max-age=${theme ? 31536000 : 0}; samesite=lax`;
});

// Presses

const presses = {
  "[data-close]": (button, event) => {
    const dialog = button.closest("dialog");
    if (!dialog) return;
    event.preventDefault();
    dialog.close();
  },
  "[popovertarget=menu]": ({ id }) => {
    menuButton = id;
  },
  "[data-keys]": () => one("#keys").showModal(),
  "[data-edit]": () => {
    editedFrom = document.activeElement.id;
  },
  "[data-queue]": submit,
  "[data-waiting-edit]": () => fill(takeBack()),
  "[data-waiting-remove]": () => takeBack() && one("#composer-body").focus(),
  "[data-unfold]": unfold,
  "[data-version]": stay,
  "[data-dismiss]": (button) => {
    const box = document.getElementById(button.dataset.dismiss);
    if (box.id === "notice") box.replaceChildren();
    else box.hidden = true;
  },
  "[data-jump]": follow,
  "[data-saying]": (button) => fill(one(".quote", button).textContent),
  "[data-reconnect]": reconnect,
  "[data-copy]": (button) => copy(button, one("code", button.closest(".code")).textContent),
  "[data-copy-message]": (button) =>
    copy(button, textOf(one(".message__body", button.closest(".message")))),
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

// What a person wrote may be folded; a reply is copied as it is seen.
function textOf(body) {
  if (!body.matches(".message__said")) return body.innerText;
  const whole = body.cloneNode(true);
  one("summary", whole)?.remove();
  return whole.textContent;
}

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
sendWaiting();
if (!isTouch.matches && !location.hash) one("#composer-body")?.focus();
