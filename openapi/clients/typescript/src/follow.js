// Follows a document of the gateway until it is stopped: reads the document, applies each change, continues at the same
// position after an interruption, and reads the document again after a gap.
import { patched } from "./patch.js"
import { GatewayError } from "./problems.js"
import { socketLine } from "./sockets.js"

/**
 * @param {import("./requests.js").Requests} requests
 * @param {{
 *   read: () => Promise<{id: string, path: string, document: any}>,
 *   changed: (document: any) => void,
 *   failed?: (problem: unknown) => void,
 *   line?: import("./sockets.js").Line, }} options `read` returns the whole document and the path of its changes;
 *   `failed` is called with errors that no retry solves
 * @returns {{stop: () => void}}
 */
export function follow(requests, { read, changed, failed = () => {}, line = socketLine }) {
  const stops = new AbortController(), { signal } = stops
  let wake = () => {}
  for (const event of ["online", "visibilitychange"])
    globalThis.addEventListener?.(event, () => {
      if (!globalThis.document?.hidden) wake()
    }, { signal })

  async function run() {
    /** @type {{id: string, path: string, document: any} | undefined} */
    let state
    let pause = 500
    while (!signal.aborted) {
      try {
        if (!state) {
          state = await read()
          if (signal.aborted) return
          changed(state.document)
        }
        const opened = () => { pause = 500 }
        for await (const { id, event } of line(requests, state.path, state.id, { signal, opened })) {
          if (signal.aborted) return
          if (event.type != "modelPatch") continue
          state.document = patched(state.document, event.patch)
          state.id = id
          changed(state.document)
        }
      } catch (error) {
        if (signal.aborted) return
        // An error of another kind means that the patch does not fit the document, so the document is read again.
        if (!(error instanceof GatewayError)) { state = undefined; console.warn(error) }
        else if (error.status == 410 || (error.status == 404 && state)) state = undefined
        else if ([401, 403, 404].includes(error.status)) return failed(error)
        else if (error.code != "offline") failed(error)
      }
      if (signal.aborted) return
      await new Promise(next => { wake = () => next(undefined); setTimeout(next, pause) })
      pause = Math.min(pause * 2, 15_000)
    }
  }
  run()
  return { stop() { stops.abort(); wake() } }
}

/**
 * Reads the state of a profile, for `follow`. A long chat list is read in several parts, which all belong to the same
 * state.
 * @param {import("./requests.js").Requests} requests
 * @param {string} users the path of the profile: `/v1/users/1`
 */
export async function readModel(requests, users) {
  const { id, model, next } = await requests.get(`${users}/model`)
  const chats = [...model.chats]
  for (let cursor = next; cursor;) {
    const part = await requests.get(`${users}/model/chats?cursor=${cursor}`)
    chats.push(...part.chats)
    cursor = part.next
  }
  return { id, path: `${users}/model/changes`, document: { ...model, chats } }
}
