// A member of a group has opened a direct chat.
import { define, button } from "./dom.js"
import { app } from "./app.js"
import { words } from "./words.js"
import { CIEventView } from "./CIEventView.js"

export class CIMemberCreatedContactView extends CIEventView {
  /** @param {any} item */
  draw(item) {
    const contactId = item.chatDir.groupMember?.memberContactId
    return [...super.draw(item), contactId && button(words.open, () => { location.hash = app.address(`direct/${contactId}`) }, { kind: "plain" })]
  }
}
define("ci-member-created-contact-view", CIMemberCreatedContactView)
