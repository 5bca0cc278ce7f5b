// Tests of the texts of the page: each language has all texts that the modules use, with the forms that it needs.
import assert from "node:assert/strict"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import test from "node:test"
import { faults } from "./wordsCheck.mjs"

const folder = process.env.CLIENT

test("each language has each used text once, with the plural forms of the language, and modules have no texts", () => {
  assert.deepEqual(faults(folder), [])
})

/** Returns the faults of a copy of the page with one changed file. */
function faultsAfter(path, change) {
  const copy = mkdtempSync(`${tmpdir()}/words-`)
  try {
    cpSync(folder, copy, { recursive: true })
    const before = readFileSync(`${copy}/${path}`, "utf8"), after = change(before)
    assert.notEqual(after, before)
    writeFileSync(`${copy}/${path}`, after)
    return faults(copy)
  } finally { rmSync(copy, { recursive: true }) }
}
const inWords = change => text => {
  const words = JSON.parse(text)
  change(words)
  return JSON.stringify(words, null, 2)
}

for (const [path, change, expected] of [
  ["main.js", text => `${text}\nsay(words.unheardOf)`, "en: unheardOf is missing, and a module uses it"],
  ["words/en.json", inWords(words => { words.nobody = "Nobody" }), "en: nobody is unused"],
  ["words/en.json", inWords(words => { words.attaching.nobody = "Nobody" }), "en: attaching.nobody is unused"],
  ["words/de.json", inWords(words => { delete words.cancel }), "de: cancel is missing"],
  ["words/de.json", inWords(words => { delete words.role.owner }), "de: role.owner is missing"],
  ["words/de.json", inWords(words => { words.cancel = "" }), "de: cancel is empty (cancel)"],
  ["words/fr.json", inWords(words => { words.nobody = "Personne" }), "fr: nobody is not in en.json"],
  ["words/es.json", inWords(words => { words.callFrom = "Llamada" }),
    "es: callFrom has other placeholders than in en.json (callFrom: none)"],
  ["words/ru.json", inWords(words => { delete words.memberCount.few }), "ru: memberCount lacks the form few"],
  ["words/ar.json", inWords(words => { delete words.memberCount.two }), "ar: memberCount lacks the form two"],
  ["words/pt.json", inWords(words => { words.memberCount.few = "{0} membros" }),
    "pt: memberCount has the form few, which no number needs"],
  ["words/ru.json", inWords(words => { words.memberCount.one = "участник" }),
    "ru: memberCount has other placeholders than in en.json (memberCount.one: none)"],
  ["words/ar.json", inWords(words => { words.role = "دور" }), "ar: role has another structure than in en.json"],
  ["words/ar.json", inWords(words => { words.direction = "left" }), "ar: the direction is neither ltr nor rtl"],
  ["words/de.json", inWords(words => { words.status.sndSent = "✕ Gesendet" }), "de: status.sndSent has another symbol"],
  ["words/de.json", text => text.replace("{", '{\n  "cancel": "Ende",'), "de: cancel is there twice"],
  ["words/devices.de.json", text => text.replace("{", '{\n  "cancel": "Ende",'), "de: cancel is there twice"],
  ["words/devices.fr.json", inWords(words => { delete words.deviceList.link }), "fr: deviceList.link is missing"],
  ["model/words.js", text => text.replace('"ru"', '"pl"'), "model/words.js: the languages are not ar, de, en, es, fr, pt, ru"],
  ["main.js", text => `${text}\nsay(words.clearExplained)`,
    "main.js: clearExplained is in the part chats, which is not loaded with this module"],
  ["settings/profileForms.js", text => `${text}\nsay(words.searchSettings)`,
    "settings/profileForms.js: searchSettings is in the part settings, which is not loaded with this module"],
  ["shell/parts.js", text => text.replace('SettingsPages.js", "settings")', 'SettingsPages.js")'),
    "settings/SettingsPages.js: searchSettings is in the part settings, which is not loaded with this module"],
  ["main.js", text => `${text}\nsay("Something is wrong")`,
    "main.js: the text “Something is wrong” is not in the files of words"],
  ["main.js", text => `${text}\nsay(\`\${name} is gone.\`)`, "main.js: the text “is gone.” is not in the files of words"],
])
  test(`the check of words reports: ${expected}`, () => assert.ok(faultsAfter(path, change).includes(expected)))

globalThis.navigator ??= {}
globalThis.fetch = async address => (
  { ok: true, json: async () => JSON.parse(readFileSync(new URL(address), "utf8")) })

/** Loads the module of words for a browser with these languages, and with the choice of the user. */
async function load(languages, chosen = "") {
  Object.defineProperty(globalThis.navigator, "languages", { value: languages, configurable: true })
  globalThis.localStorage = /** @type {any} */ ({ getItem: () => chosen || null })
  try { return await import(`${folder}/model/words.js?${languages}${chosen}`) } finally { delete globalThis.localStorage }
}

test("texts contain the inserted values, and have the plural form for their number", async () => {
  const { words } = await load(["xx-YY", "en-GB"])
  assert.equal(words.memberCount(1), "1 member")
  assert.equal(words.memberCount(0), "0 members")
  assert.equal(words.memberCount(12_345), "12,345 members")
  assert.equal(words.relaysFailed(1, 2), "1 of 2 relays could not be reached.")
  // An inserted value is not interpreted as a pattern.
  assert.equal(words.removeFile("{1}$&"), "Do not send {1}$&")
  assert.equal(words.reason.other, "Another reason")
  // A name in the other direction does not move the words beside it.
  assert.equal(words.callFrom("سارة"), "\u2068سارة\u2069 calls")
})

test("the page has the chosen language, or the first available language of the browser", async () => {
  for (const [languages, chosen, expected] of [
    [["de-AT", "en"], "", "de de-AT"], [["xx", "fr-CA", "pt-BR"], "", "fr fr-CA"], [["xx"], "", "en en"],
    [["de-AT", "en"], "ar", "ar ar"], [["de-AT", "en"], "pt", "pt pt-BR"], [["de-AT", "ru-RU"], "ru", "ru ru-RU"], [["en-US@posix", "EN-us"], "", "en EN-us"],
    [["de"], "klingon", "de de"], [[], "", "en en"],
  ]) {
    const { language, locale } = await load(languages, chosen)
    assert.equal(`${language} ${locale}`, expected)
  }
})

test("each language has its own plural rules", async () => {
  const counted = async (language, ...numbers) => numbers.map((await load([language])).words.memberCount)
  const isDifferent = texts => new Set(texts.map(text => text.replace(/[\d\u00a0\u202f,. ]/g, ""))).size
  assert.equal(isDifferent(await counted("ru", 1, 2, 5)), 3)
  assert.equal(isDifferent(await counted("ru", 5, 11, 20)), 1)
  assert.equal(isDifferent(await counted("ru", 1, 21, 101)), 1)
  assert.ok(isDifferent(await counted("ar", 0, 1, 2, 3, 11, 100)) >= 4)
})

test("the words of a part are added in the language of the page", async () => {
  const { words, addWords } = await load(["de"])
  assert.equal(words.deviceList, undefined)
  await addWords("devices")
  assert.equal(words.deviceList.link, "Gerät verknüpfen")
  await assert.rejects(addWords("nothing"))
})

test("a language whose file cannot be loaded is replaced by English", async () => {
  const asked = [], { fetch } = globalThis
  globalThis.fetch = /** @type {any} */ (async address => {
    asked.push(String(address).split("/").at(-1))
    return String(address).includes("en.json") ? fetch(address) : { ok: false, status: 404 }
  })
  try {
    const { language, locale, words } = await load(["de-CH"], "es")
    assert.deepEqual(asked, ["es.json", "en.json"])
    assert.equal(`${language} ${locale} ${words.memberCount(1000)}`, "en en 1,000 members")
  } finally { globalThis.fetch = fetch }
})
