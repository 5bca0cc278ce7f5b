// All elements are made in this file, so that texts of peers always become text and never markup.
import { icon as picture } from "./icons.js"
import { splitAt } from "../model/found.js"
import { isSafe } from "../model/links.js"
import { number, words } from "../model/words.js"

/** The attributes whose values are not checked. */
const plain = new Set((
  "label class id role type tabindex title lang dir name for placeholder value alt width height hidden "
  + "disabled checked required multiple accept autocomplete rows min max maxlength controls preload download "
  + "target rel datetime open selected autofocus spellcheck enterkeyhint"
).split(" "))

/**
 * Makes an element. Children that are not elements become text.
 * @param {string} kind the tag and the classes: `div.card`
 * @param {...any} content the attributes first, if there are any; then the children
 * @returns {any}
 */
export function el(kind, ...content) {
  const [tag, ...classes] = kind.split("."), element = document.createElement(tag)
  if (classes.length) element.className = classes.join(" ")
  if (content[0]?.constructor === Object) set(element, content.shift())
  add(element, content)
  return element
}

/**
 * Sets attributes, except those whose value is null or false. `on` contains event listeners, and `label` is the text
 * for screen readers.
 */
export function set(/** @type {Element} */ element, attributes) {
  for (const [name, given] of Object.entries(attributes)) {
    if (given === undefined || given === null || given === false) continue
    if (name == "on") {
      for (const [event, listener] of Object.entries(given)) element.addEventListener(event, listener)
      continue
    }
    const value = given === true ? "" : String(given)
    const isFit =
      name == "src"
        ? isOwn(value)
        : name == "href"
          ? value.startsWith("#") || isSafe(value)
          : plain.has(name) || name.startsWith("aria-")
    if (!isFit) throw new Error(`The attribute ${name} is not set here.`)
    element.setAttribute(name == "label" ? "aria-label" : name, value)
  }
}

/** Whether the page may load an address: checked bytes in memory, or a file of this server. */
const isOwn = address => address.startsWith("blob:") || new URL(address, location.href).origin == location.origin

/**
 * Flattens lists of children, and converts values that are not elements to text: numbers in the form of the language.
 * @param {any[]} children
 * @returns {(Node | string)[]}
 */
const nodes = children =>
  children
    .flat(Infinity)
    .filter(child => child !== null && child !== undefined && child !== false)
    .map(child => (child instanceof Node ? child : typeof child == "number" ? number(child) : String(child)))

/** @param {Element} element @param {any[]} children may be nested lists */
export const add = (element, children) => element.append(...nodes(children))

/** Parts of the page whose elements may be replaced by elements of the same name when the part is drawn again. */
const parts = "chat-item-view, queued-item-view, chat-preview-view, dialog, header, .foot"

const nameOf = (/** @type {Element} */ it) =>
  it.id || (it.getAttribute("aria-label") ?? it.getAttribute("href") ?? it.textContent)

/** Moves the focus to the element that has replaced an element. */
function focusSuccessor(/** @type {Element} */ within, /** @type {Element} */ before) {
  const name = nameOf(before), all = [...within.querySelectorAll(before.tagName)]
  const same = name ? all.find(it => nameOf(it) == name) : null
  if (same instanceof HTMLElement) same.focus({ preventScroll: true })
}

/** Remembers the focused element. Returns a function that focuses this element or its replacement again. */
export function rememberFocus() {
  const before = document.activeElement, part = before?.closest(parts)
  return () => {
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    else if (before && part?.isConnected) focusSuccessor(part, before)
  }
}

/**
 * Replaces the children of an element. A child that stays is not moved, so that a sound or video in it continues. The
 * focus also stays.
 */
export function fill(/** @type {Element} */ element, ...children) {
  const after = nodes(children), staying = new Set(after)
  const focused = document.activeElement, hadFocus = focused !== element && element.contains(focused)
  for (const child of [...element.childNodes]) if (!staying.has(child)) child.remove()
  let place = element.firstChild
  for (const child of after) {
    if (child === place) place = place.nextSibling
    else element.insertBefore(child instanceof Node ? child : document.createTextNode(child), place)
  }
  if (focused && hadFocus && !element.contains(focused)) focusSuccessor(element, focused)
}

/**
 * Makes an element for a text of a peer. The writing direction of this text must not change the direction of
 * neighbouring texts.
 */
export const text = (value, tag = "bdi") => el(tag, { dir: "auto" }, value ?? "")

/** Makes an element for a text of a peer, in which the occurrences of a searched text are marked. */
export const marked = (value, query, tag = "bdi") =>
  el(tag, { dir: "auto" }, splitAt(value ?? "", query).map((part, index) => (index % 2 ? el("mark", part) : part)))

/** @type {WeakMap<object, any[]>} */
const drawn = new WeakMap()
/** Calls `draw` the first time, and later only if one of the values has changed, so that the focus stays. */
export function drawWith(/** @type {object} */ what, /** @type {any[]} */ values, draw) {
  const before = drawn.get(what)
  if (before && before.length == values.length && values.every((value, index) => value === before[index])) return
  drawn.set(what, values)
  // After an error the element does not show the new values, so the next call draws again.
  try { draw() } catch (error) { drawn.delete(what); throw error }
}

/** Makes a symbol with a text for screen readers. */
export const sign = (name, mark, kind = "") =>
  el("span", { class: kind || null, title: name, role: "img", label: name }, mark)

/** Makes a symbol beside a name; null if there is nothing to show. */
export const badge = (kind, name, shown) => (shown ? sign(name, shown, `badge ${kind}`) : null)

/**
 * Makes the badge of a group with the number of unread support chats, or of unread messages in the user's own support
 * chat.
 */
export const supportBadge = (/** @type {number} */ count) =>
  badge("", words.said(words.askModerators, words.unread(count)), count > 0 && `? ${number(count)}`)

/** Makes a search field. */
export const searchField = (name, input, more = {}) =>
  el("input", { type: "search", placeholder: name, label: name, on: { input }, ...more })

/** Waits until the page is visible. A page in a hidden tab sends no requests to show something new. */
export const visible = async () => {
  while (document.hidden) await new Promise(done => document.addEventListener("visibilitychange", done, { once: true }))
}

/** A view is a custom element that draws its arguments. */
export class View extends HTMLElement {
  show(...values) {
    drawWith(this, values, () => {
      const made = this.draw(...values)
      if (made !== undefined) fill(this, made)
    })
    return this
  }

  /** @param {...any} values @returns {any} the new children; undefined if the view updates its children itself */
  draw(...values) { return values }
}

/**
 * Makes a view that shows nothing yet. The name of its custom element is made from the name of its class:
 * `ci-meta-view`.
 * @template {View} T
 * @param {new (...given: any[]) => T} kind
 * @param {...any} given for the constructor
 * @returns {T}
 */
export function make(kind, ...given) {
  const name = kind.name.replace(/[a-z](?=[A-Z])|[A-Z](?=[A-Z][a-z])/g, "$&-").toLowerCase()
  if (!customElements.get(name)) customElements.define(name, kind)
  return new kind(...given)
}

/** @template {View} T @param {new () => T} kind @returns {T} */
export const view = (kind, ...values) => /** @type {T} */ (make(kind).show(...values))

/**
 * Shows other values in a view. If the earlier view `before` has the same kind, it is used again.
 * @template {View} T
 * @param {View | null} before
 * @param {new () => T} kind
 * @returns {T}
 */
export const viewAgain = (before, kind, ...values) =>
  /** @type {T} */ (before?.constructor === kind ? before : make(kind)).show(...values)

/**
 * Makes a button. With an `icon`, the name is only for screen readers and the tooltip. Without an icon, the name may be
 * any content.
 * @param {any} name
 * @param {(event: any) => void} press
 * @param {{icon?: string, kind?: string, [attribute: string]: any}} [more]
 */
export function button(name, press, more = {}) {
  const { icon = "", kind = "", ...rest } = more
  return el("button", {
    type: "button",
    class: kind,
    title: icon ? name : null,
    label: icon ? name : null,
    on: { click: press },
    ...rest,
  }, icon ? picture(icon) : name)
}
