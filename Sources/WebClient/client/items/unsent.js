// Withdraws and edits messages that the gateway does not have yet.
import { app } from "../model/app.js"
import { say } from "../elements/dialogs.js"
import { words } from "../model/words.js"

export function takeBack(entry) {
  app.outbox.takeBack(entry.id)
  if (entry.triedAt && entry.state != "refused") say(words.maybeSent)
}

/** Returns the text of a waiting message that is edited again, followed by the text that was written since then. */
export const resumed = (entry, now) => [entry.text, now].filter(Boolean).join("\n")
