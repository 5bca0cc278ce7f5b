// Delays changes of the page while the pointer is pressed. A browser makes a click only if the pointer is pressed and
// released on the same element, so this element must not be replaced meanwhile.

/** Milliseconds after which a press no longer delays changes, since the event at its end may be lost. */
const longest = 5000
/** Elements that the space bar can press. */
const keyed = "button, summary, input[type=checkbox], input[type=radio]"

/** @type {(() => void)[]} */
let waiting = []
let isPressed = false, timer = 0

function release() {
  clearTimeout(timer)
  isPressed = false
  const all = waiting
  waiting = []
  for (const run of all) run()
}

/** Runs a function after the click of the current press; immediately if nothing is pressed. */
export const whenReleased = (/** @type {() => void} */ run) => { if (isPressed) waiting.push(run); else run() }

/** Starts observing the presses in the page. */
export function followPresses() {
  const after = (/** @type {number} */ time) => { clearTimeout(timer); timer = setTimeout(release, time) }
  addEventListener("pointerdown", ({ button }) => { if (button == 0) { isPressed = true; after(longest) } }, true)
  // On touch screens, the click arrives as a separate event after the release, so the changes wait 50 milliseconds
  // more.
  addEventListener("pointerup", () => after(50), true)
  for (const event of ["click", "pointercancel", "contextmenu"]) addEventListener(event, () => after(0), true)
  // The space bar also presses a button, and its click arrives when the key is released. So the key counts as a press.
  addEventListener("keydown", ({ key, repeat, target }) => {
    if (key != " " || repeat || !(target instanceof Element && target.matches(keyed))) return
    isPressed = true
    after(longest)
  }, true)
  addEventListener("keyup", ({ key }) => { if (key == " " && isPressed) after(0) }, true)
}
