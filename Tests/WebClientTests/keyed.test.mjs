// Tests of `keep`, with elements that count insertions and removals.
import assert from "node:assert/strict"
import test from "node:test"

const { keep } = await import(`${process.env.CLIENT}/elements/keyed.js`)

class Child {
  constructor(key) { this.key = key }
  get nextSibling() { return this.parent.children[this.parent.children.indexOf(this) + 1] ?? null }
  remove() { this.parent.children.splice(this.parent.children.indexOf(this), 1); this.parent = null }
}

class Parent {
  children = []
  moves = 0
  get firstChild() { return this.children[0] ?? null }
  insertBefore(child, place) {
    if (child.parent) child.remove()
    child.parent = this
    this.children.splice(place ? this.children.indexOf(place) : this.children.length, 0, child)
    this.moves += 1
  }
  show(keys) {
    const made = []
    keep(this, keys, key => key, key => { made.push(key); return new Child(key) }, (child, key) => assert.equal(child.key, key))
    return made
  }
  get keys() { return this.children.map(child => child.key) }
}

test("new entries get new elements, old entries keep their elements, and elements of removed entries are removed", () => {
  const parent = new Parent()
  assert.deepEqual(parent.show([1, 2, 3]), [1, 2, 3])
  const two = parent.children[1]
  assert.deepEqual(parent.show([4, 2, 5]), [4, 5])
  assert.deepEqual(parent.keys, [4, 2, 5])
  assert.equal(parent.children[1], two)
  parent.show([])
  assert.deepEqual(parent.keys, [])
})

test("if one entry moves to the top or to the end, only its element is moved", () => {
  const parent = new Parent(), many = [...Array(100).keys()]
  parent.show(many)
  parent.moves = 0
  parent.show([99, ...many.slice(0, 99)])
  assert.equal(parent.moves, 1)
  parent.show(many)
  assert.deepEqual(parent.keys, many)
  assert.equal(parent.moves, 2)
})

test("if two entries have the same key, the first entry is shown", () => {
  const parent = new Parent()
  parent.show(["a", "b", "a"])
  assert.deepEqual(parent.keys, ["a", "b"])
})

test("after any change of the list, the elements have the order of the list", () => {
  let seed = 3
  const random = bound => (seed = (seed * 1103515245 + 12345) % 2147483648) % bound
  const parent = new Parent()
  for (let step = 0; step < 500; step++) {
    const keys = [...new Set(Array.from({ length: random(12) }, () => random(15)))]
    parent.show(keys)
    assert.deepEqual(parent.keys, keys)
  }
})
