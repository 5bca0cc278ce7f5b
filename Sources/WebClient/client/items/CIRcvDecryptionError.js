// The item about messages that could not be decrypted, with a button that starts the renegotiation of the keys.
import { app, button, confirmed, words } from "../elements/base.js"
import { IntegrityErrorItemView } from "./IntegrityErrorItemView.js"

export class CIRcvDecryptionError extends IntegrityErrorItemView {
  draw(item, context) {
    const member = item.chatDir.groupMember
    const path =
      context.type == "direct"
        ? `/contacts/${context.chatId}/sync`
        : member && `/groups/${context.chatId}/members/${member.groupMemberId}/sync`
    const fix = path && app.mayWrite && button(words.fixConnection, async () => {
      if (await confirmed(words.fixConnection, words.fixExplained, words.fix)) app.post(path)
    }, { kind: "plain" })
    const [line, meta] = super.draw(item)
    return [line, fix, meta]
  }
}
