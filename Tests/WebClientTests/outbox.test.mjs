// Tests of the outbox, with a clock, a gateway and a storage that the tests control.
import assert from "node:assert/strict"
import test from "node:test"

const { Outbox, answerLimit, keyLifetime, longestPause, sentLimit } = await import(`${process.env.CLIENT}/model/outbox.js`)

class Clock {
  time = 1_000_000
  timers = new Set()
  now = () => this.time
  after = (time, run) => {
    const timer = { at: this.time + time, run }
    this.timers.add(timer)
    return () => this.timers.delete(timer)
  }
  async pass(time) {
    this.time += time
    for (const timer of [...this.timers]) if (timer.at <= this.time && this.timers.delete(timer)) timer.run()
    await settled()
  }
}

/** Waits until the callbacks of all resolved promises have run. */
const settled = () => new Promise(next => { setImmediate(next) })
const offline = () => Object.assign(new Error("away"), { status: 0, code: "offline" })
const refusal = (status, code, more = {}) => Object.assign(new Error(`refused: ${code}`), { status, code, ...more })

/** A gateway whose answers the tests choose, one request after the other. */
class Gateway {
  requests = []
  uploads = []
  nextItem = 1
  send(method, path, body, headers, signal) {
    const key = headers["Idempotency-Key"]
    return this.#asked(this.requests, { method, path, body: JSON.stringify(body), key, signal })
  }
  upload = (users, name, body, signal) => this.#asked(this.uploads, { users, name, body, signal })
  #asked(list, request) {
    return new Promise((answer, fail) => {
      list.push(Object.assign(request, { answer, fail }))
      request.signal.addEventListener("abort", () => fail(offline()))
    })
  }
  get texts() { return this.requests.map(({ body }) => JSON.parse(body).composedMessages[0].msgContent.text) }
  async accept(request = this.requests.at(-1)) {
    request.answer({ chatItems: [{ chatItem: { meta: { itemId: this.nextItem++ } } }] })
    await settled()
  }
  async fail(problem, request = this.requests.at(-1)) {
    request.fail(problem)
    await settled()
  }
}

const storage = () => {
  let kept = "[]"
  return {
    load: async () => JSON.parse(kept), clear: () => { kept = "[]" }, get entries() { return JSON.parse(kept) },
    save: async entries => { kept = JSON.stringify(entries) },
  }
}

let count = 0
async function opened(more = {}) {
  const clock = new Clock(), gateway = new Gateway(), vault = more.vault ?? storage(), refused = []
  const changed = entry => { if (entry) refused.push(entry.text) }
  const outbox = new Outbox({ clock, random: () => `key${++count}`, changed })
  await outbox.open({ storeId: "default", keyId: "k", api: gateway, vault })
  return { clock, gateway, vault, outbox, refused }
}

const text = (text, place = "direct/1", more = {}) => ({
  userId: 1, place, method: "POST", path: `/chats/${place}/messages`, text,
  body: { composedMessages: [{ msgContent: { type: "text", text }, mentions: {} }] }, ...more,
})
const edit = (text, more) => ({
  userId: 1, place: "direct/1", method: "PATCH", path: "/chats/direct/1/messages/{item}", text,
  body: { updatedMessage: { msgContent: { type: "text", text } } }, ...more,
})
const states = outbox => outbox.entries.map(({ text, state }) => `${text} ${state}`)

test("messages of a chat are sent one after the other, in order, each with a separate idempotency key", async () => {
  const { gateway, outbox } = await opened()
  for (const word of ["one", "two", "three"]) outbox.add(text(word))
  assert.deepEqual(gateway.texts, ["one"])
  await gateway.accept()
  await gateway.accept()
  await gateway.accept()
  assert.deepEqual(gateway.texts, ["one", "two", "three"])
  assert.equal(new Set(gateway.requests.map(({ key }) => key)).size, 3)
  assert.equal(gateway.requests[0].path, "/v1/users/1/chats/direct/1/messages")
  assert.deepEqual(states(outbox), ["one sent", "two sent", "three sent"])
  assert.deepEqual(outbox.entries.map(({ itemIds }) => itemIds), [[1], [2], [3]])
  assert.ok(!outbox.isWaiting)
})

test("messages of a chat wait neither for another chat nor for another profile", async () => {
  const { gateway, outbox } = await opened()
  outbox.add(text("a"))
  outbox.add(text("b", "direct/2"))
  outbox.add({ ...text("c"), userId: 2 })
  outbox.add({ ...text("d"), query: "?scope=support" })
  assert.deepEqual(gateway.texts, ["a", "b", "c", "d"])
  assert.deepEqual(outbox.list(1, "direct/1").map(({ text }) => text), ["a", "d"])
  assert.deepEqual(outbox.list(1, "direct/1", "").map(({ text }) => text), ["a"])
})

test("a request without an answer is repeated with the same idempotency key, and later messages of the chat wait", async () => {
  const { clock, gateway, outbox } = await opened()
  outbox.add(text("one"))
  outbox.add(text("two"))
  await gateway.fail(offline())
  assert.deepEqual(states(outbox), ["one waiting", "two waiting"])
  assert.equal(outbox.entries[0].problem?.code, "offline")
  await clock.pass(500)
  assert.deepEqual(gateway.texts, ["one", "one"])
  await gateway.accept()
  assert.deepEqual(gateway.texts, ["one", "one", "two"])
  assert.equal(gateway.requests[0].key, gateway.requests[1].key)
  assert.equal(gateway.requests[0].body, gateway.requests[1].body)
})

test("the pauses between attempts grow to a limit, and end when the network is back", async () => {
  const { clock, gateway, outbox } = await opened()
  outbox.add(text("one"))
  for (let pause = 500; pause < 2 * longestPause; pause *= 2) {
    await gateway.fail(offline())
    const before = gateway.requests.length
    await clock.pass(Math.min(pause, longestPause) - 1)
    assert.equal(gateway.requests.length, before)
    await clock.pass(1)
    assert.equal(gateway.requests.length, before + 1)
  }
  await gateway.fail(offline())
  const before = gateway.requests.length
  outbox.wake()
  assert.equal(gateway.requests.length, before + 1)
})

test("if the gateway sets a time for the next attempt, no attempt is made earlier", async () => {
  for (const status of [429, 503]) {
    const { clock, gateway, outbox } = await opened()
    outbox.add(text("one"))
    await gateway.fail(refusal(status, "busy", { retryAfter: 40 }))
    outbox.wake()
    await clock.pass(39_999)
    assert.equal(gateway.requests.length, 1)
    await clock.pass(1)
    await gateway.accept()
    assert.deepEqual(states(outbox), ["one sent"])
  }
})

test("a request that is still in progress at the gateway is repeated", async () => {
  const { clock, gateway, outbox } = await opened()
  outbox.add(text("one"))
  await gateway.fail(refusal(409, "requestInProgress"))
  await clock.pass(500)
  assert.equal(gateway.requests[1].key, gateway.requests[0].key)
})

test("a request without an answer in time is aborted and repeated", async () => {
  const { clock, gateway, outbox } = await opened()
  outbox.add(text("one"))
  await clock.pass(answerLimit)
  assert.ok(gateway.requests[0].signal.aborted)
  await clock.pass(500)
  await gateway.accept()
  assert.deepEqual(states(outbox), ["one sent"])
})

test("a refused message is kept with its reason, and later messages are sent", async () => {
  const { gateway, outbox, refused } = await opened()
  const { id } = outbox.add(text("bad"))
  outbox.add(text("good"))
  await gateway.fail(refusal(422, "chatError"))
  assert.deepEqual(states(outbox), ["bad refused", "good sending"])
  assert.equal(outbox.find(id)?.problem?.message, "refused: chatError")
  assert.deepEqual(refused, ["bad"])
  await gateway.accept()
  outbox.again(id)
  assert.equal(gateway.requests.at(-1).key, id)
  await gateway.accept()
  assert.deepEqual(states(outbox), ["bad sent", "good sent"])
})

test("a message whose attachment cannot be prepared is refused", async () => {
  const { outbox } = await opened()
  const make = async () => { throw new TypeError("no picture") }
  outbox.add(text("a", "direct/1", { parts: [{ at: 0, name: "a", make }] }))
  await settled()
  assert.deepEqual(states(outbox), ["a refused"])
})

test("a message that may have arrived gets a new idempotency key only if the user sends it again", async () => {
  const { gateway, outbox } = await opened()
  const { id } = outbox.add(text("one"))
  await gateway.fail(refusal(409, "conflict"))
  outbox.again(id)
  assert.notEqual(gateway.requests[1].key, id)
})

test("a message can be withdrawn while the message waits or is being sent", async () => {
  const { gateway, outbox } = await opened()
  const first = outbox.add(text("one")), second = outbox.add(text("two"))
  outbox.add(text("three"))
  outbox.takeBack(second.id)
  outbox.takeBack(first.id)
  assert.ok(gateway.requests[0].signal.aborted)
  await settled()
  assert.deepEqual(gateway.texts, ["one", "three"])
  assert.deepEqual(states(outbox), ["three sending"])
})

test("attachments are uploaded once, and the same request is repeated", async () => {
  const { clock, gateway, outbox } = await opened()
  const msgContent = { type: "file", text: "" }
  const part = (at, name) => ({ at, name, make: async upload => ({ ...await upload(name, "bytes"), msgContent }) })
  const composedMessages = [{ mentions: {}, quotedItemId: 7 }, { mentions: {} }]
  outbox.add({ ...text(""), parts: [part(0, "a"), part(1, "b")], body: { composedMessages } })
  assert.equal(outbox.entries[0].step, "a")
  await gateway.fail(offline(), gateway.uploads[0])
  await clock.pass(500)
  gateway.uploads[1].answer({ fileSource: "A" })
  await settled()
  assert.equal(outbox.entries[0].step, "b")
  await gateway.fail(offline(), gateway.uploads[2])
  await clock.pass(1000)
  gateway.uploads[3].answer({ fileSource: "B" })
  await settled()
  await gateway.fail(offline())
  await clock.pass(2000)
  assert.deepEqual(gateway.uploads.map(({ name }) => name), ["a", "a", "b", "b"])
  assert.equal(gateway.requests[0].body, gateway.requests[1].body)
  const file = (fileSource, more) => ({ fileSource, msgContent, mentions: {}, ...more })
  const whole = { composedMessages: [file("A", { quotedItemId: 7 }), file("B", {})] }
  assert.deepEqual(JSON.parse(gateway.requests[1].body), whole)
})

test("if a message is withdrawn during its upload, no message is sent", async () => {
  const { gateway, outbox } = await opened()
  const { id } = outbox.add({ ...text("a"), parts: [{ at: 0, name: "a", make: upload => upload("a", "bytes") }] })
  outbox.takeBack(id)
  assert.ok(gateway.uploads[0].signal.aborted)
  await settled()
  assert.equal(gateway.requests.length, 0)
  assert.deepEqual(outbox.entries, [])
})

test("edits wait in the queue of their chat, and have no idempotency key", async () => {
  const { gateway, outbox } = await opened()
  outbox.add(text("one"))
  outbox.add(edit("other", { itemId: 5 }))
  await gateway.accept()
  assert.equal(gateway.requests[1].path, "/v1/users/1/chats/direct/1/messages/5")
  assert.equal(gateway.requests[1].key, undefined)
})

test("an edit of a message that is not sent yet waits for its item", async () => {
  const { gateway, outbox } = await opened()
  const { id } = outbox.add(text("live"))
  outbox.add(edit("live more", { of: id }))
  await gateway.accept()
  assert.match(gateway.requests[1].path, /messages\/1$/)
})

test("an edit of a refused message is refused too, and removed if the message is withdrawn", async () => {
  const { gateway, outbox } = await opened()
  const { id } = outbox.add(text("live"))
  outbox.add(edit("live more", { of: id }))
  await gateway.fail(refusal(422, "chatError"))
  assert.deepEqual(states(outbox), ["live refused", "live more refused"])
  assert.equal(outbox.entries[1].problem?.code, "chatError")
  outbox.takeBack(id)
  assert.deepEqual(outbox.entries, [])
})

test("waiting messages survive a reload, with their idempotency keys and in their order", async () => {
  const before = await opened()
  before.outbox.add(text("one"))
  before.outbox.add(text("two"))
  await settled()
  const after = await opened({ vault: before.vault })
  assert.deepEqual(after.gateway.texts, ["one"])
  assert.equal(after.gateway.requests[0].key, before.gateway.requests[0].key)
  assert.equal(after.gateway.requests[0].body, before.gateway.requests[0].body)
  await after.gateway.accept()
  await after.gateway.accept()
  assert.deepEqual(after.vault.entries, [])
})

test("a refused message survives a reload, and is not sent again", async () => {
  const before = await opened()
  before.outbox.add(text("bad"))
  await before.gateway.fail(refusal(422, "chatError"))
  const after = await opened({ vault: before.vault })
  assert.deepEqual(states(after.outbox), ["bad refused"])
  assert.equal(after.outbox.entries[0].problem?.message, "refused: chatError")
  assert.equal(after.gateway.requests.length, 0)
})

test("a message whose attachments are lost by a reload is refused, and no part of it is sent", async () => {
  const before = await opened()
  const parts = [{ at: 0, name: "a", make: upload => upload("a", "bytes") }]
  before.outbox.add({ ...text("look"), attachments: { files: ["a"] }, parts })
  await settled()
  assert.ok(!JSON.stringify(before.vault.entries).includes("attachments"))
  const after = await opened({ vault: before.vault })
  assert.deepEqual(states(after.outbox), ["look refused"])
  assert.equal(after.outbox.entries[0].problem?.code, "filesLost")
  assert.ok(after.outbox.entries[0].isLost)
})

test("an entry that was added before the storage was read is listed after the entries of the storage", async () => {
  const before = await opened()
  before.outbox.add(text("one"))
  await settled()
  const gateway = new Gateway(), outbox = new Outbox({ clock: new Clock(), random: () => `key${++count}` })
  const isOpen = outbox.open({ storeId: "default", keyId: "k", api: gateway, vault: before.vault })
  outbox.add(text("two", "direct/2"))
  await isOpen
  assert.deepEqual(outbox.entries.map(({ text }) => text), ["one", "two"])
  await settled()
  assert.equal(before.vault.entries.length, 2)
})

test("after the API key was refused, messages wait for another API key of the same store", async () => {
  const { gateway, outbox, vault } = await opened()
  outbox.add(text("sent, perhaps"))
  outbox.add(text("waits"))
  outbox.close()
  await settled()
  assert.deepEqual(vault.entries, [])
  assert.ok(gateway.requests[0].signal.aborted)
  const other = new Gateway(), again = new Gateway()
  await outbox.open({ storeId: "other", keyId: "k2", api: other, vault: storage() })
  assert.deepEqual(outbox.list(1, "direct/1"), [])
  outbox.close()
  await outbox.open({ storeId: "default", keyId: "k3", api: again, vault: storage() })
  assert.equal(other.requests.length, 0)
  // A gateway remembers an Idempotency-Key only together with the API key of the request, so the first message cannot
  // be repeated with another API key.
  assert.deepEqual(states(outbox), ["sent, perhaps refused", "waits sending"])
  assert.equal(outbox.entries[0].problem?.code, "uncertain")
})

test("messages whose sending has begun continue with the same API key", async () => {
  const { gateway, outbox } = await opened()
  outbox.add(text("one"))
  outbox.close()
  const again = new Gateway()
  await outbox.open({ storeId: "default", keyId: "k", api: again, vault: storage() })
  assert.equal(again.requests[0].key, gateway.requests[0].key)
})

test("a message that waits longer than the gateway remembers its idempotency key is not sent again automatically", async () => {
  const { clock, gateway, outbox } = await opened()
  const { id } = outbox.add(text("one"))
  await gateway.fail(offline())
  await clock.pass(keyLifetime + 1)
  assert.deepEqual(states(outbox), ["one refused"])
  outbox.again(id)
  assert.notEqual(gateway.requests[1].key, id)
})

test("signing out removes all entries", async () => {
  const { clock, gateway, outbox, vault } = await opened()
  outbox.add(text("one"))
  outbox.close(true)
  await clock.pass(longestPause)
  assert.deepEqual(outbox.entries, [])
  assert.deepEqual(vault.entries, [])
  assert.equal(gateway.requests.length, 1)
})

test("a sent entry is removed when its item is shown, or after a minute", async () => {
  const { clock, gateway, outbox } = await opened()
  const first = outbox.add(text("one"))
  await gateway.accept()
  outbox.shown([first.id])
  assert.deepEqual(outbox.entries, [])
  const second = outbox.add(text("two"))
  outbox.shown([second.id])
  assert.deepEqual(states(outbox), ["two sending"])
  await gateway.accept()
  await clock.pass(sentLimit)
  assert.deepEqual(outbox.entries, [])
})

test("with random failures, each message arrives once and in order", async () => {
  let seed = 5
  const random = bound => { seed = (seed * 1103515245 + 12345) % 2147483648; return Math.floor(seed / 65536) % bound }
  for (let round = 0; round < 30; round++) {
    const clock = new Clock(), stored = storage(), arrived = new Set(), lines = { "direct/1": [], "direct/2": [] }
    // A gateway that remembers idempotency keys, and loses some requests and answers.
    const api = { send: async (method, path, body, headers) => {
      const key = headers["Idempotency-Key"]
      await settled()
      if (!random(4)) throw offline()
      if (!random(4)) throw refusal(503, "unavailable", random(2) ? { retryAfter: 3 } : {})
      if (!arrived.has(key)) lines[path.slice(18, 26)].push(body.composedMessages[0].msgContent.text)
      arrived.add(key)
      if (!random(4)) throw offline()
      return { chatItems: [] }
    } }
    const fresh = async () => {
      const outbox = new Outbox({ clock, random: () => `key${++count}` })
      await outbox.open({ storeId: "default", keyId: "k", api, vault: stored })
      return outbox
    }
    let outbox = await fresh(), wanted = { "direct/1": [], "direct/2": [] }
    for (let step = 0; step < 200; step++) {
      const place = `direct/${random(2) + 1}`
      if (step < 20) { wanted[place].push(`${step}`); outbox.add(text(`${step}`, place)) }
      if (!random(10)) outbox.wake()
      if (!random(15)) {
        // Reloads the page. Its running attempts are aborted, but some of their requests arrive nevertheless.
        await settled()
        const { entries } = stored
        outbox.close()
        await stored.save(entries)
        outbox = await fresh()
      }
      await clock.pass(random(4000))
    }
    assert.deepEqual(lines, wanted)
    assert.deepEqual(outbox.entries, [])
  }
})
