// The changes that the page shows before the gateway has confirmed them: reactions, deletions, read marks and settings
// of chats.
import { app } from "./app.js"
import { chatPlace, isMuted, message } from "./chats.js"
import { pause, random } from "./requests.js"

/** Returns a list with changed entries, without those that became null; the same list if no entry has changed. */
function mapped(list, change) {
  const after = list.map(change)
  return after.every((value, index) => value === list[index]) ? list : after.filter(value => value)
}

/** Returns an object with another value of a member; the same object if the value is the same. */
const withMember = (object, name, value) => (object[name] === value ? object : { ...object, [name]: value })

/** Returns a function that changes each object once, so that views see the same object again. */
function once(change) {
  const known = new WeakMap()
  return value => {
    if (!known.has(value)) known.set(value, change(value))
    return known.get(value)
  }
}

/**
 * Makes the functions that show a change of items in the session and in the model. `change` returns null for an item
 * that disappears.
 */
function ofItems(place, /** @type {number[]} */ itemIds, change) {
  const changed = once(change), own = item => (itemIds.includes(item.meta.itemId) ? changed(item) : item)
  const inList = im => im && withMember(im, "reversedChatItems", mapped(im.reversedChatItems, own))
  return {
    session: session => ["im", "secondaryIM"].reduce((it, name) => withMember(it, name, inList(it[name])), session),
    // The last item of a chat stays in the list until the gateway sends the item before it.
    model: ofChat(place, chat => withMember(chat, "chatItems", mapped(chat.chatItems, item => own(item) ?? item))),
  }
}

/** Makes the function that shows a change of one chat in the model. */
function ofChat(place, change) {
  const changed = once(change)
  return model => withMember(model, "chats",
    mapped(model.chats, chat => (chatPlace(chat.chatInfo) == place ? changed(chat) : chat)))
}

/** Shows a change of the open profile at once, and sends the request for the change. */
function show(key, shown, method, path, /** @type {any} */ body = undefined) {
  const { api, users } = app, headers = { "Idempotency-Key": random() }
  app.pending.add({ key, shown, send: () => api.send(method, users + path, body, method == "POST" ? headers : {}) })
}

/** Adds or removes a reaction. */
export function react({ meta: { itemId } }, emoji, add, { place, query }) {
  const isOwn = ({ reaction }) => reaction.type == "emoji" && reaction.emoji == emoji
  const change = item => {
    const reactions = item.reactions ?? [], now = reactions.find(isOwn)
    if (Boolean(now?.userReacted) == add) return item
    const total = (now?.totalReacted ?? 0) + (add ? 1 : -1)
    const own = { reaction: { type: "emoji", emoji }, userReacted: add, totalReacted: total }
    const others = reactions.map(it => (it === now ? own : it)).filter(({ totalReacted }) => totalReacted > 0)
    return { ...item, reactions: now ? others : [...reactions, own] }
  }
  show(`reaction ${itemId} ${emoji}`, ofItems(place, [itemId], change), "POST",
    `/chats/${place}/messages/${itemId}/reactions${query}`, { add, reaction: { type: "emoji", emoji } })
}

/**
 * Deletes items.
 * @param {string} mode `internal`, `broadcast`, `history` or `moderate`
 */
export function deleteItems(/** @type {number[]} */ itemIds, mode, { place, query, chatId, allows }) {
  const isModerated = mode == "moderate", byGroupMember = app.session.chatInfo?.groupInfo?.membership
  const itemDeleted = {
    deletedTs: new Date().toISOString(), ...(isModerated ? { type: "moderated", byGroupMember } : { type: "deleted" }),
  }
  const isGone = mode == "internal" || mode == "broadcast" && allows.fullDelete
  const marked = item =>
    item.meta.itemDeleted || !message(item) ? item : { ...item, meta: { ...item.meta, itemDeleted } }
  // A deletion from the history of a channel shows no change, because the item stays in the chat.
  const shown = mode == "history" ? {} : ofItems(place, itemIds, isGone ? () => null : marked)
  const key = `deletion ${itemIds}`
  if (isModerated) return show(key, shown, "POST", `/groups/${chatId}/moderations`, { itemIds })
  const parameters = `${query ? `${query}&` : "?"}itemIds=${itemIds}&mode=${mode}`
  show(key, shown, "DELETE", `/chats/${place}/messages${parameters}`)
}

/** Makes the function that reduces the unread counts of a chat, and of the profile. */
function fewerUnread(place, count) {
  const chat = app.chat(place), { userId } = app
  const left = before => Math.max(0, before - count)
  const limited = (object, name, most) => withMember(object, name, Math.min(object[name], most))
  if (!chat) return model => model
  const { unreadCount } = chat.chatStats, rest = left(unreadCount)
  const inChat = ofChat(place, it => {
    const stats = limited(it.chatStats, "unreadCount", rest)
    const without = rest ? stats : limited(limited(stats, "unreadMentions", 0), "minUnreadItemId", 0)
    return withMember(it, "chatStats", without)
  })
  // The total of the profile does not include the unread items of muted chats, so it stays the same.
  if (isMuted(chat.chatInfo)) return inChat
  const total = left(app.model.totalUnreadCountForAllUsers)
  const own = left(app.model.users.find(({ user }) => user.userId == userId)?.unreadCount ?? 0)
  const ofUser = it => (it.user.userId == userId ? limited(it, "unreadCount", own) : it)
  return model => {
    const after = limited(inChat(model), "totalUnreadCountForAllUsers", total)
    return withMember(after, "users", mapped(after.users, ofUser))
  }
}

/** The time in milliseconds for which read items are collected for one request. */
const collecting = 400
/**
 * @type {{path: string, itemIds: Set<number>, sent: Promise<any>} | null} The read items that the next request will
 *   report.
 */
let batch = null

/** Sends one request for the items that are read within a short time. */
function sendRead(/** @type {string} */ path, /** @type {number[]} */ itemIds) {
  const { api, users } = app
  if (batch?.path != path) {
    const own = { path, itemIds: new Set(), sent: Promise.resolve() }
    own.sent = pause(collecting).then(() => {
      if (batch === own) batch = null
      return users == app.users ? api.send("POST", path, { itemIds: [...own.itemIds] }) : undefined
    })
    batch = own
  }
  for (const id of itemIds) batch.itemIds.add(id)
  return batch.sent
}

/** Marks items of a chat as read. */
export function readItems(/** @type {string} */ place, /** @type {number[]} */ itemIds) {
  const read = item => (item.meta.itemStatus.type == "rcvNew"
    ? { ...item, meta: { ...item.meta, itemStatus: { ...item.meta.itemStatus, type: "rcvRead" } } }
    : item)
  const { session, model } = ofItems(place, itemIds, read), fewer = fewerUnread(place, itemIds.length)
  const shown = { session, model: document => fewer(model(document)) }
  const path = `${app.users}/chats/${place}/messages/read`
  app.pending.add({ key: `read ${place} ${itemIds}`, shown, send: () => sendRead(path, itemIds) })
}

/** Marks all items of a chat as read. */
export const readChat = (/** @type {string} */ place) =>
  show(`read ${place}`, { model: fewerUnread(place, Infinity) }, "POST", `/chats/${place}/read`, {})

/** Marks a chat as unread, or removes this mark. */
export const markUnread = (/** @type {string} */ place, /** @type {boolean} */ unread) =>
  show(`unread ${place}`, {
    model: ofChat(place, chat => withMember(chat, "chatStats", withMember(chat.chatStats, "unreadChat", unread))),
  }, "PATCH", `/chats/${place}`, { unread })

/** Changes settings of a chat. Settings that are not in `change` keep their values. */
export function setChat(/** @type {string | null} */ place, change) {
  const inInfo = once(info => {
    const kind = info.contact ? "contact" : "groupInfo", of = info[kind]
    const settings = Object.entries(change).reduce((it, [name, value]) => withMember(it, name, value), of.chatSettings)
    return withMember(info, kind, withMember(of, "chatSettings", settings))
  })
  const inSession = session =>
    session.chatInfo && chatPlace(session.chatInfo) == place
      ? withMember(session, "chatInfo", inInfo(session.chatInfo))
      : session
  const inModel = ofChat(place, chat => withMember(chat, "chatInfo", inInfo(chat.chatInfo)))
  const shown = { model: inModel, session: inSession }
  show(`settings ${place} ${Object.keys(change)}`, shown, "PATCH", `/chats/${place}`, { settings: change })
}
