// The panel beside the open chat. On narrow windows the panel covers the chat.
import { app, drawWith, fill, frame, openOver } from "../elements/base.js"

/** @type {HTMLDialogElement | null} */
let shown = null

/** Closes the panel. Returns whether a panel was open. */
export function closePanel() {
  const wasShown = Boolean(shown?.open)
  shown?.close()
  return wasShown
}

/** Closes the panel if it covers the chat. */
export const uncoverChat = () => { if (shown && getComputedStyle(shown).position == "absolute") shown.close() }

/**
 * Shows details of the open chat until another chat is opened.
 * @param {string} label the name for screen readers
 * @param {() => any[]} values the panel is drawn again when one of these values has changed
 * @param {() => any} draw
 */
export function showPanel(label, values, draw) {
  closePanel()
  const whole = document.querySelector(".halves"), { place } = app, stops = new AbortController()
  if (!whole) return
  const box = shown = frame(label, null), body = /** @type {Element} */ (box.querySelector(".body"))
  const update = () => drawWith(box, values(), () => {
    const { scrollTop } = body
    fill(body, draw())
    body.scrollTop = scrollTop
  })
  box.classList.add("panel")
  box.addEventListener("close", () => stops.abort())
  box.addEventListener("keydown", event => {
    if (event.key != "Escape") return
    event.stopPropagation()
    box.close()
  })
  for (const event of ["model", "session"]) app.on(event, () => { if (app.place == place) update() }, stops.signal)
  app.on("place", () => { if (app.place != place) box.close() }, stops.signal)
  update()
  openOver(box, whole)
}
