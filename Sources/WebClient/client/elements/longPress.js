// Long touches. Browsers make the event `contextmenu` of a long touch. Safari on iOS makes none, so the page makes it.

/** Milliseconds after which a touch is long. Browsers that make the event `contextmenu` themselves make it earlier. */
const long = 700
/** The distance in pixels within which a finger stays in its place. */
const near = 10

/** Starts observing the touches in the page. */
export function followLongTouches() {
  let timer = 0, x = 0, y = 0, isLong = false, isMade = false
  const stop = () => clearTimeout(timer)
  addEventListener("pointerdown", ({ pointerType, isPrimary, target, clientX, clientY }) => {
    stop()
    isLong = isMade = false
    if (pointerType != "touch" || !isPrimary) return
    x = clientX
    y = clientY
    const event = new MouseEvent("contextmenu", { bubbles: true, cancelable: true, clientX, clientY })
    timer = setTimeout(() => { isMade = target?.dispatchEvent(event) === false }, long)
  }, true)
  addEventListener("pointermove", ({ clientX, clientY }) => {
    if (Math.hypot(clientX - x, clientY - y) > near) stop()
  }, true)
  for (const event of ["pointerup", "pointercancel"])
    addEventListener(event, () => { stop(); isMade = false }, true)
  addEventListener("contextmenu", event => {
    stop()
    isLong = true
    // The browser's own event may come after that of the page. If that event has opened a menu, this one would open a
    // second menu.
    if (isMade && event.isTrusted) { event.preventDefault(); event.stopImmediatePropagation() }
  }, true)
  // The click at the end of a long touch is ignored. A click by the keyboard has no pointer (`detail` is 0), and is
  // never ignored.
  addEventListener("click", event => {
    if (isLong && event.detail > 0) { event.preventDefault(); event.stopImmediatePropagation() }
    isLong = false
  }, true)
}
