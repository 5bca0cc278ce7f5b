// Consecutive items that are folded into one row: settings of a chat, members who joined or left, and deleted messages.
import { memberName, message } from "./chats.js"

/** @typedef {"settings" | "joined" | "left" | "deleted"} Fold */

/** @type {Map<string, Fold>} */
const events = new Map([["memberConnected", "joined"], ["memberLeft", "left"]])

/**
 * Returns the kind of row into which an item can be folded; undefined for other items.
 * @returns {Fold | undefined}
 */
export function foldOf({ content, meta, chatDir }) {
  if (/(Chat|Group)Feature(Rejected)?$/.test(content.type)) return "settings"
  if (message({ content }) && meta.itemDeleted) return "deleted"
  if (content.type != "rcvGroupEvent" || !chatDir?.groupMember) return undefined
  return events.get(content.rcvGroupEvent?.type)
}

/** A series of items of one kind. The first setting of a series stays visible. */
export class Run {
  /** @type {any[]} The folded items. */
  items = []

  /** @param {Fold} kind @param {number} id the id of the first item */
  constructor(kind, id) {
    this.kind = kind
    this.id = id
  }

  get key() { return `run${this.id}-${this.items.length}` }
}

const most = 3
/** The characters that change the direction of the text after them. */
const directions = /[\u202a-\u202e\u2066-\u2069]/g

/**
 * Returns the names of the members of some items, and a number in place of the remaining names if there are many.
 * @param {any[]} items
 * @param {(count: number) => string} others makes the text for a number of members
 * @param {string} language
 * @returns {[number, string]} the number of members, and the list of the names
 */
export function membersOf(items, others, language) {
  const members = new Map(items.map(({ chatDir: { groupMember } }) => [groupMember.groupMemberId, groupMember]))
  const names = [...members.values()].map(member => `\u2068${memberName(member).replace(directions, "")}\u2069`)
  const shown = names.length > most ? [...names.slice(0, most - 1), others(names.length - most + 1)] : names
  return [names.length, new Intl.ListFormat(language, { type: "conjunction" }).format(shown)]
}
