import { button, el, memberName, message, partsOf, text, View, view, viewAgain, words } from "../elements/base.js"
import { MsgContentView } from "./MsgContentView.js"
import { CIMetaView } from "./CIMetaView.js"
import { CIImageView } from "./CIImageView.js"
import { CIVideoView } from "./CIVideoView.js"
import { CIFileView } from "./CIFileView.js"
import { CILinkView } from "./CILinkView.js"
import { ChatLinkView } from "./ChatLinkView.js"
import { FramedCIVoiceView } from "./FramedCIVoiceView.js"
import { badgeSign } from "../elements/badges.js"
import { hue } from "../elements/ProfileImage.js"
import { QuoteView } from "./QuoteView.js"

export class FramedItemView extends View {
  /** @type {View | null} */ #media = null
  /**
   * The view of the text. It stays when the item is drawn again, so that selected text stays selected.
   * @type {MsgContentView | null}
   */
  #written = null

  draw(item, context, showsName) {
    const content = message(item), [kind, ...values] = mediaOf(content, item.file)
    this.#media = kind ? viewAgain(this.#media, kind, ...values) : null
    const plain = typeof content.text == "string" ? content.text : "", isLive = Boolean(item.meta.itemLive)
    this.#written = plain || isLive ? viewAgain(this.#written, MsgContentView, plain, partsOf(item), isLive) : null
    return [
      showsName && senderName(item, context),
      item.meta.itemForwarded && el("span.note", "⤳ ", words.forwarded, forwardedFrom(item.meta.itemForwarded)),
      item.quotedItem && view(QuoteView, item.quotedItem, context, context.goTo),
      content.type == "report"
        && el("span.note.danger", "⚑ ", words.reported(words.reason[content.reason] ?? content.reason)),
      this.#media,
      // The space after the text separates its last word from the time. Without the space, selecting the last word
      // would also select the time.
      this.#written && [this.#written, el("span.end", " ")],
      !(content.type in words.kind) && el("span.note", words.unknownKind),
      view(CIMetaView, item.meta, context.type == "local"),
    ]
  }
}

/**
 * Returns the class of the view for the media of a message, and the view's values; empty for a message without media.
 * @returns {any[]}
 */
function mediaOf(content, file) {
  switch (content.type) {
    case "image": return [CIImageView, content.image, file]
    case "video": return [CIVideoView, content.image, content.duration, file]
    case "voice": return [FramedCIVoiceView, content.duration, file]
    case "link": return content.preview ? [CILinkView, content.preview] : []
    case "chat": return content.chatLink ? [ChatLinkView, content.chatLink] : []
    case "file": return [CIFileView, file]
    default: return file ? [CIFileView, file] : []
  }
}

const leaders = ["owner", "admin", "moderator"]

/** Makes the name of the sender of a message in a group or a channel; null in other chats. */
export function senderName(item, context) {
  const member = item.chatDir.groupMember, show = () => context.showSender(item)
  if (item.chatDir.type == "channelRcv") {
    return button([text(context.name), el("small", words.channel)], show, { kind: `plain sender ${hue(context.name)}` })
  }
  if (!member) return null
  const role = leaders.includes(member.memberRole) && el("small", words.role[member.memberRole])
  const name = memberName(member), shown = [text(name), badgeSign(member.memberProfile), role]
  return button(shown, show, { kind: `plain sender ${hue(name)}` })
}

const forwardedFrom = from => from.chatName && [" ", words.from, " ", text(from.chatName)]
