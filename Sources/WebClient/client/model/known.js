// The newest items of the chats that were open before. A chat is drawn with them at once when it is opened again, until
// the gateway has sent its present items.

/** Maximal numbers of remembered chats, and of items of a chat: as many as fill a large window. */
const mostChats = 20, mostItems = 20

export class KnownItems {
  /** @type {Map<string, any[]>} The items by the places of the chats, the newest first. */
  #items = new Map()

  /** Remembers the newest items of a chat, if they are loaded. */
  keep(/** @type {string} */ place, { reversedChatItems, newestLoaded, chatState }) {
    this.#items.delete(place)
    if (!newestLoaded) return
    // Items behind a gap are not remembered, because newer items between them are not loaded.
    const gap = reversedChatItems.findIndex(({ meta: { itemId } }) => chatState.splits.includes(itemId))
    this.#items.set(place, reversedChatItems.slice(0, gap < 0 ? mostItems : Math.min(gap, mostItems)))
    const [oldest] = this.#items.keys()
    if (this.#items.size > mostChats) this.#items.delete(oldest)
  }

  /**
   * Returns the known items of a chat, the newest first.
   * @param {string} place
   * @param {any[]} last the last items of the chat in the chat list; empty if the chat was cleared
   */
  list(place, last, now = Date.now()) {
    const known = last.length ? this.#items.get(place) ?? [] : []
    const others = last.filter(({ meta: { itemId } }) => known.every(({ meta }) => meta.itemId < itemId))
    const isThere = ({ meta: { itemTimed } }) => !itemTimed?.deleteAt || Date.parse(itemTimed.deleteAt) > now
    return [...others, ...known].filter(isThere)
  }

  clear() { this.#items.clear() }
}
