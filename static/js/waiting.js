// One message may wait for the end of the reply that streams; it goes out then, by itself.

import { announce, copyOf, isTaken, kept, one } from "./dom.js";
import { follow } from "./scroll.js";

const store = kept(() => sessionStorage); // of this tab: two tabs would send it twice

const box = () => one("#waiting");
const key = () => `waiting:${one("#composer").dataset.draft}`;
const isAnswering = () => Boolean(one("[data-stop]"));
let isSending = false;

export const hasWaiting = () => Boolean(box() && store.get(key()));

// crypto.randomUUID exists only on https and localhost.
const uuid = () =>
  "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (digit) =>
    (digit ^ (crypto.getRandomValues(new Uint8Array(1))[0] & (15 >> (digit / 4)))).toString(16),
  );

function show() {
  const waiting = store.get(key());
  box().replaceChildren();
  if (!waiting) return;
  const message = copyOf("waiting-template");
  one(".message__body", message).textContent = waiting.body;
  box().append(message);
}

/** Have a text go out after the reply; after another one that waits, as its next paragraph. */
export function wait(text) {
  const waiting = store.get(key());
  const body = waiting ? `${waiting.body}\n\n${text}` : text;
  // The same id until it has arrived: sent twice, it is one message.
  store.set(key(), { id: waiting?.id ?? uuid(), body });
  show();
  announce(one(".message__state span", box()).textContent);
  follow();
}

/** The text that waits, which no longer does; "" if none. */
export function takeBack() {
  const body = (box() && !isSending && store.get(key())?.body) || "";
  if (body) {
    store.set(key(), null);
    show();
  }
  return body;
}

/** Send what waits, if nothing is in its way. */
export function sendWaiting() {
  const waiting = box() && store.get(key());
  if (!waiting || isSending || isAnswering()) return;
  isSending = true;
  const address = one("#composer").getAttribute("action");
  htmx.ajax("POST", address, { source: box(), target: box(), swap: "none", values: waiting });
}

document.addEventListener("htmx:afterRequest", (event) => {
  if (event.target.id !== "waiting") return;
  isSending = false;
  if (!isTaken(event)) return;
  store.set(key(), null);
  show();
  follow();
});

document.addEventListener("htmx:oobAfterSwap", (event) => {
  if (event.detail.target.id === "composer-send") sendWaiting();
});
// By then the page has what it may have missed.
document.addEventListener("htmx:wsOpen", () => setTimeout(sendWaiting, 1000));

if (box()) show();
