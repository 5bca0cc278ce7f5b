// Targets of requests by the names of operations, and lists that are read page by page.
import { operations } from "./operations.js"

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

/** The number of entries in a page. */
const limit = 100

/**
 * Yields the entries of a list, page by page.
 * @param {import("./requests.js").Requests} requests
 * @param {string} operation @param {Record<string, any>} parameters
 * @param {(answer: any) => any[]} entries
 * @returns {AsyncGenerator<any, void, undefined>}
 */
export async function* pages(requests, operation, parameters, entries) {
  for (let page = parameters; ;) {
    const answer = await requests.get(targetOf(operation, page)[1])
    yield* entries(answer)
    if (!answer.next) return
    page = { ...parameters, cursor: answer.next }
  }
}

/**
 * Yields the chats of a profile, the latest first. A chat that moves to the top while the list is read is not repeated.
 * @param {import("./requests.js").Requests} requests @param {number} userId @param {Record<string, any>} filter
 */
export async function* chatPages(requests, userId, filter) {
  const seen = new Set()
  for await (const chat of pages(requests, "listChats", { userId, ...filter, limit }, ({ chats }) => chats)) {
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
  const newestFirst = (/** @type {any} */ { chat }) => [...chat.chatItems].reverse()
  yield* pages(requests, "getChat", { ...parameters, limit }, newestFirst)
}

/**
 * Returns the item with the id `around`, and its neighbour.
 * @param {import("./requests.js").Requests} requests @param {Record<string, any>} place @param {number} around
 * @returns {Promise<import("./contract.js").ChatItem[]>}
 */
export async function itemsAround(requests, place, around) {
  return (await requests.get(targetOf("getChat", { ...place, around, limit: 2 })[1])).chat.chatItems
}

/**
 * Returns the type and the id of a chat, as in paths.
 * @param {any} chatInfo
 * @returns {[type: "direct" | "group" | "local" | "contactConnection", id: number]}
 */
export function placeOf({ type, contact, groupInfo, noteFolder, contactRequest, contactConnection }) {
  if (type == "group") return ["group", groupInfo.groupId]
  if (type == "local") return ["local", noteFolder.noteFolderId]
  if (type == "contactConnection") return ["contactConnection", contactConnection.pccConnId]
  return ["direct", contact?.contactId ?? contactRequest.contactRequestId]
}
