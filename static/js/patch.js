// The way of swapping called "patch": what is there already stays the very element that it is, with
// what is selected, focused and unfolded in it, and only what differs is put in or taken out.

import { sourceOf } from "./math.js";

const isElement = (node) => node.nodeType === Node.ELEMENT_NODE;
const isEqual = (node, wanted) =>
  node.isEqualNode(wanted) || (isElement(node) && sourceOf(node).isEqualNode(wanted));

/** Whether one is the other in a newer state: they have the same id or, without one, classes. */
const isSame = (node, wanted) =>
  isElement(node) &&
  node.tagName === wanted.tagName &&
  node.id === wanted.id &&
  Boolean(node.id || (node.className && node.className === wanted.className));

// The text of a reply that is being written comes by the socket, newer than a page can have it.
const isNewer = (node, wanted) => node.matches("[aria-busy]") && wanted.matches("[aria-busy]");

// What is fetched when it is unfolded stays once it is there, and is fetched again.
const isFetched = (node, wanted) => wanted.matches("[data-later]") && !node.matches("[data-later]");

/** The one among these siblings that is to become `wanted`. */
function findFor(wanted, siblings) {
  if (!isElement(wanted)) return siblings[0]?.isEqualNode(wanted) ? siblings[0] : undefined;
  return siblings.find((node) => isEqual(node, wanted) || isSame(node, wanted));
}

/** Whether any was another one. */
function patchAttributes(shown, wanted) {
  const gone = [...shown.attributes].filter(({ name }) => name !== "open" && !wanted.hasAttribute(name));
  const changed = [...wanted.attributes].filter(({ name, value }) => shown.getAttribute(name) !== value);
  for (const { name } of gone) shown.removeAttribute(name);
  for (const { name, value } of changed) shown.setAttribute(name, value);
  return Boolean(gone.length || changed.length);
}

/** Make `shown` be like `wanted`; the elements that htmx has to look at, each once. */
function patch(shown, wanted) {
  const isChanged = patchAttributes(shown, wanted);
  const left = [...shown.childNodes];
  const fresh = [];
  for (const child of [...wanted.childNodes]) {
    const kept = findFor(child, left);
    if (!kept) {
      shown.insertBefore(child, left[0] ?? null);
      fresh.push(child);
      continue;
    }
    for (const gone of left.splice(0, left.indexOf(kept))) gone.remove();
    left.shift();
    if (isEqual(kept, child) || isNewer(kept, child)) continue;
    if (isFetched(kept, child)) htmx.trigger(kept, "outdated");
    else fresh.push(...patch(kept, child));
  }
  for (const gone of left) gone.remove();
  return isChanged ? [shown] : fresh;
}

htmx.defineExtension("patch", {
  isInlineSwap: (style) => style === "patch",
  handleSwap(style, target, fragment) {
    if (style !== "patch") return false;
    const wanted = fragment.firstElementChild;
    if (isSame(target, wanted)) return patch(target, wanted);
    target.replaceWith(wanted);
    return [wanted];
  },
});
