// The texts of the page. All texts of a language are in one file: en.json. In a text, {0} stands for an inserted value;
// a text with the forms `one` and `other` depends on a number. Texts of events in a chat (`itemText`) and details of
// problems come from the gateway, in English.
const languages = ["en"]
const language = navigator.languages.map(name => name.split("-")[0]).find(name => languages.includes(name)) ?? "en"
const plural = new Intl.PluralRules(language)
const filled = (sentence, values) => sentence.replace(/\{(\d)\}/g, (_, index) => values[index])

const usable = value => {
  if (typeof value == "string") return value.includes("{0}") ? (...values) => filled(value, values) : value
  if ("one" in value) return (...values) => filled(value[plural.select(values[0])] ?? value.other, values)
  // The objects have no prototype, so that a name from a peer never finds an inherited property.
  return Object.assign(Object.create(null),
    Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, usable(inner)])))
}

/** @type {any} */
export const words = usable(await (await fetch(new URL(`../${language}.json`, import.meta.url))).json())
