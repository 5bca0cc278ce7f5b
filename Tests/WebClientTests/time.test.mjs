// Tests of durations as texts.
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import test from "node:test"

globalThis.navigator ??= {}
Object.defineProperty(globalThis.navigator, "languages", { value: ["en"], configurable: true })
globalThis.fetch = async address => (
  { ok: true, json: async () => JSON.parse(readFileSync(new URL(address), "utf8")) })
const { duration } = await import(`${process.env.CLIENT}/model/time.js`)

test("a duration has minutes and seconds, and hours if necessary", () => {
  assert.deepEqual([0, 5, 65, 64.6, 3599, 3600, 359_999, "x", undefined].map(duration), ["0:00", "0:05", "1:05", "1:05", "59:59", "1:00:00", "99:59:59", "0:00", "0:00"])
})

test("an impossible duration from a peer is shown as unknown", () => {
  for (const seconds of [-1, 360_000, 2 ** 31, 2 ** 63, Infinity]) assert.equal(duration(seconds), "–:––", `${seconds}`)
})
