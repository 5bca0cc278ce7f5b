// News of a profile other than messages: a connected contact, a contact request, and an invitation to a group.
import { closedBecause } from "./chats.js"

/** Returns the news that a chat represents, as a name in the texts of the page; empty for most chats. */
export function newsOf(info) {
  if (info.type == "contactRequest") return "request"
  if (info.type == "direct") {
    const closed = closedBecause(info)
    return closed == "requestWaits" ? "request" : closed ? "" : "connected"
  }
  return info.type == "group" && info.groupInfo.membership.memberStatus == "invited" ? "invited" : ""
}

/** Whether the user has to answer the news. */
export const isOpenNews = name => name == "request" || name == "invited"

/**
 * Returns the chats that have become news between two states of the model.
 * @param {any[]} before the chats of the earlier state
 * @param {any[]} after
 * @returns {{info: any, name: string}[]}
 */
export function newsBetween(before, after) {
  if (before === after) return []
  const known = new Map(before.map(chat => [chat.id, chat]))
  return after.filter(chat => known.get(chat.id) !== chat).map(({ id, chatInfo: info }) => {
    const earlier = known.get(id), name = newsOf(info)
    return { info, name: earlier && newsOf(earlier.chatInfo) == name ? "" : name }
  }).filter(({ name }) => name)
}
