// One-line texts about chats and items, for lists, titles and screen readers.
import { chatName, memberName } from "./chats.js"
import { words } from "./words.js"

/** Returns the name of a chat; without a name, a description of its kind. */
export function chatTitle(info) {
  const kinds = { local: words.notes, contactConnection: words.pendingConnection }
  return chatName(info) || kinds[info.type] || words.unknownChat
}

/** Returns the name of the author of a group event; empty for events without an author, such as encryption. */
export function eventName({ chatDir, content: { type } }) {
  if (type == "rcvGroupEvent") return memberName(chatDir.groupMember)
  return type == "sndGroupEvent" ? words.you : ""
}

/**
 * Returns the formatted parts of an item's text; null for an item without formatted text. For a voice message, the core
 * formats its description, so these parts are ignored.
 */
export const partsOf = ({ content, formattedText }) => (content.msgContent?.type != "voice" && formattedText) || null

/** Returns the text of a formatted part without its format. A secret stays hidden. */
const plain = ({ format, text }) => (format?.type == "secret" ? "•••" : format?.showText ?? text)

/** Returns an item as one line of text, for previews. */
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
