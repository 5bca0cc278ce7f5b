// The texts of the page, in the language of the user. The texts of a language are in one file: words/en.json. Parts
// that few visits open have files of their own, such as words/devices.en.json, so that a first visit stays small. In a
// text, {0} stands for an inserted value. A text with the forms `one` and `other` depends on a number: each language
// has the forms of its own plural rules. Details of problems come from the gateway, in English.
import { browserStorage } from "./storage.js"

/** The languages of the page. Each has a file in the folder `words`. */
export const languages = ["ar", "de", "en", "es", "fr", "pt", "ru"]
const kept = "simplex-gateway.language"

/** Returns the name of a language for the browser. The Portuguese words are those of Brazil. */
export const languageTag = (/** @type {string} */ language) => (language == "pt" ? "pt-BR" : language)

/** Returns the language that was chosen for this browser; empty for the language of the browser. */
export const chosenLanguage = () => browserStorage.getItem(kept) ?? ""

/** Chooses the language of this browser. The page shows it when the page is loaded again. */
export function chooseLanguage(/** @type {string} */ language) {
  if (language) browserStorage.setItem(kept, language)
  else browserStorage.removeItem(kept)
}

const languageOf = (/** @type {string} */ name) => name.toLowerCase().split("-")[0]

/** Whether `Intl` accepts the name of a language. Some systems have names such as `en-US@posix`. */
function isValid(name) {
  try { return Intl.NumberFormat.supportedLocalesOf(name).length == 1 } catch { return false }
}

/** Loads the words of a language. */
async function load(/** @type {string} */ language, part = "") {
  const answer = await fetch(new URL(`../words/${part}${language}.json`, import.meta.url))
  if (!answer.ok) throw new Error(`The words of ${language} cannot be loaded.`)
  return { language, texts: await answer.json() }
}

const wanted = navigator.languages.filter(isValid)
const best = [chosenLanguage(), ...wanted.map(languageOf)].find(name => languages.includes(name)) ?? "en"
// If the file of the language cannot be loaded, the page works in English.
const loaded = await load(best).catch(problem => { if (best == "en") throw problem; return load("en") })
export const language = loaded.language
/** The language with the country of the browser, for numbers and times. */
export const locale = wanted.find(name => languageOf(name) == language) ?? languageTag(language)

const plural = new Intl.PluralRules(locale), numbers = new Intl.NumberFormat(locale)
export const number = (/** @type {number} */ value) => numbers.format(value)

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u202b\u202e]/
const isRightToLeft = loaded.texts.direction == "rtl"

/** Returns an inserted text that does not change the direction of the sentence around it. */
const isolated = text => (isRightToLeft || rightToLeft.test(text) ? `\u2068${text}\u2069` : text)

const filled = (sentence, values) => sentence.replace(/\{(\d)\}/g, (_, index) =>
  typeof values[index] == "number" ? number(values[index]) : isolated(String(values[index])))

const usable = value => {
  if (typeof value == "string") return value.includes("{0}") ? (...values) => filled(value, values) : value
  if ("one" in value) return (...values) => filled(value[plural.select(values[0])] ?? value.other, values)
  // The objects have no prototype, so that a name from a peer never finds an inherited property.
  return Object.assign(Object.create(null),
    Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, usable(inner)])))
}

/** @type {any} */
export const words = usable(loaded.texts)

/** Adds the words of a part of the page, in the language of the page: `words/devices.en.json` for `devices`. */
export const addWords = async (/** @type {string} */ part) =>
  Object.assign(words, usable((await load(language, `${part}.`)).texts))
