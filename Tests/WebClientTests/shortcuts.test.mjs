// Tests the keyboard shortcuts.
import assert from "node:assert/strict"
import test from "node:test"

const { actionOf, isApple, shortcuts } = await import(`${process.env.CLIENT}/model/shortcuts.js`)

const none = { code: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false }
const action = (pressed, hasCommandKey = false, isTyping = false) =>
  actionOf({ ...none, ...pressed }, hasCommandKey, isTyping)

test("each action has different keys", () => {
  assert.equal(new Set(Object.values(shortcuts)).size, Object.keys(shortcuts).length)
})

test("key combinations with the control key run actions", () => {
  assert.equal(action({ key: "k", ctrlKey: true }), "searchAll")
  assert.equal(action({ key: "F", ctrlKey: true, shiftKey: true }), "searchChat")
  assert.equal(action({ key: "k", ctrlKey: true, altKey: true }), "")
  assert.equal(action({ key: "k" }), "")
})

test("on Apple devices, the command key replaces the control key", () => {
  assert.equal(action({ key: "k", metaKey: true }, true), "searchAll")
  assert.equal(action({ key: "k", ctrlKey: true }, true), "")
  assert.equal(action({ key: "k", metaKey: true }), "")
  assert.deepEqual(["MacIntel", "iPhone", "Linux x86_64", "Win32"].map(isApple), [true, true, false, false])
})

test("a letter of another script works like the Latin letter on the same key", () => {
  assert.equal(action({ key: "л", code: "KeyK", ctrlKey: true }), "searchAll")
})

test("arrow keys with the alt key open the next or the previous chat", () => {
  assert.equal(action({ key: "ArrowDown", altKey: true }), "nextChat")
  assert.equal(action({ key: "ArrowUp", altKey: true, shiftKey: true }), "previousUnread")
  assert.equal(action({ key: "ArrowUp" }), "")
})

test("a question mark shows the list of shortcuts, unless the user is typing", () => {
  assert.equal(action({ key: "?", shiftKey: true }), "shortcuts")
  assert.equal(action({ key: "?", shiftKey: true }, false, true), "")
  // The slash of some keyboards needs the shift key.
  assert.equal(action({ key: "/", ctrlKey: true, shiftKey: true }, false, true), "shortcuts")
})
