// Messages that could not be decrypted, and the way out: both sides agree on new keys.
import { define, button } from "./dom.js"
import { app } from "./app.js"
import { attempt, confirmed } from "./dialogs.js"
import { words } from "./words.js"
import { IntegrityErrorItemView } from "./IntegrityErrorItemView.js"

export class CIRcvDecryptionError extends IntegrityErrorItemView {
  /** @param {any} item @param {any} context */
  draw(item, context) {
    const member = item.chatDir.groupMember
    const path = context.type == "direct" ? `${app.users}/contacts/${context.chatId}/sync` : member && `${app.users}/groups/${context.chatId}/members/${member.groupMemberId}/sync`
    const fix = path && app.mayWrite && button(words.fixConnection, async () => {
      if (await confirmed(words.fixConnection, words.fixExplained, words.fix)) attempt(() => app.api.post(path))
    }, { kind: "plain" })
    const [line, meta] = super.draw(item)
    return [line, fix, meta]
  }
}
define("ci-rcv-decryption-error", CIRcvDecryptionError)
