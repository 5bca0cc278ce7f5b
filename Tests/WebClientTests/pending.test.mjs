// Tests of changes that are shown before they are confirmed, with a clock and answers that the tests control.
import assert from "node:assert/strict"
import test from "node:test"

const { PendingChanges, longest, settling } = await import(`${process.env.CLIENT}/model/pending.js`)

const settled = () => new Promise(next => { setImmediate(next) })
const offline = () => Object.assign(new Error("away"), { status: 0, code: "offline" })
const refusal = () => Object.assign(new Error("refused"), { status: 422, code: "chatError" })

/** A page with a document, and the requests that it has sent. */
function page() {
  const timers = new Set(), requests = [], refused = []
  let time = 0, shown = { value: 0 }
  const clock = {
    now: () => time,
    after(wait, run) {
      const timer = { at: time + wait, run }
      timers.add(timer)
      return () => timers.delete(timer)
    },
  }
  const pending = new PendingChanges({
    clock, changed: () => { shown = pending.applied("model") }, refused: problem => refused.push(problem.message),
  })
  const arrives = value => { shown = pending.shown("model", { value }) }
  arrives(0)
  return {
    pending, requests, refused, arrives,
    get value() { return shown.value },
    set: value => pending.add({
      key: "value", shown: { model: it => (it.value == value ? it : { value }) },
      send: () => new Promise((done, failed) => { requests.push({ value, done, failed }) }),
    }),
    async answer(problem = null) {
      const { done, failed } = requests.at(-1)
      if (problem) failed(problem)
      else done()
      await settled()
    },
    async pass(wait) {
      time += wait
      for (const timer of [...timers]) if (timer.at <= time && timers.delete(timer)) timer.run()
      await settled()
    },
  }
}

test("a change is shown at once, and stays until the document contains it", async () => {
  const it = page()
  it.set(1)
  assert.equal(it.value, 1)
  await it.answer()
  await it.pass(settling)
  assert.equal(it.value, 1)
  it.arrives(1)
  await it.pass(settling)
  // The page no longer applies its change, so another client's change is shown.
  it.arrives(2)
  assert.equal(it.value, 2)
})

test("a refused change is undone, and its reason is reported", async () => {
  const it = page()
  it.set(1)
  await it.answer(refusal())
  assert.equal(it.value, 0)
  assert.deepEqual(it.refused, ["refused"])
})

test("a change without an answer is sent again, and is shown meanwhile", async () => {
  const it = page()
  it.set(1)
  await it.answer(offline())
  assert.equal(it.value, 1)
  assert.equal(it.pending.isWaiting, true)
  it.pending.wake()
  assert.equal(it.requests.length, 2)
  // The first attempt had arrived although its answer was lost, so the gateway refuses the second attempt. The refusal
  // is not reported.
  it.arrives(1)
  await it.answer(refusal())
  assert.equal(it.value, 1)
  assert.deepEqual(it.refused, [])
})

test("a later change of a value waits for the request of the earlier change, and replaces it", async () => {
  const it = page()
  it.set(1)
  it.set(2)
  it.set(3)
  assert.equal(it.value, 3)
  assert.equal(it.requests.length, 1)
  await it.answer(refusal())
  assert.equal(it.value, 3)
  assert.deepEqual(it.requests.map(({ value }) => value), [1, 3])
  assert.deepEqual(it.refused, [])
  it.arrives(1)
  assert.equal(it.value, 3)
})

test("a confirmed change that the document never contains is shown only for a limited time", async () => {
  const it = page()
  it.set(1)
  await it.answer()
  for (let time = 0; time < longest; time += settling) await it.pass(settling)
  assert.equal(it.value, 0)
})

test("after another profile is opened, changes of the earlier profile are not shown and not sent again", async () => {
  const it = page()
  it.set(1)
  await it.answer(offline())
  it.pending.clear()
  it.arrives(0)
  await it.pass(60_000)
  assert.equal(it.value, 0)
  assert.equal(it.requests.length, 1)
})
