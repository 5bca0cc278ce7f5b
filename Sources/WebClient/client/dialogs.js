// Dialogs, menus and short notices.
import { el, add, button } from "./dom.js"
import { words } from "./words.js"
import { host, isInvitation } from "./links.js"

/**
 * A dialog over the page. It is gone when it is closed.
 * @param {string} title
 * @param {...any} content
 * @returns {HTMLDialogElement}
 */
export function dialog(title, ...content) {
  const heading = el("h2", { id: "dialog-title" }, title)
  /** @type {HTMLDialogElement} */
  const box = el("dialog", { "aria-labelledby": "dialog-title" },
    el("header", null, heading, button(words.close, () => box.close(), { icon: "close", kind: "plain" })), el("div", { class: "body" }, ...content))
  box.addEventListener("close", () => box.remove())
  // Outside of the box is the backdrop.
  box.addEventListener("mousedown", event => { if (event.target === box) box.close() })
  document.body.append(box)
  box.showModal()
  return box
}

/** @param {string} title @param {any} explanation @param {string} action @returns {Promise<boolean>} */
export function confirmed(title, explanation, action, isDangerous = false) {
  return new Promise(answer => {
    let isYes = false
    const yes = button(action, () => { isYes = true; box.close() }, { kind: isDangerous ? "danger" : "primary" })
    const box = dialog(title, el("div", { class: "explanation" }, explanation),
      el("footer", null, button(words.cancel, () => box.close()), yes))
    box.addEventListener("close", () => answer(isYes))
    yes.focus()
  })
}

let place
/** Says something for a moment, also to who does not see it. */
export function say(message) {
  place ??= document.body.appendChild(el("div", { class: "notices", role: "status" }))
  const line = el("p", null, message)
  place.append(line)
  setTimeout(() => line.remove(), 6000)
}

/** Runs what a person has asked for, and says what went wrong. @template T @param {() => Promise<T>} work @returns {Promise<T | undefined>} */
export async function attempt(work) {
  try { return await work() } catch (error) { say(error.message) }
}

/**
 * A menu at an element or a point.
 * @param {{at: Element | {x: number, y: number}, label: string, entries: ({name: string, run: () => void, isDangerous?: boolean} | null | false | undefined)[], top?: Element}} options
 */
export function menu({ at, label, entries, top }) {
  const before = document.activeElement
  const close = () => { box.remove(); removeEventListener("pointerdown", outside, true); removeEventListener("resize", close) }
  const outside = event => { if (!box.contains(event.target)) close() }
  const items = entries.filter(entry => entry).map(entry => {
    const { name, run, isDangerous } = /** @type {any} */ (entry)
    return el("button", { type: "button", role: "menuitem", tabindex: -1, class: isDangerous ? "danger" : null, on: { click: () => { close(); run() } } }, name)
  })
  const box = el("div", { class: "menu", role: "menu", "aria-label": label }, top, ...items)
  const buttons = () => [...box.querySelectorAll("button")]
  box.addEventListener("keydown", event => {
    const all = buttons(), now = all.indexOf(document.activeElement)
    const next = { ArrowDown: now + 1, ArrowUp: now - 1, ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: all.length - 1 }[event.key]
    if (next !== undefined) { event.preventDefault(); all[(next + all.length) % all.length]?.focus() }
    else if (event.key == "Escape" || event.key == "Tab") { event.preventDefault(); close(); if (before instanceof HTMLElement) before.focus() }
    event.stopPropagation()
  })
  document.body.append(box)
  const point = at instanceof Element ? { x: at.getBoundingClientRect().left, y: at.getBoundingClientRect().bottom } : at
  box.style.left = `${Math.max(8, Math.min(point.x, innerWidth - box.offsetWidth - 8))}px`
  box.style.top = `${Math.max(8, Math.min(point.y, innerHeight - box.offsetHeight - 8))}px`
  addEventListener("pointerdown", outside, true)
  addEventListener("resize", close)
  buttons()[0]?.focus()
  return close
}

/** Opens an address after the person has seen where it leads. @param {string} address @param {(link: string) => void} connect */
export async function openLink(address, connect) {
  if (isInvitation(address)) return connect(address)
  const where = [el("p", null, words.linkLeadsTo), el("p", null, el("strong", null, host(address) || address)), el("p", { class: "address" }, address)]
  if (!await confirmed(words.openLink, where, words.open)) return
  const link = el("a", { href: address, target: "_blank", rel: "noopener noreferrer" })
  link.click()
}

/** A field with its label. */
export function field(label, input, hint) {
  return el("label", { class: "field" }, el("span", null, label), input, hint && el("small", null, hint))
}

/** A form that says what is wrong in it. @param {any[]} content @param {string} action @param {() => Promise<any>} submit */
export function form(content, action, submit) {
  const problem = el("p", { class: "problem", role: "alert" })
  const send = el("button", { type: "submit", class: "primary" }, action)
  const element = el("form", {
    on: {
      submit: async event => {
        event.preventDefault()
        if (send.disabled) return
        send.disabled = true
        problem.replaceChildren()
        try { await submit() } catch (error) { add(problem, [error.message]) } finally { send.disabled = false }
      },
    },
  }, ...content, problem, send)
  return element
}
