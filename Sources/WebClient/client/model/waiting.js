// The entries of the outbox that concern a chat: entries that are shown as rows below the items, entries whose items
// have arrived, and edits that are shown before they arrive.
import { isSent, message } from "./chats.js"

const isEdit = entry => entry.method == "PATCH"
const textOf = item => item && message(item)?.text

export class Waiting {
  /**
   * The id of the newest item when the request of an entry was seen first, by the ids of the entries.
   * @type {Map<string, number>}
   */
  #newest = new Map()
  /**
   * The items with waiting edits: the id of the entry, and the item as it is shown.
   * @type {WeakMap<any, {id: string, shown: any}>}
   */
  #edited = new WeakMap()

  /**
   * @param {import("./outbox.js").Entry[]} entries the entries of one chat
   * @param {any[]} items the items of the chat, the oldest first
   * @returns {{rows: import("./outbox.js").Entry[], arrived: string[]}} `rows`: the entries to show below the items;
   *   `arrived`: the ids of the entries whose items the chat shows
   */
  sort(entries, items) {
    const loaded = new Map(items.map(item => [item.meta.itemId, item])), newest = Math.max(0, ...loaded.keys())
    const tried = entries.filter(({ triedAt }) => triedAt), claimed = new Set(entries.flatMap(({ itemIds }) => itemIds))
    this.#newest = new Map(tried.map(({ id }) => [id, this.#newest.get(id) ?? newest]))
    /**
     * Whether the item of an entry has arrived before the answer to its request. The gateway sends both at the same
     * time.
     */
    const isEarly = entry => items.some(item => {
      const { itemId } = item.meta, isNew = itemId > (this.#newest.get(entry.id) ?? newest) && !claimed.has(itemId)
      return isNew && isSent(item) && textOf(item) === entry.text
    })
    // If no edit is stored here for an item, the item is a new object, so the gateway has already changed it.
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

  /** Returns an item as it will be after its waiting edits. The same edit always results in the same object. */
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
