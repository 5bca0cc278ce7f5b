// Times that the page offers for sending later.

/** The hours of the day that the page offers. */
const morning = 9, evening = 20
const minute = 60_000, hour = 60 * minute

const at = (/** @type {Date} */ now, /** @type {number} */ days, /** @type {number} */ hours) =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hours)

/**
 * Returns the offered times by their names in the texts of the page.
 * @returns {[string, Date][]}
 */
export function presets(now = new Date()) {
  const monday = (8 - now.getDay()) % 7 || 7
  /** @type {[string, Date, boolean][]} */
  const all = [
    ["hour", new Date(Math.ceil((now.getTime() + hour) / minute) * minute), true],
    ["evening", at(now, 0, evening), now.getHours() < evening - 1],
    ["tomorrow", at(now, 1, morning), true],
    ["monday", at(now, monday, morning), monday > 1],
  ]
  return all.filter(entry => entry[2]).map(([name, time]) => [name, time])
}

/** Returns a time in the form of an input: `2026-11-30T09:00`, in the time zone of the browser. */
export function inputTime(/** @type {Date} */ time) {
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0")
  const day = `${String(time.getFullYear()).padStart(4, "0")}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${day}T${two(time.getHours())}:${two(time.getMinutes())}`
}
