// Tests of the items that are folded into one row.
import assert from "node:assert/strict"
import test from "node:test"

const { foldOf, membersOf } = await import(`${process.env.CLIENT}/model/runs.js`)

const joined = (groupMemberId, displayName, type = "memberConnected") => ({
  content: { type: "rcvGroupEvent", rcvGroupEvent: { type } }, meta: {},
  chatDir: { type: "groupRcv", groupMember: { groupMemberId, memberProfile: { displayName } } },
})
const named = items => {
  const [count, names] = membersOf(items, count => `${count} members`, "en-GB")
  return [count, names.replace(/[\u2068\u2069]/g, "")]
}

test("joins, departures, settings and deleted messages are folded, and other items are not", () => {
  const text = { type: "rcvMsgContent", msgContent: { type: "text", text: "a" } }
  assert.equal(foldOf(joined(1, "A")), "joined")
  assert.equal(foldOf(joined(1, "A", "memberLeft")), "left")
  assert.equal(foldOf(joined(1, "A", "memberRole")), undefined)
  assert.equal(foldOf(joined(1, "A", "constructor")), undefined)
  assert.equal(foldOf({ content: { type: "rcvGroupFeature" }, meta: {} }), "settings")
  assert.equal(foldOf({ content: text, meta: {} }), undefined)
  assert.equal(foldOf({ content: text, meta: { itemDeleted: { type: "deleted" } } }), "deleted")
})

test("a row names up to three members, and counts the others", () => {
  const [a, b, c, d, e] = ["A", "B", "C", "D", "E"].map((name, index) => joined(index, name))
  assert.deepEqual(named([a]), [1, "A"])
  assert.deepEqual(named([a, b, a]), [2, "A and B"])
  assert.deepEqual(named([a, b, c]), [3, "A, B and C"])
  assert.deepEqual(named([a, b, c, d, e]), [5, "A, B and 3 members"])
})

test("a name does not change the direction of the text after it", () => {
  const [, names] = membersOf([joined(1, "\u202eevil\u2066"), joined(2, "{0}")], String, "en-GB")
  assert.equal(names, "\u2068evil\u2069 and \u2068{0}\u2069")
})
