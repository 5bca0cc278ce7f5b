// News of a profile besides messages.
import assert from "node:assert/strict"
import test from "node:test"

const { newsBetween } = await import(`${process.env.CLIENT}/model/news.js`)

const contact = (id, type, more) => ({ id: `@${id}`, chatInfo: {
  type: "direct", contact: { contactId: id, contactStatus: "active", activeConn: type && { connStatus: { type } }, ...more },
} })
const request = { id: "<@1", chatInfo: { type: "contactRequest", contactRequest: { contactRequestId: 1 } } }
const group = memberStatus => ({ id: "#1", chatInfo: { type: "group", groupInfo: { membership: { memberStatus } } } })
const names = (before, after) => newsBetween(before, after).map(({ name }) => name)

test("A contact is news when it is connected", () => {
  assert.deepEqual(names([], [contact(1, "joined")]), [])
  assert.deepEqual(names([contact(1, "joined")], [contact(1, "ready")]), ["connected"])
  assert.deepEqual(names([], [contact(1, "ready")]), ["connected"])
  assert.deepEqual(names([contact(1, "ready")], [contact(1, "ready")]), [])
})

test("A request for contact is news, in both forms", () => {
  assert.deepEqual(names([], [request, contact(2, null, { contactRequestId: 5 })]), ["request", "request"])
})

test("An invitation to a group is news, and the group is none", () => {
  assert.deepEqual(names([], [group("invited")]), ["invited"])
  assert.deepEqual(names([group("invited")], [group("connected")]), [])
})

test("Messages and chats of other kinds are no news", () => {
  const one = contact(1, "ready"), chats = [one]
  assert.deepEqual(names(chats, chats), [])
  const others = ["local", "newer"].map(type => ({ id: type, chatInfo: { type } }))
  assert.deepEqual(names(chats, [{ ...one, chatItems: [{}] }, ...others]), [])
})
