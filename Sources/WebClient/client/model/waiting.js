// The entries of the outbox in a chat: rows below its items, entries whose items are there, and edits that are seen
// before they arrive.
import { isSent, message } from "./chats.js"

const isEdit = entry => entry.method == "PATCH"
const textOf = item => item && message(item)?.text

export class Waiting {
  /** @type {Map<string, number>} The newest item when the request of an entry was seen first. */ #newest = new Map()
  /** @type {WeakMap<any, {id: string, shown: any}>} The edited items, with their entries. */ #edited = new WeakMap()

  /**
   * @param {import("./outbox.js").Entry[]} entries of one chat
   * @param {any[]} items of it, the oldest first
   * @returns {{rows: import("./outbox.js").Entry[], arrived: string[]}} `arrived` names the entries that are items now
   */
  sort(entries, items) {
    const loaded = new Map(items.map(item => [item.meta.itemId, item])), newest = Math.max(0, ...loaded.keys())
    const tried = entries.filter(({ triedAt }) => triedAt), claimed = new Set(entries.flatMap(({ itemIds }) => itemIds))
    this.#newest = new Map(tried.map(({ id }) => [id, this.#newest.get(id) ?? newest]))
    /** Whether the item came before the answer: both are on their way at once. */
    const isEarly = entry => items.some(item => {
      const { itemId } = item.meta, isNew = itemId > (this.#newest.get(entry.id) ?? newest) && !claimed.has(itemId)
      return isNew && isSent(item) && textOf(item) === entry.text
    })
    // An item on which the edit was not drawn is another object than before, so it is newer.
    const isOther = item => !item || !this.#edited.has(item)
    const isThere = id => loaded.has(id) || id < newest
    const hasArrived = entry => (isEdit(entry) ? isOther(loaded.get(entry.itemId)) : entry.itemIds.every(isThere))
    const isShown = entry => {
      if (entry.state == "refused") return true
      if (isEdit(entry)) return Boolean(entry.problem)
      return entry.state == "sent" ? !hasArrived(entry) : !isEarly(entry)
    }
    const arrived = entries.filter(entry => entry.state == "sent" && hasArrived(entry))
    return { rows: entries.filter(isShown), arrived: arrived.map(({ id }) => id) }
  }

  /** An item as it will be after the edits that wait; the same object for the same edit. */
  edited(entries, item) {
    const entry = entries.filter(it => isEdit(it) && it.itemId == item.meta.itemId && it.state != "refused").at(-1)
    if (!entry || textOf(item) === entry.text) return item
    const before = this.#edited.get(item)
    if (before && before.id == entry.id) return before.shown
    const { live, updatedMessage: { msgContent } } = entry.body, meta = { ...item.meta, itemEdited: !live }
    const shown = { ...item, content: { ...item.content, msgContent }, formattedText: undefined, meta }
    this.#edited.set(item, { id: entry.id, shown })
    return shown
  }
}
