// Events of a chat, shown as lines in the middle.
import { el, eventName, itemText, message, text, timeOfDay, View, wholeTime } from "../elements/base.js"
import { later } from "../elements/later.js"

const texts = later("../items/eventTexts.js", "events")
/** @type {((item: any) => string) | null} */
let textOf = null

/**
 * Returns the text of an item. The gateway has the texts of items that are no messages in English. These English texts
 * are used until the words of the page's language are loaded, and for items that the page does not know.
 */
export const wordsOf = item => (message(item) ? itemText(item) : textOf?.(item) || item.meta.itemText)

/** Makes an element with the text of an item that is no message, after the name of its author if `isNamed` is set. */
export function eventText(item, isNamed = false) {
  const line = text(""), name = isNamed && eventName(item)
  const draw = () => { line.textContent = name ? `${name} ${wordsOf(item)}` : wordsOf(item) }
  draw()
  if (!textOf) texts().then(module => { textOf = module.textOf; draw() }, () => {})
  return line
}

export class CIEventView extends View {
  draw(item, context) {
    const name = eventName(item), { itemTs } = item.meta
    const time = el("time", { datetime: itemTs, title: wholeTime(itemTs) }, timeOfDay(itemTs))
    return [name && text(name, "b"), name && " ", eventText(item), " ", time]
  }
}
