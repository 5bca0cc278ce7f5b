// Follows a document of the gateway until it is stopped: reads the document, applies each change, continues at the same
// position after an interruption, and reads the document again after a gap.
import { Problem } from "./api.js"
import { patched } from "./patch.js"

/**
 * @param {import("./api.js").Api} api
 * @param {{
 *   read: () => Promise<{id: string, path: string, document: any}>,
 *   changed: (document: any) => void,
 *   failed?: (problem: unknown) => void,
 * }} options `read` reads the whole, and answers the path of its changes; `failed` hears of errors that no retry solves
 * @returns {{stop: () => void}}
 */
export function follow(api, { read, changed, failed = () => {} }) {
  let isStopped = false, wake = () => {}, socket
  const stops = new AbortController()
  for (const event of ["online", "visibilitychange"])
    addEventListener(event, () => {
      if (!document.hidden) wake()
    }, { signal: stops.signal })

  async function run() {
    let state, pause = 500
    while (!isStopped) {
      try {
        if (!state) {
          state = await read()
          if (isStopped) return
          changed(state.document)
        }
        socket = await api.socket(state.path, state.id)
        const end = await listen(socket, state, changed)
        if (end.isGap) state = undefined
        if (end.wasOpen) pause = 500
        // The socket may have failed because its ticket was refused, or because the gateway cannot be reached. This
        // request fails with the actual reason.
        if (!end.wasOpen && !end.isGap) await api.get("/v1/whoami")
      } catch (error) {
        if (isStopped) return
        if (!(error instanceof Problem)) { state = undefined; console.warn(error) }
        else if (error.status == 410 || (error.status == 404 && state)) state = undefined
        else if ([401, 403, 404].includes(error.status)) return failed(error)
        else if (error.code != "offline") failed(error)
      }
      if (isStopped) return
      await new Promise(next => { wake = () => next(undefined); setTimeout(next, pause) })
      pause = Math.min(pause * 2, 15_000)
    }
  }
  run()
  return {
    stop() {
      isStopped = true
      stops.abort()
      socket?.close()
      wake()
    },
  }
}

/** Receives the changes of the document until the socket ends. */
function listen(socket, state, changed) {
  return new Promise((ended, failed) => {
    let isGap = false, wasOpen = false
    const end = () => ended({ isGap, wasOpen })
    socket.onopen = () => { wasOpen = true }
    socket.onclose = event => { isGap ||= event.code == 4410; end() }
    // After a loss of the network, for example while the computer sleeps, the socket does not end by itself. So the
    // browser's event `offline` closes it.
    const away = () => { socket.close(); end() }
    addEventListener("offline", away, { once: true })
    socket.addEventListener("close", () => removeEventListener("offline", away))
    socket.onmessage = ({ data }) => {
      try {
        const entry = JSON.parse(data)
        if (entry.event.type == "gap") isGap = true
        else if (entry.event.type == "modelPatch") {
          state.document = patched(state.document, entry.event.patch)
          state.id = entry.id
          changed(state.document)
        }
      } catch (error) {
        // The patch does not fit the document, so the document is read again.
        socket.close()
        failed(error)
      }
    }
  })
}
