// All words of the page are in one file of a language: en.json. In a sentence {0} stands for its subject; with one and
// other the subject is a number. Sentences about events in a chat (their `itemText`) and the details of problems come
// from the gateway, in English.
const languages = ["en"]
const language = navigator.languages.map(name => name.split("-")[0]).find(name => languages.includes(name)) ?? "en"
const plural = new Intl.PluralRules(language)
const filled = (sentence, values) => sentence.replace(/\{(\d)\}/g, (_, index) => values[index])

const usable = value => {
  if (typeof value == "string") return value.includes("{0}") ? (...values) => filled(value, values) : value
  if ("one" in value) return (...values) => filled(value[plural.select(values[0])] ?? value.other, values)
  // What is asked for by a name from outside is none that every object has.
  return Object.assign(Object.create(null),
    Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, usable(inner)])))
}

/** @type {any} */
export const words = usable(await (await fetch(new URL(`../${language}.json`, import.meta.url))).json())
