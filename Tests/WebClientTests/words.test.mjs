// Tests that the texts of the page are the texts that its modules use.
import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import test from "node:test"

const folder = process.env.CLIENT
const words = JSON.parse(readFileSync(`${folder}/en.json`, "utf8"))
const names = readdirSync(folder, { recursive: true }).filter(name => name.endsWith(".js"))
const scripts = names.map(name => readFileSync(`${folder}/${name}`, "utf8")).join("\n")

test("each used text exists, and each existing text is used", () => {
  const used = new Set([...scripts.matchAll(/\bwords\.(?!js\b)([a-zA-Z]+)/g)].map(([, name]) => name))
  assert.deepEqual([...used].filter(name => !(name in words)), [])
  assert.deepEqual(Object.keys(words).filter(name => !used.has(name)), [])
})

test("texts contain the inserted values, and numbers determine their forms", async () => {
  globalThis.navigator ??= {}
  Object.defineProperty(globalThis.navigator, "languages", { value: ["xx-YY", "en-GB"], configurable: true })
  globalThis.fetch = async address => ({ json: async () => JSON.parse(readFileSync(new URL(address), "utf8")) })
  const { words } = await import(`${folder}/model/words.js`)
  assert.equal(words.memberCount(1), "1 member")
  assert.equal(words.memberCount(0), "0 members")
  assert.equal(words.forwardedSome(1, 2), "1 of 2 forwarded; of the others the files are not here.")
  // An inserted value is not interpreted as a pattern.
  assert.equal(words.removeFile("{1}$&"), "Do not send {1}$&")
  assert.equal(words.reason.other, "Another reason")
})
