// A call that was made, missed or refused.
import { define } from "./dom.js"
import { words } from "./words.js"
import { duration } from "./time.js"
import { CIEventView } from "./CIEventView.js"
import { isSent } from "./chats.js"

export class CICallItemView extends CIEventView {
  /** @param {any} item */
  draw(item) {
    const { status, duration: seconds } = item.content
    const line = super.draw(item)
    return ["📞 ", isSent(item) ? words.outgoingCall : words.incomingCall, " ", words.call[status] ?? "", status == "ended" ? ` ${duration(seconds)}` : "", " ", line[line.length - 1]]
  }
}
define("ci-call-item-view", CICallItemView)
