// Tests of the encrypted storage of waiting messages in a tab.
import assert from "node:assert/strict"
import test from "node:test"

const { Vault } = await import(`${process.env.CLIENT}/model/vault.js`)

class Tab {
  kept = new Map()
  getItem = name => this.kept.get(name) ?? null
  setItem = (name, value) => { this.kept.set(name, value) }
  removeItem = name => { this.kept.delete(name) }
}

test("stored entries are read with the same key, and not with another key", async () => {
  const tab = new Tab(), entries = [{ id: "a", text: "héllo 👋 日本" }]
  await new Vault("the key", tab).save(entries)
  assert.deepEqual(await new Vault("the key", tab).load(), entries)
  assert.deepEqual(await new Vault("another key", tab).load(), [])
})

test("the storage contains no plain text", async () => {
  const tab = new Tab()
  await new Vault("the key", tab).save([{ text: "secret words" }])
  const [kept] = tab.kept.values()
  assert.ok(kept.length > 30 && !kept.includes("secret") && !kept.includes("the key"))
})

test("an empty storage, and a storage with other content, have no entries", async () => {
  const tab = new Tab()
  assert.deepEqual(await new Vault("the key", tab).load(), [])
  for (const content of ["", "short", "x".repeat(100)]) {
    tab.setItem("simplex-gateway.outbox", content)
    assert.deepEqual(await new Vault("the key", tab).load(), [])
  }
})

test("storing an empty list removes the stored data", async () => {
  const tab = new Tab(), vault = new Vault("the key", tab)
  await vault.save([{ text: "a" }])
  await vault.save([])
  assert.equal(tab.kept.size, 0)
})

test("a cleared vault stores no entries, even if entries were being encrypted", async () => {
  const tab = new Tab(), vault = new Vault("the key", tab), isSaved = vault.save([{ text: "a" }])
  vault.clear()
  await isSaved
  assert.equal(tab.kept.size, 0)
})

test("if the storage is full, the old entries are removed", async () => {
  const tab = new Tab(), vault = new Vault("the key", tab)
  await vault.save([{ text: "a" }])
  tab.setItem = () => { throw new Error("no room") }
  await vault.save([{ text: "b" }])
  assert.equal(tab.kept.size, 0)
})
