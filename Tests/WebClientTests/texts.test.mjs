// Tests the texts of quotes.
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import test from "node:test"

globalThis.navigator ??= {}
Object.defineProperty(globalThis.navigator, "languages", { value: ["en-GB"], configurable: true })
globalThis.fetch = async address => (
  { ok: true, json: async () => JSON.parse(readFileSync(new URL(address), "utf8")) })
const { shortened } = await import(`${process.env.CLIENT}/model/texts.js`)

test("a short quote stays whole", () => {
  const parts = [{ text: "a short one" }]
  assert.deepEqual(shortened("a short one", parts), ["a short one", parts])
})

test("a long quote ends with a whole word and an ellipsis", () => {
  const [text] = shortened("measure ".repeat(40).trim(), undefined)
  assert.match(text, /^(measure ){11}measure…$/)
})

test("a quote of many lines ends after three lines", () => {
  assert.equal(shortened("one\ntwo\nthree\nfour", undefined)[0], "one\ntwo\nthree…")
})

test("a long word without spaces ends between characters", () => {
  const [text] = shortened("a" + "😀".repeat(200), undefined)
  assert.equal(text, "a" + "😀".repeat(49) + "…")
})

test("formatted parts end at the same position as the text", () => {
  const bold = { type: "bold" }, text = `${"x".repeat(80)} ${"y".repeat(100)} end`
  const [short, parts] = shortened(text, [{ text: "x".repeat(80) }, { format: bold, text: ` ${"y".repeat(100)} end` }])
  assert.equal(short, `${"x".repeat(80)}…`)
  assert.deepEqual(parts, [{ text: "x".repeat(80) }, { text: "…" }])
})
