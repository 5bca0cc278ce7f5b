// A message that the gateway does not have yet. It looks like its later item, with the reason why it waits and with the
// possible actions. The specification of the views does not contain this view.
import { app, button, el, set, text, View, view, words } from "../elements/base.js"
import { FramedItemView } from "./FramedItemView.js"
import { takeBack } from "./unsent.js"

/** @param {import("../model/outbox.js").Entry} entry */
const item = ({ at, state, text, quoted }) => ({
  chatDir: { type: "directSnd" }, quotedItem: quoted,
  content: { type: "sndMsgContent", msgContent: { type: "text", text } },
  meta: { itemTs: new Date(at).toISOString(), itemStatus: { type: state == "refused" ? "sndError" : "sndNew" } },
})

export class QueuedItemView extends View {
  draw(/** @type {import("../model/outbox.js").Entry} */ entry, context) {
    set(this, { role: "listitem", tabindex: -1 })
    const bubble = view(FramedItemView, item(entry), context, false)
    bubble.classList.add("sent")
    bubble.prepend(...entry.notes.map(note => el("span.note", text(note))))
    return [
      !entry.problem && button(words.takeBack, () => takeBack(entry), { icon: "close", kind: "plain round" }),
      el("div.content", bubble, entry.step && el("small", { role: "status" }, words.uploading(entry.step)),
        entry.problem && [reason(entry, entry.problem), el("footer", ways(entry, context))]),
    ]
  }
}

function reason({ state }, { code = "", message }) {
  const said = words.problems[code] ?? message
  if (state == "refused") return el("small.problem", { role: "alert" }, said)
  return el("small", { role: "status" }, said, " ", words.sentSoon)
}

/** Makes the buttons below the reason of the delay or refusal: send again, edit, and delete. */
function ways(entry, context) {
  const { id, state, isLost } = entry
  return [
    state == "refused" && !isLost && button(words.again, () => app.outbox.again(id)),
    (entry.text || entry.attachments) && button(words.edit, () => context.resume(entry)),
    button(state == "refused" ? words.delete : words.takeBack, () => takeBack(entry), { kind: "danger" }),
  ]
}
