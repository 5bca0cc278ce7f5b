// One-line texts of chats and items, for lists, titles and what is read aloud.
import { chatName, memberName } from "./chats.js"
import { words } from "./words.js"

/** The name of a chat, or what it is. */
export function chatTitle(info) {
  const kinds = { local: words.notes, contactConnection: words.pendingConnection }
  return chatName(info) || kinds[info.type] || words.unknownChat
}

/** Name of the author of an event in a group; empty for events without an author, such as encryption. */
export function eventName({ chatDir, content: { type } }) {
  if (type == "rcvGroupEvent") return memberName(chatDir.groupMember)
  return type == "sndGroupEvent" ? words.you : ""
}

/**
 * The formatted parts of an item's text; null where it has none. The core's parts of a voice message describe the
 * message, and not its text.
 */
export const partsOf = ({ content, formattedText }) => (content.msgContent?.type != "voice" && formattedText) || null

/** A part of a text without its format. A secret stays hidden. */
const plain = ({ format, text }) => (format?.type == "secret" ? "•••" : format?.showText ?? text)

/** An item as one line of text, for previews. */
export function itemText(item) {
  const content = item.content.msgContent
  if (item.meta.itemDeleted) return words.deleted[item.meta.itemDeleted.type] ?? words.deleted.deleted
  if (!content) return item.meta.itemText
  const written = partsOf(item)?.map(plain).join("") ?? content.text ?? ""
  switch (content.type) {
    case "text": case "link": return written
    case "file": return `📎 ${item.file?.fileName ?? ""} ${written}`.trim()
    default: return `${words.kind[content.type] ?? ""} ${written}`.trim() || item.meta.itemText
  }
}
