import { app, duration, isSent, words } from "../elements/base.js"
import { CIEventView } from "./CIEventView.js"
import { answers } from "../calls/IncomingCallView.js"

export class CICallItemView extends CIEventView {
  draw(item, context) {
    const { status, duration: seconds } = item.content
    const line = super.draw(item)
    const waits = status == "pending" && !isSent(item) && app.mayWrite && app.model.callInvitations[context.id]
    // While a received call is ringing, its state is not written: the buttons show it.
    const state = (status != "pending" || isSent(item)) && words.call[status]
    return [
      "📞 ",
      isSent(item) ? words.outgoingCall : words.incomingCall,
      state ? `: ${state}` : "",
      status == "ended" ? ` ${duration(seconds)}` : "",
      " ", line[line.length - 1], waits && answers(waits),
    ]
  }
}
