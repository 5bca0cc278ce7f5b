// One-line texts about chats and items, for lists, titles and screen readers.
import { chatName, memberName } from "./chats.js"
import { words } from "./words.js"

/** Returns the name of a chat; without a name, a description of its kind. */
export function chatTitle(info) {
  const kinds = { local: words.notes, contactConnection: words.pendingConnection }
  return chatName(info) || kinds[info.type] || words.unknownChat
}

/** Returns the name of the member who caused a group event; empty for other items. */
export const eventName = ({ chatDir, content: { type } }) =>
  (type == "rcvGroupEvent" ? memberName(chatDir.groupMember) : "")

/**
 * Returns the formatted parts of an item's text; null for an item without formatted text. The formatted parts of a
 * voice message are ignored, because they are those of its description and not of its text.
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

/** The size of a quoted text: enough to recognize the message. */
const most = { characters: 100, lines: 3 }

/** Returns the beginning of a text, which ends with a whole word if one fits; the whole text if it is short. */
function beginning(text, room) {
  if (text.length <= room) return text
  const start = text.slice(0, room + 1), end = Math.max(start.search(/\s+\S*$/u), 0) || room
  // If the cut is in the middle of a pair of code units that form one character, both are left out.
  return start.slice(0, end).replace(/[\ud800-\udbff]$/, "")
}

/**
 * Returns the beginning of a text and of its formatted parts, with an ellipsis in place of the rest.
 * @param {string} text
 * @param {any[] | undefined} parts
 * @returns {[string, any[] | undefined]}
 */
export function shortened(text, parts) {
  const lines = text.split("\n").slice(0, most.lines).join("\n")
  const shown = beginning(lines, most.characters).length
  if (shown == text.length) return [text, parts]
  let left = shown
  const kept = parts?.map(part => {
    const taken = part.text.slice(0, Math.max(left, 0))
    left -= part.text.length
    return { ...part, text: taken }
  }).filter(part => part.text)
  return [`${text.slice(0, shown)}…`, kept && [...kept, { text: "…" }]]
}
