// Times as texts for users, in the language of the page and the time zone of the browser.
import { locale, number, words } from "./words.js"

const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" })
const day = new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric", month: "short" })
const dayOfYear = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric" })
const whole = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" })

const twoDigits = new Intl.NumberFormat(locale, { minimumIntegerDigits: 2 })
/** @type {Map<string, Intl.NumberFormat>} */
const formats = new Map()
/** Returns the format of a number with its unit. */
function inUnit(/** @type {string} */ unit, /** @type {"long" | "short" | "narrow"} */ unitDisplay) {
  const known = formats.get(unit)
  if (known) return known
  const made = new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay, maximumFractionDigits: 1 })
  formats.set(unit, made)
  return made
}

/** Parses a time; null for an invalid time, which peers may send. */
const read = time => {
  const date = new Date(time)
  return isNaN(date.getTime()) ? null : date
}

const midnight = date => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()

const written = format => time => { const date = read(time); return date ? format.format(date) : "" }
export const timeOfDay = written(clock), wholeTime = written(whole)

/** Returns a number that is equal for all times of a day. */
export const dayKey = time => { const date = read(time); return date ? midnight(date) : 0 }

export function dayName(time, now = new Date()) {
  const date = read(time)
  if (!date) return ""
  const days = Math.round((midnight(now) - midnight(date)) / 86_400_000)
  if (days == 0) return words.today
  if (days == 1) return words.yesterday
  return (date.getFullYear() == now.getFullYear() ? day : dayOfYear).format(date)
}

/** Returns the time for the chat list: the time of day for today, and the day for other days. */
export const shortTime = time => (dayKey(time) == midnight(new Date()) ? timeOfDay(time) : dayName(time))

/** The clock of the browser. Tests replace it by another clock. */
export const browserClock = {
  now: () => Date.now(),
  /**
   * @param {number} time in milliseconds
   * @param {() => void} run
   * @returns {() => void} a function that stops the timer
   */
  after(time, run) {
    const timer = setTimeout(run, time)
    return () => clearTimeout(timer)
  },
}

/**
 * Returns a duration as text: `1:05`. Peers send the lengths of their recordings, so lengths below 0 and from a hundred
 * hours on are shown as unknown.
 */
export function duration(seconds) {
  const whole = Math.round(Number(seconds) || 0)
  if (whole < 0 || whole >= 360_000) return "–:––"
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const begin = hours ? `${number(hours)}:${twoDigits.format(minutes)}` : number(minutes)
  return `${begin}:${twoDigits.format(rest)}`
}

/** Returns the remaining time in its largest unit: `2d`, `5h`, `3m`, `20s`. */
export function left(until, now = Date.now()) {
  const seconds = Math.max(0, Math.round(((read(until)?.getTime() ?? now) - now) / 1000))
  for (const [unit, size] of /** @type {[string, number][]} */ ([["day", 86400], ["hour", 3600], ["minute", 60]]))
    if (seconds >= size) return inUnit(unit, "narrow").format(Math.floor(seconds / size))
  return inUnit("second", "narrow").format(seconds)
}

/** Returns a size as text, in the largest unit that fits: `12 bytes`, `1.5 MB`. */
export function size(bytes) {
  let value = Number(bytes) || 0
  if (value < 1024) return inUnit("byte", "long").format(value)
  for (const unit of ["kilobyte", "megabyte"]) {
    value /= 1024
    if (value < 1024) return inUnit(unit, "short").format(value)
  }
  return inUnit("gigabyte", "short").format(value / 1024)
}

const percents = new Intl.NumberFormat(locale, { style: "percent" })
/** Returns a part of 1 as text: `50%`. */
export const percent = (/** @type {number} */ part) => percents.format(part)
