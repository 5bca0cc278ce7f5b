// The line below a message: its time, whether it was edited, when it disappears, and the state of its delivery.
import { el, left, sign, timeOfDay, View, wholeTime, words } from "../elements/base.js"

/** @type {Set<CIMetaView>} The views that show the remaining time of a disappearing message. */
const running = new Set()
setInterval(() => { for (const view of running) view.tick() }, 1000)

/**
 * The times at which items disappear that the user has read in this page. The gateway sends these times only with items
 * that are loaded later.
 * @type {WeakMap<object, string>}
 */
const ends = new WeakMap()

function end(itemTimed, { type }) {
  if (!itemTimed || itemTimed.deleteAt || type != "rcvRead") return itemTimed?.deleteAt ?? ""
  if (!ends.has(itemTimed)) ends.set(itemTimed, new Date(Date.now() + itemTimed.ttl * 1000).toISOString())
  return ends.get(itemTimed)
}

export class CIMetaView extends View {
  #until = ""
  #left = el("span")

  draw(meta, isLocal = false) {
    const { itemTimed, itemEdited, itemTs, itemStatus, itemLive } = meta
    this.#until = end(itemTimed, itemStatus)
    if (this.#until && this.isConnected) running.add(this)
    this.tick()
    return [
      itemEdited && sign(words.edited, "✎"),
      itemTimed && sign(words.disappears, "⏱"), itemTimed && this.#left,
      meta.msgSigned == "verified" && sign(words.signed, "✍"),
      el("time", { datetime: itemTs, title: wholeTime(itemTs) }, itemLive ? words.liveNow : timeOfDay(itemTs)),
      !isLocal && status(itemStatus),
    ]
  }

  connectedCallback() { if (this.#until) running.add(this) }
  disconnectedCallback() { running.delete(this) }
  tick() { this.#left.textContent = this.#until ? left(this.#until) : "" }
}

/** Makes the symbol for the state of the delivery, with its name for screen readers. */
export function status(/** @type {any} */ { type, sndProgress, msgRcptStatus }) {
  const more = msgRcptStatus == "badMsgHash" ? "Changed" : sndProgress == "partial" ? "Partly" : ""
  const [mark, ...name] = (words.status[type + more] ?? words.status[type] ?? "").split(" ")
  return mark && sign(name.join(" "), mark, `status ${type}`)
}
