import { app, button, words } from "../elements/base.js"
import { CIEventView } from "./CIEventView.js"

export class CIMemberCreatedContactView extends CIEventView {
  draw(item) {
    const contactId = item.chatDir.groupMember?.memberContactId
    return [
      ...super.draw(item),
      contactId
        && button(words.open, () => {
          app.go(`direct/${contactId}`)
        }, { kind: "plain" }),
    ]
  }
}
