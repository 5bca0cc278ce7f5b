// Tests of patches from the gateway, compared with RFC 6902.
import assert from "node:assert/strict"
import test from "node:test"

const { patched } = await import(`${process.env.CLIENT}/model/patch.js`)
const frozen = value => {
  if (value && typeof value == "object") { Object.values(value).forEach(frozen); Object.freeze(value) }
  return value
}

test("each operation of a patch has the effect of RFC 6902, and the original document does not change", () => {
  const before = frozen({ a: [1, 2, 3], b: { c: { d: 1 }, e: "x" } })
  const after = patched(before, [
    { op: "add", path: "/a/1", value: 9 }, { op: "remove", path: "/a/0" }, { op: "move", from: "/a/2", path: "/a/0" }, { op: "add", path: "/a/-", value: 7 },
    { op: "replace", path: "/b/c/d", value: null }, { op: "add", path: "/b/~1~0", value: true }, { op: "move", from: "/b/e", path: "/f" },
  ])
  assert.deepEqual(after, { a: [3, 9, 2, 7], b: { c: { d: null }, "/~": true }, f: "x" })
})

test("unchanged parts of a document are the same objects, so that they are not drawn again", () => {
  const before = frozen({ chats: [{ id: 1, info: {} }, { id: 2, info: {} }], tags: {} })
  const after = patched(before, [{ op: "replace", path: "/chats/0/id", value: 3 }])
  assert.equal(after.chats[1], before.chats[1])
  assert.equal(after.chats[0].info, before.chats[0].info)
  assert.equal(after.tags, before.tags)
  assert.notEqual(after.chats, before.chats)
  assert.equal(patched(before, []), before)
})

test("the whole document can be replaced", () => assert.deepEqual(patched({ a: 1 }, [{ op: "replace", path: "", value: [1] }, { op: "add", path: "/-", value: 2 }]), [1, 2]))

test("a value of a patch is not changed by later operations", () => {
  const value = frozen({ list: [1] })
  assert.deepEqual(patched({}, [{ op: "add", path: "/a", value }, { op: "add", path: "/a/list/-", value: 2 }]), { a: { list: [1, 2] } })
  assert.deepEqual(value, { list: [1] })
})

test("names of inherited properties are treated like other names", () => {
  const before = frozen(JSON.parse('{"mentions":{"__proto__":{"memberId":"x"}}}'))
  const after = patched(before, [{ op: "replace", path: "/mentions/__proto__/memberId", value: "y" }, { op: "add", path: "/mentions/constructor", value: 1 }])
  assert.equal(JSON.stringify(after), '{"mentions":{"__proto__":{"memberId":"y"},"constructor":1}}')
  assert.equal(Object.getPrototypeOf(after.mentions), Object.prototype)
  assert.equal({}.memberId, undefined)
  assert.throws(() => patched(before, [{ op: "replace", path: "/mentions/toString", value: 1 }]))
})

test("a patch for another document causes an error", () => {
  for (const operation of [
    { op: "remove", path: "/a/5" }, { op: "remove", path: "/x" }, { op: "add", path: "/a/9", value: 1 }, { op: "add", path: "/a/x", value: 1 }, { op: "add", path: "/x/y", value: 1 },
    { op: "replace", path: "/a/01", value: 1 }, { op: "move", from: "/x", path: "/y" }, { op: "add", path: "a", value: 1 }, { op: "remove", path: "/a/-1" }, { op: "test", path: "/a", value: 1 },
    { op: "replace", path: "/n/x", value: 1 }, { op: "replace", path: "/s/0", value: 1 },
  ]) assert.throws(() => patched({ a: [1, 2], n: null, s: "text" }, [operation]), Error, JSON.stringify(operation))
})

test("a thousand random patches have the same results as a plain implementation", () => {
  let seed = 7
  const random = bound => (seed = (seed * 1103515245 + 12345) % 2147483648) % bound
  let document = { list: [], map: {} }
  const plain = structuredClone(document)
  for (let step = 0; step < 1000; step++) {
    const length = plain.list.length, index = random(length + 1), operations = []
    if (random(3) || length < 3) {
      operations.push({ op: "add", path: `/list/${index}`, value: { id: step, tags: [] } })
      plain.list.splice(index, 0, { id: step, tags: [] })
    } else if (random(2)) {
      const from = random(length), to = random(length)
      operations.push({ op: "move", from: `/list/${from}`, path: `/list/${to}` })
      plain.list.splice(to, 0, plain.list.splice(from, 1)[0])
    } else {
      const at = random(length)
      operations.push({ op: "add", path: `/list/${at}/tags/-`, value: step }, { op: "remove", path: `/list/${(at + 1) % length}` })
      plain.list[at].tags.push(step)
      plain.list.splice((at + 1) % length, 1)
    }
    operations.push({ op: "add", path: `/map/k${random(20)}`, value: step })
    plain.map[operations.at(-1).path.slice(5)] = step
    document = patched(frozen(document), operations)
  }
  assert.deepEqual(document, plain)
})
