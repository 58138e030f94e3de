// What all parts of the page use.

export const one = (selector, within = document) => within.querySelector(selector);
export const all = (selector, within = document) => [...within.querySelectorAll(selector)];

export const isTouch = matchMedia("(pointer: coarse)");

// Safari sends the Enter that ends an input method's word after the composition: keyCode 229.
export const isComposing = (event) => event.isComposing || event.keyCode === 229;

/** A copy of what the <template> with this id holds. */
export const copyOf = (id) => document.getElementById(id).content.firstElementChild.cloneNode(true);

/** Whether the server took what a request brought. To htmx a refusal that is shown is a success,
    and it doesn't look at the answer that leads to another page. */
export const isTaken = ({ detail }) => detail.xhr.status >= 200 && detail.xhr.status < 400;

let announced = "";

/** Have a screen reader say a sentence, once. */
export function announce(sentence) {
  if (sentence && sentence !== announced) one("#announce").textContent = sentence;
  announced = sentence;
}

/** Values that outlive the page. A browser that keeps none (private, full) is no reason to fail. */
export const kept = (store) => ({
  get(key) {
    try {
      return JSON.parse(store().getItem(key));
    } catch {
      return null;
    }
  },
  set(key, value) {
    try {
      if (value) store().setItem(key, JSON.stringify(value));
      else store().removeItem(key);
    } catch {
      // The page goes on without.
    }
  },
  /** Forget what is kept under keys that begin like this, but not like that. */
  drop(beginning, but) {
    try {
      for (const key of Object.keys(store())) {
        if (key.startsWith(beginning) && !key.startsWith(but)) store().removeItem(key);
      }
    } catch {
      // Where nothing can be read, nothing is kept.
    }
  },
});
