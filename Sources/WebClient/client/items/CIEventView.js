// Events of a chat: lines in the middle. The gateway has the sentences.
import { el, eventName, text, timeOfDay, View, wholeTime } from "../elements/base.js"

export class CIEventView extends View {
  draw(item, context) {
    const name = eventName(item)
    return [name && text(name, "b"), name && " ", text(item.meta.itemText), " ", el("time", { datetime: item.meta.itemTs, title: wholeTime(item.meta.itemTs) }, timeOfDay(item.meta.itemTs))]
  }
}
