// The page that stands in for another while the database is away: it opens the other one as soon as
// that can be had. Looked for beside the page, which stays as it is meanwhile.

import { one } from "./dom.js";

const milliseconds = 1000 * one("#again").dataset.retrySeconds;

async function tryAgain() {
  const answer = await fetch(location, { redirect: "manual" }).catch(() => ({ status: 503 }));
  if (answer.status === 503) setTimeout(tryAgain, milliseconds);
  else location.reload();
}

setTimeout(tryAgain, milliseconds);
