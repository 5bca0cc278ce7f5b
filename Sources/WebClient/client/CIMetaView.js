// The line below a message: its time, whether it was edited, when it disappears, and how far its delivery is.
import { el, left, sign, timeOfDay, View, wholeTime, words } from "./base.js"

/** @type {Set<CIMetaView>} Those that run down. */
const running = new Set()
setInterval(() => { for (const view of running) view.tick() }, 1000)

export class CIMetaView extends View {
  #until = ""
  #left = el("span")

  draw(meta) {
    const { itemTimed, itemEdited, itemTs, itemStatus, itemLive } = meta
    this.#until = itemTimed?.deleteAt ?? ""
    if (this.#until && this.isConnected) running.add(this)
    this.tick()
    return [
      itemEdited && sign(words.edited, "✎"),
      itemTimed && sign(words.disappears, "⏱"), itemTimed && this.#left,
      meta.msgSigned == "verified" && sign(words.signed, "✍"),
      el("time", { datetime: itemTs, title: wholeTime(itemTs) }, itemLive ? words.liveNow : timeOfDay(itemTs)), status(itemStatus),
    ]
  }

  connectedCallback() { if (this.#until) running.add(this) }
  disconnectedCallback() { running.delete(this) }
  tick() { this.#left.textContent = this.#until ? left(this.#until) : "" }
}

export function status(itemStatus) {
  const [mark, name] = marks(itemStatus)
  return mark && sign(name, mark, `status ${itemStatus.type}`)
}

function marks(itemStatus) {
  const partial = itemStatus.sndProgress == "partial"
  switch (itemStatus.type) {
    case "sndNew": return ["○", words.status.sending]
    case "sndSent": return ["✓", partial ? words.status.partlySent : words.status.sent]
    case "sndRcvd": return itemStatus.msgRcptStatus == "badMsgHash" ? ["✓✓!", words.status.badHash] : ["✓✓", partial ? words.status.partlyDelivered : words.status.delivered]
    case "sndErrorAuth": return ["✕", words.status.errorAuth]
    case "sndError": return ["✕", words.status.error]
    case "sndWarning": return ["⚠", words.status.warning]
    default: return ["", ""]
  }
}
