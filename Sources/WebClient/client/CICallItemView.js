import { duration, isSent, words } from "./base.js"
import { CIEventView } from "./CIEventView.js"

export class CICallItemView extends CIEventView {
  draw(item) {
    const { status, duration: seconds } = item.content
    const line = super.draw(item)
    return ["📞 ", isSent(item) ? words.outgoingCall : words.incomingCall, " ", words.call[status] ?? "", status == "ended" ? ` ${duration(seconds)}` : "", " ", line[line.length - 1]]
  }
}
