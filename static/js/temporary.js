// A temporary chat is in this page alone: leaving asks first, unless the chat is kept.

import { all, one } from "./dom.js";

/** The messages as the server gave them out; it takes them back after a lost connection. */
export const said = () => all('[name="said"]').map((entry) => entry.value);

let isKept = false;

addEventListener("beforeunload", (event) => {
  if (!isKept && said().length) event.preventDefault();
});

document.addEventListener("htmx:beforeOnLoad", (event) => {
  if (event.target === one("#keep")) isKept = event.detail.xhr.status === 200;
});
