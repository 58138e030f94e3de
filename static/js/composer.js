// The composer: what is written in it, pasted texts folded, kept as a draft until it is sent.

import { all, copyOf, isComposing, isTaken, isTouch, kept, one } from "./dom.js";
import { follow } from "./scroll.js";
import { ask } from "./socket.js";
import { hasWaiting, takeBack, wait } from "./waiting.js";

const PASTE_LINES = 40; // a pasted text with more lines is folded
const drafts = kept(() => localStorage);

const composer = () => one("#composer");
const bodyBox = () => one("#composer-body");
const draftKey = () => `draft:${composer().dataset.draft}`;
const ownDrafts = () => composer().dataset.draft.split("/", 1)[0];
const pastes = () => all("#composer-pastes .paste__text").map((box) => box.textContent);

const joined = (...parts) => parts.filter((part) => part.trim()).join("\n\n");

/** All that would be sent. */
const written = () => joined(bodyBox().value, ...pastes());

function fit(textarea) {
  if (CSS.supports("field-sizing", "content")) return;
  textarea.style.height = "auto";
  textarea.style.height = `${textarea.scrollHeight}px`;
}

function keep() {
  const draft = { body: bodyBox().value, pastes: pastes() };
  if (composer().dataset.draft) drafts.set(draftKey(), written() && draft); // else nothing is kept
  bodyBox().required = !draft.pastes.length;
  fit(bodyBox());
}

function write(text) {
  one("#composer-pastes").replaceChildren();
  bodyBox().value = text;
  keep();
}

export function fill(text) {
  write(text);
  bodyBox().focus();
}

function fold(text) {
  const paste = copyOf("paste-template");
  one(".paste__text", paste).textContent = text;
  one(".paste__lines", paste).textContent = text.split("\n").length;
  one("#composer-pastes").append(paste);
}

export function unfold(button) {
  button.closest(".paste").remove();
  keep();
  bodyBox().focus();
}

/** Put what is written behind the reply that streams, or send it, unless it is under way. */
export function submit() {
  if (!written() || composer().matches(".htmx-request")) return;
  if (!one("[data-stop]") && !hasWaiting()) return composer().requestSubmit();
  if (!one("#waiting")) return;
  wait(written());
  fill("");
}

function restoreDraft() {
  if (bodyBox().value) return keep(); // written before this script was there
  const draft = drafts.get(draftKey());
  if (!draft) return;
  bodyBox().value = draft.body;
  draft.pastes.forEach(fold);
  keep();
}

/** Have the composer of a chat that is gone begin another one, with all that wasn't sent. */
export function beginAnew(address) {
  const form = composer();
  if (form.getAttribute("action") === address) return;
  const unsent = joined(takeBack(), written());
  drafts.set(draftKey(), null);
  form.dataset.draft = ownDrafts() + address;
  form.setAttribute("action", address);
  form.setAttribute("hx-post", address);
  one("#memory-switch [hx-post]")?.removeAttribute("hx-post"); // it goes along with the message
  htmx.process(form);
  const { body, pastes } = drafts.get(draftKey()) ?? { body: "", pastes: [] };
  write(joined(body, ...pastes, unsent));
}

function editLast() {
  const text = takeBack();
  if (text) return fill(text);
  all("[data-edit]").at(-1)?.click();
}

document.addEventListener("keydown", (event) => {
  const isEdit = event.target.matches?.("[data-edit-form] textarea");
  if ((event.target !== bodyBox() && !isEdit) || isComposing(event)) return;
  const isPlain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
  if (event.key === "ArrowUp" && isPlain && !isEdit && !written()) {
    event.preventDefault();
    editLast();
  }
  if (event.key !== "Enter" || event.shiftKey || event.altKey || (isTouch.matches && isPlain)) return;
  event.preventDefault();
  if (isEdit) event.target.form.requestSubmit();
  else submit();
});

document.addEventListener("input", (event) => {
  if (event.target.id === "composer-body") keep();
});

document.addEventListener("paste", (event) => {
  if (event.target.id !== "composer-body") return;
  const text = event.clipboardData.getData("text/plain").replaceAll("\r\n", "\n");
  if (text.split("\n").length <= PASTE_LINES) return;
  event.preventDefault();
  fold(text);
  keep();
});

let posted = { body: "", pastes: [] }; // what is under way
let isUnanswered = false; // and that by the socket, with which it may be lost

function takeAll(event) {
  if (event.target !== composer()) return;
  posted = { body: bodyBox().value, pastes: all("#composer-pastes .paste"), whole: written() };
  event.detail.parameters.body = posted.whole;
}

document.addEventListener("htmx:configRequest", takeAll);
document.addEventListener("htmx:wsConfigSend", (event) => {
  takeAll(event);
  isUnanswered ||= event.target === composer();
});

// Sent again it is the same message, whatever was changed in it: so it is sent once.
document.addEventListener(
  "submit",
  (event) => {
    if (!isUnanswered || event.target !== composer()) return;
    event.preventDefault();
    event.stopPropagation();
  },
  true,
);

// By then the server has been told what was said before.
document.addEventListener("htmx:wsOpen", () => setTimeout(sendAgain));

function sendAgain() {
  if (isUnanswered) ask({ action: "send", id: one("#composer-id").value, body: posted.whole });
}

// Whoever reads or works elsewhere by then stays there, and a keyboard that is put away stays away.
function isFree() {
  const focused = document.activeElement;
  const isHere = focused === document.body || composer().contains(focused);
  return isHere && !isTouch.matches && getSelection().isCollapsed;
}

/** Clear what was sent, and nothing that was written meanwhile. */
function sent() {
  for (const paste of posted.pastes) paste.remove();
  const { value } = bodyBox();
  if (value.startsWith(posted.body)) bodyBox().value = value.slice(posted.body.length).trimStart();
  keep();
  if (isFree()) bodyBox().focus();
  one("#notice")?.replaceChildren();
  follow();
}

document.addEventListener("htmx:afterRequest", (event) => {
  const isComposer = event.target === composer(); // form.id would be its field "id"
  if (isComposer && isTaken(event)) sent();
  else if (isComposer) keep(); // signing out in another tab has dropped the draft
  // What waited and can't be sent as it is comes back, to be changed. While somebody else's message
  // is answered it goes on waiting.
  if (event.target.id === "waiting" && event.detail.xhr.status === 422) fill(takeBack());
});

// The answer to what went through the socket: an id for the next message.
document.addEventListener("htmx:oobAfterSwap", ({ detail }) => {
  if (detail.target.id === "composer-id" && !composer().dataset.draft) sent();
  if (["composer-id", "composer-error"].includes(detail.target.id)) isUnanswered = false;
});

if (composer()?.dataset.draft) {
  drafts.drop("draft:", `draft:${ownDrafts()}/`); // of others who used this browser
  restoreDraft();
}
