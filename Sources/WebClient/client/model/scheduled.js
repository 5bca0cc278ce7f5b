// The scheduled messages of the open profile that wait, or that the gateway could not send. The gateway sends no events
// about them, so a visible page reads them again: when a chat is opened, after its own changes, at their times, and
// once a minute, since other devices also schedule messages.
import { app } from "./app.js"
import { browserClock } from "./time.js"

/** The time in milliseconds for which the list is not read again when a chat is opened. */
const fresh = 30_000
/** The time in milliseconds from the due time of a message until the list is read again. */
const after = 1500
/** The longest time in milliseconds between two readings of the list. */
const longest = 60_000
/**
 * The longest time in milliseconds for which a message that the user sends now is hidden while the gateway still lists
 * the message as waiting.
 */
const sending = 5000
const mostPages = 10

/** @type {{users: string, at: number, messages: any[]}} */
let known = { users: "", at: 0, messages: [] }
let stopWaiting = () => {}
/** The number of the last reading or change of the list. An answer to an earlier reading is ignored. */
let asked = 0
/** @type {Map<number, number>} By id: the time until which a message is hidden after "send now". */
const begun = new Map()

export const scheduledPlace = ({ chat: { chatType, chatId } }) => `${chatType}/${chatId}`

const timeOf = ({ sendAt, createdAt }) => Date.parse(sendAt ?? createdAt)
const byTime = (first, second) => timeOf(first) - timeOf(second)

/** Returns the scheduled messages of a chat, or of all chats, by their time. */
export const scheduledIn = (/** @type {string | null} */ place) =>
  (known.users == app.users ? known.messages.filter(it => place === null || scheduledPlace(it) == place) : [])

function keep(/** @type {any[]} */ listed) {
  const now = browserClock.now()
  const messages = listed.filter(it => it.state != "waiting" || !(now < (begun.get(it.scheduledId) ?? 0)))
  known = { users: app.users, at: now, messages: [...messages].sort(byTime) }
  const times = messages.filter(({ state, sendAt }) => state == "waiting" && sendAt).map(it => Date.parse(it.sendAt))
  if (messages.length < listed.length) times.push(now)
  readLater(Math.min(Math.max(Math.min(...times) - now, 0) + after, longest))
  app.emit("scheduled")
}

/** Reads the list after a pause in milliseconds, when the page is visible. */
function readLater(/** @type {number} */ pause) {
  const read = () => {
    if (document.hidden) document.addEventListener("visibilitychange", read, { once: true })
    else readNow()
  }
  stopWaiting()
  const stopClock = browserClock.after(pause, read)
  stopWaiting = () => { stopClock(); document.removeEventListener("visibilitychange", read) }
}

/** Reads the list now, and later again, also if this reading fails or its answer is ignored. */
function readNow() {
  readLater(longest)
  readScheduled().catch(() => {})
}

/** Reads the list of the open profile. */
export async function readScheduled() {
  const { users } = app, number = ++asked, messages = /** @type {any[]} */ ([])
  let cursor = ""
  for (let page = 0; page < mostPages; page++) {
    const query = `limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`
    const { scheduledMessages, next } = await app.get(`/scheduled-messages?${query}`)
    messages.push(...scheduledMessages)
    cursor = next
    if (!next) break
  }
  if (number == asked && users == app.users) keep(messages.filter(({ state }) => state != "sent"))
}

/** Reads the list unless it was read a short time ago. */
export function refreshScheduled() {
  if (known.users != app.users || browserClock.now() - known.at >= fresh) readNow()
}

/**
 * Shows a change of a message at once, and sends it. After an error, the list is as before.
 * @param {number} id
 * @param {any} change the changed members; null for a message that is no longer shown
 * @param {() => Promise<any>} send
 */
async function changed(id, change, send) {
  const before = known.messages
  asked++
  keep(before.flatMap(it => (it.scheduledId != id ? [it] : change ? [{ ...it, ...change }] : [])))
  try { await send() } catch (error) {
    if (known.users == app.users) keep(before)
    // The message may have been sent meanwhile, so the list is read again after an error.
    readScheduled().catch(() => {})
    throw error
  }
  await readScheduled().catch(() => {})
}

const path = (/** @type {number} */ id) => `/scheduled-messages/${id}`

/** Changes members of a waiting message. */
export const changeScheduled = (/** @type {number} */ id, change) =>
  changed(id, change, () => app.patch(path(id), change))

/** Sends a waiting message now. */
export const sendScheduled = (/** @type {number} */ id) =>
  changed(id, null, async () => {
    await app.patch(path(id), { sendAt: null })
    begun.set(id, browserClock.now() + sending)
  })

/** Deletes a message that waits or was refused. */
export const deleteScheduled = (/** @type {number} */ id) => changed(id, null, () => app.delete(path(id)))

/**
 * Returns a function that uploads the attachments of a request, and returns the whole request. After an error, the next
 * call continues with the attachments that are not uploaded yet.
 * @param {any} body
 * @param {import("./outbox.js").Part[]} parts
 */
export function withFiles(body, parts) {
  const left = [...parts], composedMessages = [...body.composedMessages], { users } = app
  return async () => {
    while (left.length) {
      const { at, make } = left[0], message = await make((name, file) => app.api.upload(users, name, file))
      composedMessages[at] = { ...message, ...composedMessages[at] }
      left.shift()
    }
    return { ...body, composedMessages }
  }
}

/** Schedules messages. */
export async function schedule(body) {
  const made = await app.post("/scheduled-messages", body)
  asked++
  keep([...scheduledIn(null), made])
}

app.on("leave", () => {
  stopWaiting()
  begun.clear()
  known = { users: "", at: 0, messages: [] }
})
