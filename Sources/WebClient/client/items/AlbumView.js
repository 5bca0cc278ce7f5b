// Consecutive pictures of one person in one bubble. Each picture stays an item of its own, with its own menu.
import { author, el, fill, isSent, keep, message, set, View } from "../elements/base.js"
import { renderer, senderFace } from "./ChatItemView.js"
import { FramedItemView, senderName } from "./FramedItemView.js"

/** Maximal time in milliseconds between two pictures of an album. */
const pause = 60_000

/** The classes for the columns of albums with few pictures. Others have three columns. */
const columns = { 1: "one", 2: "two", 4: "two" }

const isPicture = item => message(item)?.type == "image" && renderer(item) === FramedItemView && !item.quotedItem
  && !item.meta.itemForwarded && !item.meta.itemLive

/** Whether the pictures of two rows are in one album. Only the last picture of an album can have a text. */
function joins(first, second) {
  if (![first, second].every(({ item }) => item && isPicture(item)) || second.showsName) return false
  const [before, after] = [first, second].map(({ item }) => Date.parse(item.meta.itemTs))
  return author(first.item) == author(second.item) && !message(first.item).text && after - before <= pause
}

/** Replaces rows of pictures that belong together by a row with an album. */
export function inAlbums(/** @type {any[]} */ rows) {
  const found = /** @type {any[][]} */ ([])
  for (const [index, row] of rows.entries()) {
    if (index && joins(rows[index - 1], row)) found.at(-1)?.push(row)
    else found.push([row])
  }
  return found.map(album => (album.length > 1 ? { key: `album${album[0].key}`, album } : album[0]))
}

export class AlbumView extends View {
  #grid = el("div.grid", { role: "presentation" })
  #head = el("div.head", { role: "presentation" })

  /** @param {any[]} rows @param {(row: any) => any} makeItem makes the view of an item, or finds it */
  draw(rows, context, makeItem) {
    const [{ item, showsName }] = rows, isOwn = isSent(item), { isLast } = /** @type {any} */ (rows.at(-1))
    set(this, { role: "presentation", id: `album${item.meta.itemId}` })
    const count = rows.filter(row => !message(row.item).text).length
    this.className = [isOwn ? "sent" : "received", isLast ? "last" : "", columns[count] ?? ""].join(" ")
    keep(this.#grid, rows, row => row.key, makeItem, (child, row) =>
      child.show(row.item, false, row.isLast, context, row.isSelected, true))
    fill(this.#head, showsName && senderName(item, context))
    const hasFace = context.isGroup && !isOwn
    return [hasFace && (isLast ? senderFace(item, context) : el("span.face")),
      el("div.frame", { role: "presentation" }, this.#head, this.#grid)]
  }
}
