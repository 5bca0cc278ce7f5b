// Tests of several documents over one WebSocket. The test decides the answers of the socket.
import assert from "node:assert/strict"
import test from "node:test"
import { CursorExpired, follow, GatewayError, sharedLine } from "../src/index.js"

class FakeSocket {
  sent = []
  isClosed = false
  send(text) { this.sent.push(JSON.parse(text)) }
  close() {
    if (this.isClosed) return
    this.isClosed = true
    queueMicrotask(() => this.onclose({ code: 1000 }))
  }
  open() { this.onopen() }
  arrive(document, event, id) { this.onmessage({ data: JSON.stringify({ document, id, event }) }) }
}

/** Makes requests whose sockets are stored in a list. */
function fakeRequests() {
  const sockets = [], paths = []
  return {
    key: "k", sockets, paths,
    error: error => error,
    send: async () => ({}),
    socket: async path => {
      paths.push(path)
      sockets.push(new FakeSocket())
      return sockets.at(-1)
    },
  }
}

const settled = () => new Promise(done => setTimeout(done, 0))
const patch = text => ({ type: "modelPatch", patch: [{ op: "replace", path: "/text", value: text }] })
const followed = { type: "followed" }
const ended = status => ({ type: "ended", problem: { status, code: status == 410 ? "cursorExpired" : "notFound" } })
const model = "/v1/users/1/model", session = "/v1/users/1/sessions/s"

/** Starts a reader. The result has the ids of its entries, and its end. */
function read(requests, line, document, cursor, signal) {
  const reader = { ids: [] }
  reader.end = (async () => {
    for await (const { id } of line(requests, `${document}/changes`, cursor, { signal })) reader.ids.push(id)
  })().catch(error => error)
  return reader
}

test("two documents share one WebSocket, which closes after the last reader", async () => {
  const requests = fakeRequests(), line = sharedLine(), stops = new AbortController()
  const one = read(requests, line, model, "m-1", stops.signal)
  await settled()
  const [socket] = requests.sockets
  socket.open()
  assert.deepEqual(socket.sent, [{ follow: model, cursor: "m-1" }])
  const other = read(requests, line, session, "s-1")
  assert.deepEqual(socket.sent.at(-1), { follow: session, cursor: "s-1" })
  for (const [name, cursor] of [[model, "m-1"], [session, "s-1"]]) socket.arrive(name, followed, cursor)
  socket.arrive(session, patch("a"), "s-2")
  socket.arrive(model, patch("b"), "m-2")
  await settled()
  assert.deepEqual([one.ids, other.ids], [["m-2"], ["s-2"]])
  socket.arrive(session, ended(410))
  assert((await other.end) instanceof CursorExpired)
  assert.deepEqual(socket.sent.at(-1), { unfollow: session })
  assert(!socket.isClosed)
  stops.abort()
  assert.equal(await one.end, undefined)
  assert(socket.isClosed)
  assert.deepEqual(requests.paths, ["/v1/changes/ws"])
})

test("a document that is followed again ignores late changes for its earlier reader", async () => {
  const requests = fakeRequests(), line = sharedLine()
  read(requests, line, session, "s-1")
  const first = read(requests, line, model, "m-1")
  await settled()
  const [socket] = requests.sockets
  socket.open()
  socket.arrive(model, ended(404))
  assert.equal((await first.end).status, 404)
  const again = read(requests, line, model, "m-7")
  socket.arrive(model, patch("old"), "m-2")
  socket.arrive(model, followed, "m-7")
  socket.arrive(model, patch("new"), "m-8")
  await settled()
  assert.deepEqual(again.ids, ["m-8"])
})

test("the end of the WebSocket ends its readers, and the next readers open another WebSocket", async () => {
  const requests = fakeRequests(), line = sharedLine()
  const readers = [read(requests, line, model, "m-1"), read(requests, line, session, "s-1")]
  await settled()
  requests.sockets[0].open()
  requests.sockets[0].close()
  assert.deepEqual(await Promise.all(readers.map(({ end }) => end)), [undefined, undefined])
  read(requests, line, model, "m-1")
  await settled()
  assert.equal(requests.sockets.length, 2)
  // A second reader of a document has its own WebSocket, since a stream has each document once.
  read(requests, line, model, "m-1")
  await settled()
  assert.deepEqual(requests.paths.at(-1), `${model}/changes/ws`)
})

test("if the ticket is refused, all readers fail with the reason", async () => {
  const requests = fakeRequests(), line = sharedLine(), refusal = new GatewayError(403, "forbidden")
  requests.socket = () => Promise.reject(refusal)
  const readers = [read(requests, line, model, "m-1"), read(requests, line, session, "s-1")]
  for (const { end } of readers) assert.equal(await end, refusal)
})

test("a document whose stream has ended is read again, and followed from its new cursor", async () => {
  const requests = fakeRequests(), seen = []
  let count = 0
  const follower = follow(requests, {
    line: sharedLine(),
    read: async () => ({ id: `m-${++count}`, path: `${model}/changes`, document: { text: `read ${count}` } }),
    changed: ({ text }) => seen.push(text),
  })
  while (!requests.sockets.length) await settled()
  requests.sockets[0].open()
  requests.sockets[0].arrive(model, followed, "m-1")
  requests.sockets[0].arrive(model, patch("changed"), "m-2")
  await settled()
  requests.sockets[0].arrive(model, ended(410))
  while (requests.sockets.length < 2) await settled()
  requests.sockets[1].open()
  assert.deepEqual(requests.sockets[1].sent, [{ follow: model, cursor: "m-2" }])
  assert.deepEqual(seen, ["read 1", "changed", "read 2"])
  follower.stop()
})
