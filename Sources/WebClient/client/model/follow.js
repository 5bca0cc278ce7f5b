// Follows a document of the gateway for ever: reads it, applies each change, goes on where it was after an
// interruption, and reads again after a gap.
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
        // A ticket that was refused, or a gateway that is away: a request tells which.
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

/** Until the socket ends. */
function listen(socket, state, changed) {
  return new Promise((ended, failed) => {
    let isGap = false, wasOpen = false
    const end = () => ended({ isGap, wasOpen })
    socket.onopen = () => { wasOpen = true }
    socket.onclose = event => { isGap ||= event.code == 4410; end() }
    // A closed lid tells no socket that the network has gone, and the browser tells the page that it is back.
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
        // Not the document that the patch was made for: it is read again.
        socket.close()
        failed(error)
      }
    }
  })
}
