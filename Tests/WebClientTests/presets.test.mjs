// Tests of the times that the page offers for sending later.
import assert from "node:assert/strict"
import test from "node:test"

const { inputTime, presets } = await import(`${process.env.CLIENT}/model/presets.js`)
const offered = now => presets(now).map(([name, time]) => `${name} ${inputTime(time)}`)

test("the offered times are in the future, and each time is offered once", () => {
  // On a Friday, all four times are offered.
  assert.deepEqual(offered(new Date(2026, 10, 27, 14, 3, 20)), [
    "hour 2026-11-27T15:04", "evening 2026-11-27T20:00", "tomorrow 2026-11-28T09:00", "monday 2026-11-30T09:00",
  ])
  // On a Sunday evening, tomorrow is Monday, and this day is offered once.
  assert.deepEqual(offered(new Date(2026, 10, 29, 22, 0)), ["hour 2026-11-29T23:00", "tomorrow 2026-11-30T09:00"])
  // On a Monday, the next Monday is in a week.
  assert.equal(offered(new Date(2026, 10, 30, 8, 0)).at(-1), "monday 2026-12-07T09:00")
  // At the end of a year, tomorrow is in the next year.
  assert.equal(offered(new Date(2026, 11, 31, 23, 30))[1], "tomorrow 2027-01-01T09:00")
})
