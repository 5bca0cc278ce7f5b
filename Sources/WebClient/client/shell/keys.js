// Runs the actions of the keyboard shortcuts.
import { actionOf, isApple } from "../model/shortcuts.js"

/** The inputs into which no character is written. */
const pressed = "[type=checkbox], [type=radio], [type=range], [type=color], [type=file]"
const written = `textarea, select, input:not(${pressed})`
const isTyping = target => target instanceof HTMLElement && (target.isContentEditable || target.matches(written))

/** Starts observing the keyboard. An action that returns false leaves the keys to the browser. */
export function followKeys(/** @type {Record<string, () => any>} */ actions) {
  addEventListener("keydown", event => {
    // While a dialog is open, the shortcuts of the page have no effect.
    if (event.isComposing || document.querySelector("dialog:modal, .menu")) return
    const action = actionOf(event, isApple(navigator.platform), isTyping(event.target))
    // Parts of the page handle the escape key themselves. So its shortcut works only if no element has the focus.
    if (!action || (action == "close" && event.target !== document.body)) return
    if (actions[action]() === false) return
    event.preventDefault()
    // An arrow key of a shortcut must not also move in the list that has the focus.
    event.stopPropagation()
  }, true)
}
