// The entries of the outbox in a chat: those that are shown below its items, those whose items are there, and the edits that are shown before they arrive.
import { isSent, message } from "./chats.js"

const isEdit = entry => entry.method == "PATCH"
const textOf = item => item && message(item)?.text

export class Waiting {
  /** @type {Map<string, number>} The newest item at the time when the request of an entry was seen first. */ #newest = new Map()
  /** @type {WeakMap<any, {id: string, shown: any}>} The edited items, with the entries that edit them. */ #edited = new WeakMap()

  /**
   * @param {import("./outbox.js").Entry[]} entries of one chat
   * @param {any[]} items of it, the oldest first
   * @returns {{rows: import("./outbox.js").Entry[], arrived: string[]}} `arrived` has the names of those that are items now
   */
  sort(entries, items) {
    const newest = Math.max(0, ...items.map(({ meta }) => meta.itemId)), loaded = new Map(items.map(item => [item.meta.itemId, item]))
    const claimed = new Set(entries.flatMap(({ itemIds }) => itemIds))
    this.#newest = new Map(entries.filter(({ triedAt }) => triedAt).map(({ id }) => [id, this.#newest.get(id) ?? newest]))
    /** Whether the item came before the answer: both are on their way at once. */
    const isEarly = ({ id, text }) => items.some(item => item.meta.itemId > (this.#newest.get(id) ?? newest) && isSent(item) && !claimed.has(item.meta.itemId) && textOf(item) === text)
    // An item that an edit was not drawn on is another object than before: what came for it is newer.
    const isOther = item => !item || !this.#edited.has(item)
    const hasArrived = entry => isEdit(entry) ? isOther(loaded.get(entry.itemId)) : entry.itemIds.every(id => loaded.has(id) || id < newest)
    const isShown = entry => {
      if (entry.state == "refused") return true
      if (isEdit(entry)) return Boolean(entry.problem)
      return entry.state == "sent" ? !hasArrived(entry) : !isEarly(entry)
    }
    return { rows: entries.filter(isShown), arrived: entries.filter(entry => entry.state == "sent" && hasArrived(entry)).map(({ id }) => id) }
  }

  /** An item as it will be after the edits that wait; the same object for the same edit. */
  edited(entries, item) {
    const entry = entries.filter(entry => isEdit(entry) && entry.itemId == item.meta.itemId && entry.state != "refused").at(-1)
    if (!entry || textOf(item) === entry.text) return item
    const before = this.#edited.get(item)
    if (before && before.id == entry.id) return before.shown
    const { msgContent } = entry.body.updatedMessage
    const shown = { ...item, content: { ...item.content, msgContent }, formattedText: undefined, meta: { ...item.meta, itemEdited: !entry.body.live } }
    this.#edited.set(item, { id: entry.id, shown })
    return shown
  }
}
