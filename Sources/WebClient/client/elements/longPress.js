// A press with the right button, or a long touch. Not all browsers make the event `contextmenu` of a long touch.

/** Milliseconds of a long touch. */
const long = 500

/** Runs a function after a press with the right button or a long touch. The touch does not click the element. */
export function onLongPress(/** @type {HTMLElement} */ element, /** @type {() => void} */ run) {
  let timer = 0, isLong = false
  const stop = () => clearTimeout(timer)
  element.addEventListener("pointerdown", ({ pointerType }) => {
    stop()
    isLong = false
    if (pointerType == "touch") timer = setTimeout(() => { isLong = true; run() }, long)
  })
  for (const event of ["pointerup", "pointercancel", "pointerleave"]) element.addEventListener(event, stop)
  element.addEventListener("contextmenu", event => {
    event.preventDefault()
    stop()
    if (!isLong) run()
    isLong = true
  })
  element.addEventListener("click", event => {
    // A click by the keyboard has no pointer.
    if (isLong && event.detail > 0) event.stopImmediatePropagation()
    isLong = false
  }, true)
}
