// Runs the handlers of a program, so that each event is handled even if the program or the gateway is killed.
import { AlreadyDone, TimedOut } from "./problems.js"
import { pause } from "./requests.js"

/**
 * @typedef {{
 *   consumer?: string, cursor?: import("./cursors.js").Cursor, from?: string, deadlineSeconds?: number,
 *   maxAttempts?: number, failed?: (error: unknown, entry: import("./sockets.js").Entry) => void, signal?: AbortSignal,
 * }} RunOptions `consumer`: the name of a consumer, whose position the gateway stores; or `cursor`: a cursor that the
 *   program itself stores; without both, events from now on. `from`: the beginning of a new consumer or cursor (default
 *   `now`). A handler that throws, or takes longer than `deadlineSeconds` (60), gets its event again; after
 *   `maxAttempts` (5), `failed` gets the event, and the handler gets the next event
 */

/**
 * @param {import("./gateway.js").Gateway} gateway
 * @param {RunOptions} [options]
 */
export async function run(gateway, options = {}) {
  const { consumer } = options
  const { keyId } = await gateway.call("getCurrentKey")
  if (consumer !== undefined) await runConsumer(gateway, consumer, `${keyId}-${consumer}`, options)
  else await runCursor(gateway, `${keyId}-${options.cursor?.name ?? "bot"}`, options)
}

/**
 * @param {import("./gateway.js").Gateway} gateway @param {string} consumer @param {string} name
 * @param {RunOptions} options
 */
async function runConsumer(gateway, consumer, name, options) {
  const { from = "now", deadlineSeconds = 60, maxAttempts = 5, failed = report, signal } = options
  const path = `/v1/consumers/${encodeURIComponent(consumer)}`
  await gateway.put(path, { filter: filterOf(gateway), from, deadlineSeconds, maxAttempts })
  while (!signal?.aborted) {
    let events
    try { ({ events } = await gateway.post(`${path}/take`, { limit: 1, timeout: 25 }, signal)) } catch (error) {
      if (signal?.aborted) return
      throw error
    }
    for (const { id, attempt, event } of events) {
      const entry = event.event ? event : { id, userId: event.user?.userId, event }
      try {
        await handled(gateway, entry, name, deadlineSeconds)
        await gateway.post(`${path}/ack`, { ids: [id] })
      } catch (error) {
        if (attempt >= maxAttempts) failed(error, entry)
        await gateway.post(`${path}/nack`, { ids: [id], delaySeconds: Math.min(2 ** attempt, 60) })
      }
    }
  }
}

/** @param {import("./gateway.js").Gateway} gateway @param {string} name @param {RunOptions} options */
async function runCursor(gateway, name, options) {
  const { cursor, from = "now", deadlineSeconds = 60, maxAttempts = 5, failed = report, signal } = options
  let begin = await cursor?.load()
  if (begin === undefined) {
    begin = from == "now" ? await gateway.now() : from == "oldest" ? undefined : from
    // The first cursor is stored, so that a program that is killed before its first event begins at the same cursor
    // again.
    if (begin !== undefined) await cursor?.save(begin)
  }
  const { types, users, chats } = filterOf(gateway)
  const query = { types: types.join(","), users: users?.join(","), chats: chats?.join(",") }
  const lost = () => console.warn("Some events are lost: the cursor has expired.")
  for await (const entry of gateway.events({ cursor: begin, query, lost, signal })) {
    for (let attempt = 1; ; attempt++) {
      try {
        await handled(gateway, entry, name, deadlineSeconds)
        break
      } catch (error) {
        if (signal?.aborted) return
        if (attempt >= maxAttempts) { failed(error, entry); break }
        await pause(Math.min(500 * 2 ** attempt, 30_000), signal)
      }
    }
    await cursor?.save(entry.id)
  }
}

/** Passes an entry to the handlers, and throws TimedOut if they take too long. */
async function handled(
  /** @type {import("./gateway.js").Gateway} */ gateway, /** @type {import("./sockets.js").Entry} */ entry,
  /** @type {string} */ name, /** @type {number} */ seconds
) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  const late = new Promise((_, reject) => {
    const detail = `A handler of ${entry.event.type} took more than ${seconds} seconds.`
    timer = setTimeout(() => reject(new TimedOut(0, "timedOut", { detail })), seconds * 1000)
  })
  try { await Promise.race([gateway.handle(entry, name), late]) } catch (error) {
    // An earlier attempt has already sent this message with another text, because the handler does not make the same
    // text each time. So the event counts as handled.
    if (!(error instanceof AlreadyDone)) throw error
  } finally { clearTimeout(timer) }
}

/** Returns the server's filter that includes the events of all handlers. */
function filterOf(/** @type {import("./gateway.js").Gateway} */ { handlers }) {
  /** @type {<T>(part: (filter: import("./gateway.js").Filter) => T[] | undefined) => T[] | undefined} */
  const all = part => {
    const wanted = handlers.map(({ filter }) => part(filter))
    if (wanted.includes(undefined)) return undefined
    return [...new Set(wanted.flatMap(list => list ?? []))]
  }
  return {
    types: [...new Set(handlers.map(({ type }) => type))], users: all(filter => filter.users),
    chats: all(filter => filter.chats),
  }
}

/** @param {unknown} error @param {import("./sockets.js").Entry} entry */
const report = (error, entry) => console.error(`The event ${entry.id} (${entry.event.type}) is not handled:`, error)
