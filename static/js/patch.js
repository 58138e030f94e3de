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

/** The one among these siblings that is to become `wanted`. */
function findFor(wanted, siblings) {
  if (!isElement(wanted)) return siblings[0]?.isEqualNode(wanted) ? siblings[0] : undefined;
  return siblings.find((node) => isEqual(node, wanted) || isSame(node, wanted));
}

function patchAttributes(shown, wanted) {
  for (const { name } of [...shown.attributes]) {
    if (name !== "open" && !wanted.hasAttribute(name)) shown.removeAttribute(name);
  }
  for (const { name, value } of wanted.attributes) {
    if (shown.getAttribute(name) !== value) shown.setAttribute(name, value);
  }
}

function patch(shown, wanted) {
  patchAttributes(shown, wanted);
  const left = [...shown.childNodes];
  for (const child of [...wanted.childNodes]) {
    const kept = findFor(child, left);
    if (!kept) {
      shown.insertBefore(child, left[0] ?? null);
      continue;
    }
    for (const gone of left.splice(0, left.indexOf(kept))) gone.remove();
    left.shift();
    if (!isEqual(kept, child) && !isNewer(kept, child)) patch(kept, child);
  }
  for (const gone of left) gone.remove();
}

htmx.defineExtension("patch", {
  isInlineSwap: (style) => style === "patch",
  handleSwap(style, target, fragment) {
    if (style !== "patch") return false;
    const wanted = fragment.firstElementChild;
    if (isSame(target, wanted)) {
      patch(target, wanted);
      return [target];
    }
    target.replaceWith(wanted);
    return [wanted];
  },
});
