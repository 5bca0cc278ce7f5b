// Sections and rows of settings and details. A row opens something, switches a setting, or chooses a value.
import { button, el } from "./dom.js"
import { icon } from "./icons.js"

/**
 * A titled group of rows.
 * @typedef {{title?: string, rows: any[], note?: any}} Section
 */

/** Makes a section; null without rows. */
export function section(/** @type {Section} */ { title = "", rows, note = "" }) {
  const shown = rows.flat(Infinity).filter(Boolean)
  return shown.length > 0 && el("section.rows", title && el("h3", title), el("div", shown), note && el("small", note))
}

const named = (name, hint) => el("span.name", el("span", name), hint && el("small", hint))

/**
 * Makes a row that opens something or runs an action.
 * @param {any} name
 * @param {(event: any) => void} press
 * @param {{sign?: any, note?: any, kind?: string, [attribute: string]: any}} [more] `sign` is the name of an icon, or
 *     an element
 */
export function row(name, press, more = {}) {
  const { sign = "", note = "", kind = "", ...rest } = more
  const picture = typeof sign == "string" ? sign && icon(sign) : sign
  return button([picture, named(name), note], press, { kind: `row ${kind}`, ...rest })
}

/** Makes a row that only shows a value. */
export const fact = (name, value) => el("div.row", named(name), el("small", value))

/**
 * Makes a row with a field that is saved when it changes. If `save` fails or returns false, the field shows the earlier
 * value again.
 */
function saved(name, hint, input, property, save) {
  let before = input[property]
  input.addEventListener("change", async () => {
    const wanted = input[property]
    let isSaved = false
    try { isSaved = await save(wanted) !== false } finally {
      if (isSaved) before = wanted
      else input[property] = before
    }
  })
  return el("label.row", named(name, hint), input)
}

/** Makes a row with a switch. */
export const toggle = (name, isOn, save, hint = "") =>
  saved(name, hint, el("input", { type: "checkbox", role: "switch", label: name, checked: isOn }), "checked", save)

/** Makes a row that chooses one of the `options`, each of which is a value and its name. */
export const choice = (name, value, options, save, hint = "") =>
  saved(name, hint,
    el("select",
      { label: name },
      options.map(([option, label]) => el("option", { value: option, selected: option == value }, label))),
    "value",
    save)
