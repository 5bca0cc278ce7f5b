// Tests of the entries of the outbox that are shown with the items of their chat.
import assert from "node:assert/strict"
import test from "node:test"

const { Waiting } = await import(`${process.env.CLIENT}/model/waiting.js`)

const item = (itemId, text, side = "Snd") => ({
  chatDir: { type: `direct${side}` }, meta: { itemId },
  content: { type: `${side.toLowerCase()}MsgContent`, msgContent: { type: "text", text } },
})
const entry = (id, text, more) => ({
  id, text, method: "POST", state: "waiting", triedAt: 0, itemIds: [], problem: null, body: {}, ...more,
})
const edit = (id, text, itemId, more) => entry(id, text, {
  method: "PATCH", itemId, body: { updatedMessage: { msgContent: { type: "text", text } } }, ...more,
})
const names = ({ rows, arrived }) => [rows.map(({ id }) => id), arrived]

test("an entry is shown until its item is loaded", () => {
  const waiting = new Waiting(), sent = entry("a", "one", { state: "sent", triedAt: 1, itemIds: [5] })
  assert.deepEqual(names(waiting.sort([entry("a", "one")], [item(4, "x")])), [["a"], []])
  assert.deepEqual(names(waiting.sort([sent], [item(4, "x")])), [["a"], []])
  assert.deepEqual(names(waiting.sort([sent], [item(4, "x"), item(5, "one")])), [[], ["a"]])
})

test("an entry whose item was deleted immediately is removed when a later item arrives", () => {
  const sent = entry("a", "one", { state: "sent", itemIds: [5] })
  assert.deepEqual(names(new Waiting().sort([sent], [item(6, "x")])), [[], ["a"]])
})

test("an item that arrives before the answer replaces its entry", () => {
  const waiting = new Waiting(), sending = entry("a", "ok", { state: "sending", triedAt: 1 })
  // Earlier items are other messages with the same text, so they do not replace the entry.
  const before = [item(3, "ok"), item(4, "ok", "Rcv")]
  assert.deepEqual(names(waiting.sort([sending], before)), [["a"], []])
  assert.deepEqual(names(waiting.sort([sending], [...before, item(5, "ok", "Rcv")])), [["a"], []])
  assert.deepEqual(names(waiting.sort([sending], [...before, item(6, "ok")])), [[], []])
})

test("the item of an entry does not replace the next entry with the same text", () => {
  const waiting = new Waiting(), second = entry("b", "ok", { state: "sending", triedAt: 2 })
  const first = entry("a", "ok", { state: "sent", triedAt: 1, itemIds: [5] })
  assert.deepEqual(names(waiting.sort([first, second], [item(4, "x")])), [["a", "b"], []])
  assert.deepEqual(names(waiting.sort([first, second], [item(4, "x"), item(5, "ok")])), [["b"], ["a"]])
})

test("a waiting edit is shown in its item, as the same object while nothing changes", () => {
  const waiting = new Waiting(), it = item(5, "old"), entries = [edit("a", "new", 5)]
  assert.deepEqual(names(waiting.sort(entries, [it])), [[], []])
  const shown = waiting.edited(entries, it)
  assert.equal(shown.content.msgContent.text, "new")
  assert.equal(shown.meta.itemEdited, true)
  assert.equal(waiting.edited(entries, it), shown)
  assert.equal(it.content.msgContent.text, "old")
  const other = item(6, "other")
  assert.equal(waiting.edited(entries, other), other)
})

test("a sent edit is shown until the gateway replaces its item", () => {
  const waiting = new Waiting(), it = item(5, "old"), sent = [edit("a", "new", 5, { state: "sent" })]
  waiting.edited([edit("a", "new", 5)], it)
  assert.deepEqual(names(waiting.sort(sent, [it])), [[], []])
  assert.equal(waiting.edited(sent, it).content.msgContent.text, "new")
  assert.deepEqual(names(waiting.sort(sent, [item(5, "newer")])), [[], ["a"]])
})

test("an edit with an error is shown as a row, and a refused edit is not shown in its item", () => {
  const waiting = new Waiting(), it = item(5, "old"), problem = { code: "offline" }
  assert.deepEqual(names(waiting.sort([edit("a", "new", 5, { problem })], [it])), [["a"], []])
  const refused = [edit("a", "new", 5, { state: "refused", problem })]
  assert.deepEqual(names(waiting.sort(refused, [it])), [["a"], []])
  assert.equal(waiting.edited(refused, it), it)
})
