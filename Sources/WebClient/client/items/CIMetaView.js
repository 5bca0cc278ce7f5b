// The line below a message: its time, whether it was edited, when it disappears, and how far its delivery is.
import { el, left, sign, timeOfDay, View, wholeTime, words } from "../elements/base.js"

/** @type {Set<CIMetaView>} Those that run down. */
const running = new Set()
setInterval(() => { for (const view of running) view.tick() }, 1000)

/**
 * The times at which items disappear that the user has read here: the gateway has them only for items that load later.
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

/** State of the delivery: a mark, and its name. */
export function status(/** @type {any} */ { type, sndProgress, msgRcptStatus }) {
  const more = msgRcptStatus == "badMsgHash" ? "Changed" : sndProgress == "partial" ? "Partly" : ""
  const [mark, ...name] = (words.status[type + more] ?? words.status[type] ?? "").split(" ")
  return mark && sign(name.join(" "), mark, `status ${type}`)
}
