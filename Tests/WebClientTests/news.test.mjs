// Tests of the news of a profile other than messages.
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

test("A contact request is news, as a request and as a contact with a request", () => {
  assert.deepEqual(names([], [request, contact(2, null, { contactRequestId: 5 })]), ["request", "request"])
})

test("An invitation to a group is news, and a joined group is not", () => {
  assert.deepEqual(names([], [group("invited")]), ["invited"])
  assert.deepEqual(names([group("invited")], [group("connected")]), [])
})

test("Messages and chats of other kinds are not news", () => {
  const one = contact(1, "ready"), chats = [one]
  assert.deepEqual(names(chats, chats), [])
  const others = ["local", "newer"].map(type => ({ id: type, chatInfo: { type } }))
  assert.deepEqual(names(chats, [{ ...one, chatItems: [{}] }, ...others]), [])
})
