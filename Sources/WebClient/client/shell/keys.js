// Runs the actions of the keyboard shortcuts.
import { actionOf, isApple } from "../model/shortcuts.js"

/** The inputs into which no character is written. */
const pressed = "[type=checkbox], [type=radio], [type=range], [type=color], [type=file]"
const written = `textarea, select, input:not(${pressed})`
const isTyping = target => target instanceof HTMLElement && (target.isContentEditable || target.matches(written))

/** Starts observing the keyboard. An action that returns false leaves the keys to the browser. */
export function followKeys(/** @type {Record<string, () => any>} */ actions) {
  addEventListener("keydown", event => {
    // A dialog over the page has its own keys.
    if (event.isComposing || document.querySelector("dialog:modal, .menu")) return
    const action = actionOf(event, isApple(navigator.platform), isTyping(event.target))
    // Parts of the page handle the escape key themselves. Here, it is for the page without a focused element.
    if (!action || (action == "close" && event.target !== document.body)) return
    if (actions[action]() === false) return
    event.preventDefault()
    // An arrow with another key does not also move in the list that has the focus.
    event.stopPropagation()
  }, true)
}
