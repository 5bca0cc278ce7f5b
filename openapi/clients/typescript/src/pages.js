// Facts of the contract that its types do not show, in one place, and lists that turn their pages by themselves.
import { operations } from "./operations.js"

/** @param {string} operation @param {string} parameter */
const has = (operation, parameter) => operations[operation].slice(2).includes(parameter)

export const contract = {
  /** The parameter with the seconds that a long poll waits. */
  timeout: has("listEvents", "wait") ? "wait" : "timeout",
  /** The parameter with the number of entries of a page of chats or messages. */
  count: has("getChat", "count") ? "count" : "limit",
  consumers: "/v1/consumers",
}

/**
 * Returns the method and the path of an operation; the parameters of its query are part of the path.
 * @param {string} name @param {Record<string, any>} [parameters]
 * @returns {[method: string, path: string]}
 */
export function targetOf(name, parameters = {}) {
  const [method, path, ...query] = operations[name]
  const left = new Map(Object.entries(parameters).filter(([, value]) => value !== undefined))
  const filled = path.replace(/\{(\w+)\}/g, (_, parameter) => {
    const value = left.get(parameter)
    if (value === undefined) throw new TypeError(`${name} needs the parameter ${parameter}.`)
    left.delete(parameter)
    return encodeURIComponent(value)
  })
  for (const parameter of left.keys())
    if (!query.includes(parameter)) throw new TypeError(`${name} has no parameter ${parameter}.`)
  const text = new URLSearchParams([...left].map(([parameter, value]) => [parameter, `${value}`]))
  return [method, left.size ? `${filled}?${text}` : filled]
}

/**
 * Yields the entries of a list, page by page.
 * @param {import("./requests.js").Requests} requests
 * @param {string} operation @param {Record<string, any>} parameters
 * @param {(answer: any) => any[]} entries
 * @param {(answer: any, parameters: Record<string, any>) => Record<string, any> | undefined} [next] the parameters of
 *   the next page, for a list whose answers have no `next`
 * @returns {AsyncGenerator<any, void, undefined>}
 */
export async function* pages(requests, operation, parameters, entries, next = () => undefined) {
  let path = targetOf(operation, parameters)[1]
  for (let given = parameters; ;) {
    const answer = await requests.get(path)
    yield* entries(answer)
    if (answer.next?.startsWith("/")) path = answer.next
    else {
      const following = answer.next ? { ...parameters, cursor: answer.next } : next(answer, given)
      if (!following) return
      given = following
      path = targetOf(operation, following)[1]
    }
  }
}

/** Number of entries of a page. */
const size = 100

/**
 * Yields the chats of a profile, the latest first.
 * @param {import("./requests.js").Requests} requests @param {number} userId @param {Record<string, any>} filter
 */
export async function* chatPages(requests, userId, filter) {
  const parameters = { userId, ...filter, [contract.count]: size }
  // Chats of the same time are not divided, so a page may begin with chats of the page before.
  const seen = new Set()
  const found = pages(requests, "listChats", parameters, ({ chats }) => chats, ({ chats }, given) =>
    contract.count == "limit" || chats.length < size ? undefined : { ...given, before: timeOf(chats.at(-1)) })
  for await (const chat of found) {
    const place = placeOf(chat.chatInfo).join("/")
    if (!seen.has(place)) yield chat
    seen.add(place)
  }
}

/**
 * Yields the items of a chat, the newest first.
 * @param {import("./requests.js").Requests} requests @param {Record<string, any>} parameters
 */
export async function* itemPages(requests, parameters) {
  const found = pages(
    requests, "getChat", { ...parameters, [contract.count]: size }, ({ chat }) => [...chat.chatItems].reverse(),
    ({ chat: { chatItems }, prev }, given) => {
      if (contract.count == "limit") return prev && { ...given, cursor: prev }
      return chatItems.length < size ? undefined : { ...given, before: chatItems[0].meta.itemId }
    }
  )
  for await (const item of found) yield item
}

/**
 * The item with an id, and its neighbour.
 * @param {import("./requests.js").Requests} requests @param {Record<string, any>} place @param {number} around
 * @returns {Promise<import("./contract.js").ChatItem[]>}
 */
export async function itemsAround(requests, place, around) {
  return (await requests.get(targetOf("getChat", { ...place, around, [contract.count]: 2 })[1])).chat.chatItems
}

/** The time of the last activity, by which chats are listed. */
const timeOf = (/** @type {any} */ { chatInfo, chatItems }) => {
  const subject = chatInfo.contact ?? chatInfo.groupInfo ?? chatInfo.noteFolder ?? chatInfo.contactRequest
    ?? chatInfo.contactConnection
  return subject?.chatTs ?? subject?.updatedAt ?? subject?.createdAt ?? chatItems.at(-1).meta.itemTs
}

/**
 * The type and the id of a chat, as paths name it.
 * @param {any} chatInfo
 * @returns {[type: "direct" | "group" | "local" | "contactConnection", id: number]}
 */
export function placeOf({ type, contact, groupInfo, noteFolder, contactRequest, contactConnection }) {
  if (type == "group") return ["group", groupInfo.groupId]
  if (type == "local") return ["local", noteFolder.noteFolderId]
  if (type == "contactConnection") return ["contactConnection", contactConnection.pccConnId]
  return ["direct", contact?.contactId ?? contactRequest.contactRequestId]
}
