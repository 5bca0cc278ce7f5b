// Nothing is redrawn under a pressed pointer: a browser makes a click only if the same element is pressed and released.

/** Milliseconds after which a press no longer holds changes back: its end may be lost. */
const longest = 5000
/** Elements that the space bar presses. */
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

/** Runs after the click of a press; at once while nothing is pressed. */
export const whenReleased = (/** @type {() => void} */ run) => { if (isPressed) waiting.push(run); else run() }

/** Follows the presses of the page. */
export function followPresses() {
  const after = (/** @type {number} */ time) => { clearTimeout(timer); timer = setTimeout(release, time) }
  addEventListener("pointerdown", ({ button }) => { if (button == 0) { isPressed = true; after(longest) } }, true)
  // The click of a touch comes as an event of its own.
  addEventListener("pointerup", () => after(50), true)
  for (const event of ["click", "pointercancel", "contextmenu"]) addEventListener(event, () => after(0), true)
  // The space bar presses a button too, and its click comes when the key is released.
  addEventListener("keydown", ({ key, repeat, target }) => {
    if (key != " " || repeat || !(target instanceof Element && target.matches(keyed))) return
    isPressed = true
    after(longest)
  }, true)
  addEventListener("keyup", ({ key }) => { if (key == " " && isPressed) after(0) }, true)
}
