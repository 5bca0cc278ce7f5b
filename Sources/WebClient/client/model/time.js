// Times as texts for users, in the language and the time zone of the browser.
import { words } from "./words.js"

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" })
const day = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short" })
const dayOfYear = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" })
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })

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
  return `${hours ? `${hours}:${String(minutes).padStart(2, "0")}` : minutes}:${String(rest).padStart(2, "0")}`
}

/** Returns the remaining time in its largest unit: `2d`, `5h`, `3m`, `20s`. */
export function left(until, now = Date.now()) {
  const seconds = Math.max(0, Math.round(((read(until)?.getTime() ?? now) - now) / 1000))
  for (const [unit, size] of /** @type {[string, number][]} */ ([["d", 86400], ["h", 3600], ["m", 60]]))
    if (seconds >= size) return `${Math.floor(seconds / size)}${unit}`
  return `${seconds}s`
}

export function size(bytes) {
  let value = Number(bytes) || 0
  for (const unit of ["B", "KB", "MB"]) {
    if (value < 1024) return `${Math.round(value * 10) / 10} ${unit}`
    value /= 1024
  }
  return `${Math.round(value * 10) / 10} GB`
}
