import { button, el, memberName, message, partsOf, text, View, view, words } from "../elements/base.js"
import { MsgContentView } from "./MsgContentView.js"
import { CIMetaView } from "./CIMetaView.js"
import { CIImageView } from "./CIImageView.js"
import { CIVideoView } from "./CIVideoView.js"
import { CIFileView } from "./CIFileView.js"
import { CILinkView } from "./CILinkView.js"
import { ChatLinkView } from "./ChatLinkView.js"
import { FramedCIVoiceView } from "./FramedCIVoiceView.js"
import { QuoteView } from "./QuoteView.js"

export class FramedItemView extends View {
  draw(item, context, showsName) {
    const content = message(item)
    return [
      showsName && senderName(item, context),
      item.meta.itemForwarded && el("span.note", "⤳ ", words.forwarded, forwardedFrom(item.meta.itemForwarded)),
      item.quotedItem && view(QuoteView, item.quotedItem, context, context.goTo),
      content.type == "report" && el("span.note.danger", "⚑ ", words.reported(words.reason[content.reason] ?? content.reason)),
      media(content, item.file),
      writtenText(item, content),
      !(content.type in words.kind) && el("span.note", words.unknownKind),
      view(CIMetaView, item.meta, context.type == "local"),
    ]
  }
}

function media(content, file) {
  switch (content.type) {
    case "image": return view(CIImageView, content.image, file)
    case "video": return view(CIVideoView, content.image, content.duration, file)
    case "voice": return view(FramedCIVoiceView, content.duration, file)
    case "link": return content.preview && view(CILinkView, content.preview)
    case "chat": return content.chatLink && view(ChatLinkView, content.chatLink)
    case "file": return view(CIFileView, file)
    default: return file && view(CIFileView, file)
  }
}

function writtenText(item, content) {
  const written = typeof content.text == "string" ? content.text : ""
  return (written || item.meta.itemLive) && view(MsgContentView, written, partsOf(item), Boolean(item.meta.itemLive))
}

const leaders = ["owner", "admin", "moderator"]

/** The sender of a message in a group or a channel; null in other chats. */
export function senderName(item, context) {
  const member = item.chatDir.groupMember, show = () => context.showSender(item)
  if (item.chatDir.type == "channelRcv") {
    return button([text(context.name), el("small", words.channel)], show, { kind: "plain sender" })
  }
  if (!member) return null
  const role = leaders.includes(member.memberRole) && el("small", words.role[member.memberRole])
  return button([text(memberName(member)), role], show, { kind: `plain sender hue${member.groupMemberId % 8}` })
}

const forwardedFrom = from => from.chatName && [" ", words.from, " ", text(from.chatName)]
