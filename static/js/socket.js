// The page's connection to the server: one at a time, opened anew when it was lost.

import { one } from "./dom.js";

const FIRST_PAUSE = 1000; // milliseconds; each further one is twice as long
const LONGEST_PAUSE = 30_000;
const ON_PURPOSE = [1000, 1005]; // the codes of what was closed by one side and wasn't lost
export const SIGNED_OUT = 4401;
const GONE = 4404; // the chat was deleted; the page was told

let line = null; // the newest WebSocket
let wrapper = null; // what the extension gives out to reach it
let lost = 0; // times in a row
let retry = 0;

const isOpen = () => line?.readyState === WebSocket.OPEN;

// The extension's own next try can't be called off when another one succeeds before it, and then
// it would close what works. So it comes after the longest pause that there is.
htmx.config.wsReconnectDelay = () => 2 ** 31 - 1;
htmx.createWebSocket = (address) => {
  line?.close();
  line = new WebSocket(address);
  return line;
};

/** Have the server do something for this page. While nothing connects them it is left out. */
export function ask(action) {
  if (isOpen()) wrapper.send(JSON.stringify(action), null);
}

/** Connect anew, at once. */
export function reconnect() {
  clearTimeout(retry);
  wrapper?.reconnect();
}

function showOffline(isOffline) {
  const box = one("#offline");
  if (box) box.hidden = !isOffline;
}

document.addEventListener("htmx:wsOpen", (event) => {
  wrapper = event.detail.socketWrapper;
  lost = 0;
  showOffline(false);
});

document.addEventListener("htmx:wsClose", ({ detail }) => {
  if (detail.event.target !== line) return; // another one is there already
  wrapper = detail.socketWrapper;
  if ([SIGNED_OUT, GONE].includes(detail.event.code)) return;
  showOffline(true);
  if (ON_PURPOSE.includes(detail.event.code)) return;
  const pause = Math.min(FIRST_PAUSE * 2 ** lost, LONGEST_PAUSE);
  lost += 1;
  clearTimeout(retry);
  retry = setTimeout(reconnect, pause * Math.random()); // not all pages at the same moment
});

// Long before the socket notices.
window.addEventListener("offline", () => showOffline(true));
window.addEventListener("online", () => {
  if (wrapper) reconnect();
  else showOffline(false);
});
