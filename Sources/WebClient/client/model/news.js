// News of a profile that are no messages: a contact that is connected, a request for contact, an invitation to a group.
import { closedBecause } from "./chats.js"

/** The news that a chat is, as a name in the words; nothing for most chats. */
export function newsOf(info) {
  if (info.type == "contactRequest") return "request"
  if (info.type == "direct") {
    const closed = closedBecause(info)
    return closed == "requestWaits" ? "request" : closed ? "" : "connected"
  }
  return info.type == "group" && info.groupInfo.membership.memberStatus == "invited" ? "invited" : ""
}

/** Whether the news asks for an answer. */
export const isOpenNews = name => name == "request" || name == "invited"

/** @param {any[]} before the chats of an earlier state @param {any[]} after @returns {{info: any, name: string}[]} */
export function newsBetween(before, after) {
  if (before === after) return []
  const known = new Map(before.map(chat => [chat.id, chat]))
  return after.filter(chat => known.get(chat.id) !== chat).map(({ id, chatInfo: info }) => {
    const earlier = known.get(id), name = newsOf(info)
    return { info, name: earlier && newsOf(earlier.chatInfo) == name ? "" : name }
  }).filter(({ name }) => name)
}
