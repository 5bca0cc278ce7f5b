// Dialogs, menus and short notices.
import { el, add, button, rememberFocus } from "./dom.js"
import { GatewayError } from "../model/problems.js"
import { validName } from "../model/names.js"
import { words } from "../model/words.js"

/** Returns the dialog that was opened last, which makes all elements below it inert; without a dialog the page. */
export const front = () => [...document.querySelectorAll("dialog:modal")].at(-1) ?? document.body

/** Shows a dialog above the page, or as a part of the element `within`. When the dialog is closed, it is removed. */
export function openOver(/** @type {HTMLDialogElement} */ box, /** @type {Element} */ within = document.body) {
  const giveBack = rememberFocus()
  const end = () => {
    if (!box.isConnected) return
    box.remove()
    // The browser restores the focus only if the element that had it still exists. Otherwise its replacement gets the
    // focus.
    if (document.activeElement === document.body) giveBack()
    notices().append(...box.querySelectorAll(".notices p"))
  }
  // The event `close` comes with the next frame. Until then, the removed dialog would be in the page, and keys would go
  // to no element. So `close()` removes the dialog at once, and the event is used only for dialogs that the browser
  // closes by the key Escape.
  box.close = () => { HTMLDialogElement.prototype.close.call(box); end() }
  box.addEventListener("close", end)
  within.append(box)
  if (within === document.body) box.showModal()
  else box.show()
  return box
}

export const closeDialogs = () => { for (const box of document.querySelectorAll("dialog")) box.close() }

/**
 * Makes a dialog with a button that closes it.
 * @param {string} label the name for screen readers
 * @param {any} heading the content of the header
 * @returns {HTMLDialogElement}
 */
export function frame(label, heading, ...content) {
  const box = el("dialog",
    { label },
    el("header", heading, button(words.close, () => box.close(), { icon: "close", kind: "plain" })),
    el("div.body", ...content))
  return box
}

/** Shows a dialog with its title as the heading. */
export const dialog = (/** @type {string} */ title, ...content) => above(frame(title, el("h2", title), ...content))

/** Shows a dialog above the page, which a press beside the dialog closes. */
export function above(/** @type {HTMLDialogElement} */ box) {
  // A press hits the dialog element itself, and none of its children, only on the backdrop.
  box.addEventListener("mousedown", event => { if (event.target === box) box.close() })
  return openOver(box)
}

export function confirmed(title, explanation, action, isDangerous = false) {
  return new Promise(answer => {
    let isYes = false
    const yes = button(action, () => { isYes = true; box.close() }, { kind: isDangerous ? "danger" : "primary" })
    const box = dialog(title, el("div.explanation", explanation),
      el("footer", button(words.cancel, () => box.close()), yes))
    box.addEventListener("close", () => answer(isYes))
    yes.focus()
  })
}

/** Asks for confirmation, and then does an action that cannot be undone. */
export const sure = async (title, explanation, action, run) => {
  if (await confirmed(title, explanation, action, true)) await run()
}

/** Returns the element for notices. It is in the front dialog, since users cannot see notices behind the dialog. */
function notices() {
  const within = front()
  return within.querySelector(":scope > .notices") ?? within.appendChild(el("div.notices", { role: "status" }))
}

/**
 * Shows a notice for six seconds, which screen readers also read. With `open`, the notice has a button that calls
 * `open`, which shows the subject of the notice.
 */
export function say(message, /** @type {(() => void) | null} */ open = null) {
  const line = el("p", message, open && button(words.open, () => { line.remove(); open() }, { kind: "plain" }))
  notices().append(line)
  setTimeout(() => line.remove(), 6000)
}

// Shows the error of each failed request that no caller handles. Programming errors are only in the console of the
// browser.
addEventListener("unhandledrejection", event => {
  if (!(event.reason instanceof GatewayError) && event.reason?.constructor !== Error) return
  event.preventDefault()
  say(event.reason.message)
})

/** Shows a menu below an element or at a point. */
export function menu(/** @type {{at: any, label: string, entries: any[], top?: any}} */ { at, label, entries, top }) {
  const giveBack = rememberFocus()
  const stops = new AbortController(), { signal } = stops
  const close = () => { box.remove(); stops.abort() }
  const items = entries
    .filter(entry => entry)
    .map(({ name, run, isDangerous }) =>
      button(name, () => {
        close()
        run()
      }, { role: "menuitem", tabindex: -1, kind: isDangerous ? "danger" : "" }))
  const box = el("div.menu", { role: "menu", label: label }, top, ...items)
  const buttons = () => [...box.querySelectorAll("button")]
  box.addEventListener("keydown", event => {
    const all = buttons(), now = all.indexOf(document.activeElement)
    const next = {
      ArrowDown: now + 1,
      ArrowUp: now - 1,
      ArrowRight: now + forward,
      ArrowLeft: now - forward,
      Home: 0,
      End: all.length - 1,
    }[event.key]
    if (next !== undefined) { event.preventDefault(); all[(next + all.length) % all.length]?.focus() }
    else if (event.key == "Escape" || event.key == "Tab") { event.preventDefault(); close(); giveBack() }
    event.stopPropagation()
  })
  front().append(box)
  const isRightToLeft = box.matches(":dir(rtl)"), forward = isRightToLeft ? -1 : 1
  const area = at instanceof Element ? at.getBoundingClientRect() : null
  const point = area ? { x: isRightToLeft ? area.right : area.left, y: area.bottom } : at
  const left = isRightToLeft ? point.x - box.offsetWidth : point.x
  box.style.left = `${Math.max(8, Math.min(left, innerWidth - box.offsetWidth - 8))}px`
  box.style.top = `${Math.max(8, Math.min(point.y, innerHeight - box.offsetHeight - 8))}px`
  addEventListener("pointerdown", event => {
    if (!box.contains(/** @type {Node} */ (event.target))) close()
  }, { capture: true, signal })
  addEventListener("resize", close, { signal })
  buttons()[0]?.focus()
  return close
}

/** Makes a field with its label. */
const field = (label, input, hint) =>
  input.type == "checkbox"
    ? el("label.row", el("span.name", label), input)
    : el("label.field", el("span", label), input, hint && el("small", hint))

/** Makes a line that shows the corrected form of a name while the user writes. */
function correction(input) {
  const line = el("small.correction", { role: "status" })
  input.addEventListener("input", () => {
    const written = input.value.trim(), valid = validName(written)
    line.textContent = valid == written ? "" : valid ? words.nameBecomes(valid) : words.noName
  })
  return line
}

/**
 * Makes a form that shows errors of its inputs. An action that cannot be undone is `isDangerous`. Each of the `inputs`
 * has a name, a label, a hint, a value, and a type (also `long` for several lines) or options. The value of an input
 * with `isName` is corrected.
 */
export function form(/** @type {any[]} */ inputs, action, submit, isDangerous = false) {
  const problem = el("p.problem", { role: "alert" })
  const send = el("button", { type: "submit", class: isDangerous ? "danger" : "primary" }, action)
  const fields = inputs.map(({ name, label, hint, value = "", type = "text", options, isName, ...more }, index) => {
    const input = options
      ? el("select", options.map(([value, label]) => el("option", { value }, label)))
      : el(type == "long" ? "textarea" : "input", {
          ...(type == "long" ? { rows: 3 } : { type }),
          autocomplete: "off",
          spellcheck: "false",
          autofocus: !index,
          ...more,
        })
    if (type == "checkbox") input.checked = value === true
    else input.value = value
    return { name, label, hint, input, isName }
  })
  const nameInstead = name => button(words.nameInstead(name), () => {
    const field = fields.find(({ isName }) => isName)?.input
    field.value = name
    field.dispatchEvent(new Event("input"))
    field.focus()
    problem.replaceChildren()
  })
  return el("form", {
    on: {
      submit: async event => {
        event.preventDefault()
        if (send.disabled) return
        send.disabled = true
        problem.replaceChildren()
        try {
          await submit(Object.fromEntries(fields.map(({ name, input, isName }) => [name, entered(input, isName)])))
        } catch (error) {
          add(problem, [error.message, error.validName && nameInstead(error.validName)])
        } finally { send.disabled = false }
      },
    },
  }, fields.map(({ label, input, hint, isName }) => [field(label, input, hint), isName && correction(input)]),
  problem, send)
}

/** Returns the value of a field. Throws an error for a name without a character that names can have. */
function entered(input, isName) {
  if (input.type == "checkbox") return input.checked
  if (input.type == "file") return input.files[0]
  const written = input.value.trim(), value = isName ? validName(written) : written
  if (written && !value) throw new Error(words.noName)
  return value
}

function asked(title, inputs, submit, action, isDangerous, more) {
  const send = async values => { await submit(values); box.close() }
  const box = dialog(title, form(inputs, action, send, isDangerous), ...more)
  return box
}

/** Shows a dialog with a form. The dialog is closed when `submit` has succeeded. */
export const ask = (title, inputs, submit, action = words.save, ...more) =>
  asked(title, inputs, submit, action, false, more)

/** Shows a dialog with a form for an action that cannot be undone. */
export const askDanger = (title, inputs, submit, action) => asked(title, inputs, submit, action, true, [])
