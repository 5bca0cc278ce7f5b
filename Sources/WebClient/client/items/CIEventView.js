// Events of a chat, shown as lines in the middle. The texts come from the gateway.
import { el, eventName, text, timeOfDay, View, wholeTime } from "../elements/base.js"

export class CIEventView extends View {
  draw(item, context) {
    const name = eventName(item)
    const { itemText, itemTs } = item.meta
    const time = el("time", { datetime: itemTs, title: wholeTime(itemTs) }, timeOfDay(itemTs))
    return [name && text(name, "b"), name && " ", text(itemText), " ", time]
  }
}
