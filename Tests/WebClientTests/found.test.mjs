// Tests that occurrences of a searched text are found in messages.
import assert from "node:assert/strict"
import test from "node:test"

const { excerpt, splitAt } = await import(`${process.env.CLIENT}/model/found.js`)

test("a text is split at each occurrence, in upper or lower case", () => {
  assert.deepEqual(splitAt("Tea and tea", "TEA"), ["", "Tea", " and ", "tea", ""])
  assert.deepEqual(splitAt("Tea", ""), ["Tea"])
  assert.deepEqual(splitAt("coffee", "tea"), ["coffee"])
})

test("a searched text is not a regular expression", () => {
  assert.deepEqual(splitAt("1+1 (a|b) [c] \\d $^ {2}/-", "+1 (a|b) [c] \\d $^ {2}/-"), ["1", "+1 (a|b) [c] \\d $^ {2}/-", ""])
  assert.deepEqual(splitAt("abc", "."), ["abc"])
})

test("an excerpt begins with a whole word before the occurrence", () => {
  assert.equal(excerpt("the needle is at the beginning", "needle"), "the needle is at the beginning")
  assert.equal(excerpt(`${"many words ".repeat(9)}before a needle`, "NEEDLE"), "…many words before a needle")
})

test("an excerpt of a text without spaces begins with a whole character", () => {
  assert.equal(excerpt(`${"😀".repeat(30)}needle`, "needle"), `…${"😀".repeat(12)}needle`)
  assert.equal(excerpt(`${"😀".repeat(30)}xneedle`, "needle"), `…${"😀".repeat(11)}xneedle`)
})
