// Not a view of the specification: a message that the gateway does not have yet, as its item will be, with why it waits and what can be done.
import { app, button, el, say, set, text, View, view, words } from "./base.js"
import { FramedItemView } from "./FramedItemView.js"

/** @param {import("./outbox.js").Entry} entry */
const item = ({ at, state, text, quoted }) => ({
  chatDir: { type: "directSnd" }, quotedItem: quoted, content: { type: "sndMsgContent", msgContent: { type: "text", text } },
  meta: { itemTs: new Date(at).toISOString(), itemStatus: { type: state == "refused" ? "sndError" : "sndNew" } },
})

export class QueuedItemView extends View {
  draw(/** @type {import("./outbox.js").Entry} */ entry, context) {
    const { id, state, step, problem, notes, text: written, attachments, isLost } = entry, isRefused = state == "refused"
    set(this, { role: "listitem", tabindex: -1 })
    const bubble = view(FramedItemView, item(entry), context, false)
    bubble.classList.add("sent")
    bubble.prepend(...notes.map(note => el("span.note", text(note))))
    const reason = problem && (words.problems[problem.code ?? ""] ?? problem.message)
    return [
      button(words.takeBack, () => takeBack(entry), { icon: "close", kind: "plain round" }),
      el("div.content", bubble, step && el("small", { role: "status" }, words.uploading(step)),
        reason && el(isRefused ? "small.problem" : "small", { role: isRefused ? "alert" : "status" }, reason, isRefused ? "" : ` ${words.sentSoon}`),
        problem && el("footer", isRefused && !isLost && button(words.again, () => app.outbox.again(id)), (written || attachments) && button(words.edit, () => context.resume(entry)))),
    ]
  }
}

export function takeBack(entry) {
  app.outbox.takeBack(entry.id)
  if (entry.triedAt && entry.state != "refused") say(words.maybeSent)
}

/** The text of an entry that is edited again, before what has been written meanwhile. */
export const resumed = (entry, now) => [entry.text, now].filter(Boolean).join("\n")
