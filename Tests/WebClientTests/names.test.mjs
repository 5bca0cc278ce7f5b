// Tests of the correction of names, which follows the rule of the core.
import assert from "node:assert/strict"
import test from "node:test"

const { validName } = await import(`${process.env.CLIENT}/model/names.js`)

test("a corrected name is the name that the core proposes", () => {
  for (const [name, expected] of [
    ["alice", "alice"], ["  alice  ", "alice"], ["alice  smith", "alice smith"], ["'alice'", "alice"],
    ["al#ice", "alice"], ["1alice", "1alice"], ["!x", "x"], ["alice!!!!", "alice!"], ["a. b", "a b"], ["a/b", "ab"],
    ["żółć", "żółć"], ["😀", "😀"], ["a\tb", "a b"], ["-a", "a"], ["a-_b", "a-b"], ["x".repeat(60), "x".repeat(50)],
    ["😀".repeat(60), "😀".repeat(50)], ["", ""], ["   ", ""], ["\u0301a", "a"], ["a\u0301", "a\u0301"],
    ["$money", "money"], ["a $5", "a $5"], ["a ! b", "a ! b"], ["(a)", "a"], ["a~\"`,;b", "ab"], ["O'Neil", "ONeil"],
    ["O’Neil", "ONeil"], ["Dr. X", "Dr X"], ["Smith, John", "Smith John"], ["Anna (work)", "Anna work"],
    ["J. ... Doe", "J Doe"], ["alice >>= bob", "alice >>= bob"], ["alice && bob", "alice & bob"],
    ["alice & & bob", "alice & bob"], ["alice -- bob", "alice - bob"], ["> alice", "alice"], ["...", ""],
  ]) assert.equal(validName(name), expected, name)
})
