// Messages that wait: taken back, or edited again.
import { app } from "../model/app.js"
import { say } from "../elements/dialogs.js"
import { words } from "../model/words.js"

export function takeBack(entry) {
  app.outbox.takeBack(entry.id)
  if (entry.triedAt && entry.state != "refused") say(words.maybeSent)
}

/** The text of an entry that is edited again, before what has been written meanwhile. */
export const resumed = (entry, now) => [entry.text, now].filter(Boolean).join("\n")
