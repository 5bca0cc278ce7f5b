// Finds faults in the files of words: words that are missing or unused, differences between languages, and texts that
// are in modules instead of the files.
import { readdirSync, readFileSync } from "node:fs"

const placeholders = text => [...new Set(text.match(/\{\d\}/g))].sort().join("")
const isPlural = value => typeof value == "object" && "one" in value
const isText = value => typeof value == "string" || isPlural(value)

/**
 * Returns the plural forms of a language. The value of a form is its number if only one number has this form; otherwise
 * null.
 */
function formsOf(language) {
  const rules = new Intl.PluralRules(language), numbers = {}
  for (const form of rules.resolvedOptions().pluralCategories) numbers[form] = []
  for (let number = 0; number < 1000; number++) numbers[rules.select(number)].push(number)
  return new Map(Object.entries(numbers).map(([form, all]) => [form, all.length == 1 ? all[0] : null]))
}

/**
 * Returns all texts of a word: path, text, and whether the text is for one number only, so that it need not contain the
 * number.
 */
function texts(path, value, forms) {
  if (typeof value == "string") return [{ path, text: value, isOne: false }]
  return Object.entries(value).flatMap(([name, inner]) => isPlural(value)
    ? [{ path: `${path}.${name}`, text: inner, isOne: (forms.get(name) ?? null) !== null }]
    : texts(`${path}.${name}`, inner, forms))
}

/** Returns the faults of a word in a language, in comparison with English. */
function compare(language, path, english, value, forms) {
  if (value === undefined) return [`${language}: ${path} is missing`]
  if (english === undefined) return [`${language}: ${path} is not in en.json`]
  if (isText(english) != isText(value)) return [`${language}: ${path} has another structure than in en.json`]
  if (!isText(english))
    return [...new Set([...Object.keys(english), ...Object.keys(value)])].flatMap(name =>
      compare(language, `${path}.${name}`, english[name], value[name], forms))
  const wanted = placeholders(typeof english == "string" ? english : english.other), found = []
  if (isPlural(value)) {
    const given = Object.keys(value)
    found.push(...[...forms.keys()].filter(form => !given.includes(form)).map(form => `lacks the form ${form}`),
      ...given.filter(form => !forms.has(form)).map(form => `has the form ${form}, which no number needs`))
  }
  for (const { path: place, text, isOne } of texts(path, value, forms)) {
    const its = placeholders(text)
    if (its != wanted && !(isOne && its == wanted.replace("{0}", "")))
      found.push(`has other placeholders than in en.json (${place}: ${its || "none"})`)
    if (!text.trim() != !(typeof english == "string" ? english : english.other)) found.push(`is empty (${place})`)
    if (text != text.trim()) found.push(`begins or ends with a space (${place})`)
  }
  // The first word of a status is a symbol.
  if (path.startsWith("status.") && value.split(" ")[0] != english.split(" ")[0]) found.push("has another symbol")
  return found.map(reason => `${language}: ${path} ${reason}`)
}

// Names of keyboard keys, errors and types of the browser, and texts that users do not see.
const notShown = new Set([
  "Alt", "Enter", "Error", "Escape", "Files", "Home", "End", "Mod", "Shift", "Tab", "Changed", "Partly", "Rcv",
  // The name of an API key of the gateway.
  "Web client",
  // The name of the network.
  "SimpleX",
])
// Modules without texts for users, or only with names of products.
const withoutTexts = /(^|\/)(browserName|emojis|lzstring|problems|requests|sockets|follow|patch)\.js$/
const literal = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<before>[\w.]*\(?\s*)(?:"(?<text>(?:[^"\\\n]|\\.)*)"|`(?<template>(?:[^`\\]|\\.)*)`)/g

/** Returns the texts of a module that look like sentences or labels for users. */
function shownTexts(script) {
  return [...script.matchAll(literal)].flatMap(({ groups }) => {
    if (groups.before?.endsWith("Error(")) return []
    return (groups.text !== undefined ? [groups.text] : (groups.template ?? "").split(/\$\{(?:[^{}]|\{[^{}]*\})*\}/))
      .map(text => text.trim())
      .filter(text => !notShown.has(text) && (/^\p{Lu}\p{Ll}+([ ,.:!?…]|$)/u.test(text) || /\s.*\p{Ll}[.!?…]$/u.test(text)))
  })
}

/** Returns the path of a module that a module in the folder `from` names. */
const resolved = (path, from) => new URL(path, `http://page/${from}`).pathname.slice(1)

/**
 * Returns the parts of words that are loaded whenever a module runs, by the module's path.
 * @param {Map<string, string>} scripts the modules by their paths
 * @param {string[]} parts
 */
function loadedParts(scripts, parts) {
  const imports = new Map([...scripts].map(([name, script]) =>
    [name, [...script.matchAll(/^(?:import |export |\}).*"(\.[^"]+)"$/gm)].map(([, path]) => resolved(path, name))]))
  const calls = [...scripts].flatMap(([name, script]) =>
    [...script.matchAll(/\blater\("([^"]+)"(?:, "([^"]+)")?\)/g)].map(([, path, part]) =>
      ({ name, target: resolved(path, "elements/later.js"), part })))
  const loaded = new Map([...scripts.keys()].map(name => [name, new Set(parts)]))
  const waiting = /** @type {[string, Set<string>][]} */ ([["main.js", new Set()]])
  // A module that is reached in several ways has only the parts that each of these ways loads.
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [name, given] = next, before = loaded.get(name)
    const common = new Set([...before ?? []].filter(part => given.has(part)))
    if (!before || common.size == before.size) continue
    loaded.set(name, common)
    for (const path of imports.get(name) ?? []) waiting.push([path, common])
    for (const call of calls)
      if (call.name == name) waiting.push([call.target, new Set([...common, ...call.part ? [call.part] : []])])
  }
  return loaded
}

/** Returns the faults in the words and modules of a folder. */
export function faults(folder) {
  const read = path => readFileSync(`${folder}/${path}`, "utf8")
  // The words of the start, and those of each part that is loaded later: de.json, devices.de.json.
  const files = readdirSync(`${folder}/words`), partsOf = language =>
    files.filter(name => name == `${language}.json` || name.endsWith(`.${language}.json`)).map(name => read(`words/${name}`))
  const wordsOf = language => Object.assign({}, ...partsOf(language).map(text => JSON.parse(text)))
  const english = wordsOf("en"), found = []
  const modules = readdirSync(folder, { recursive: true }).filter(name => name.endsWith(".js"))
  const script = modules.map(read).join("\n")
  const used = new Set([...script.matchAll(/\bwords\.(?!js\b)([a-zA-Z]+)/g)].map(([, name]) => name))
  for (const name of used) if (!(name in english)) found.push(`en: ${name} is missing, and a module uses it`)
  for (const name of Object.keys(english)) if (!used.has(name)) found.push(`en: ${name} is unused`)
  const inPart = new Map(files.flatMap(file => {
    const part = /^([a-z]+)\.en\.json$/.exec(file)?.[1]
    return part ? Object.keys(JSON.parse(read(`words/${file}`))).map(name => [name, part]) : []
  }))
  const scripts = new Map(modules.map(name => [name, read(name)]))
  for (const [module, parts] of loadedParts(scripts, [...new Set(inPart.values())]))
    for (const [, name] of scripts.get(module)?.matchAll(/\bwords\.(?!js\b)([a-zA-Z]+)/g) ?? [])
      if (inPart.has(name) && !parts.has(inPart.get(name)))
        found.push(`${module}: ${name} is in the part ${inPart.get(name)}, which is not loaded with this module`)
  // A group of words is used if a module names each of its words, or names the group and chooses a word.
  for (const [name, value] of Object.entries(english)) {
    const isChosen = new RegExp(`\\bwords\\.${name}(?![.\\w])`).test(script)
    if (isText(value) || isChosen) continue
    for (const inner of Object.keys(value))
      if (!new RegExp(`\\bwords\\.${name}\\.${inner}\\b`).test(script)) found.push(`en: ${name}.${inner} is unused`)
  }
  const languages = files.filter(name => /^[a-z]+\.json$/.test(name)).map(name => name.replace(".json", ""))
  const listed = /const languages = (\[[^\]]*\])/.exec(read("model/words.js"))?.[1] ?? "[]"
  if (listed != JSON.stringify(languages).replaceAll(",", ", "))
    found.push(`model/words.js: the languages are not ${languages.join(", ")}`)
  for (const language of languages) {
    const text = partsOf(language).join("\n"), words = wordsOf(language), forms = formsOf(language)
    for (const name of new Set([...Object.keys(english), ...Object.keys(words)]))
      found.push(...compare(language, name, english[name], words[name], forms))
    const names = [...text.matchAll(/^ {2}"([^"]+)":/gm)].map(([, name]) => name)
    for (const [index, name] of names.entries())
      if (names.indexOf(name) != index) found.push(`${language}: ${name} is there twice`)
    if (!["ltr", "rtl"].includes(words.direction)) found.push(`${language}: the direction is neither ltr nor rtl`)
  }
  for (const name of modules)
    if (!withoutTexts.test(name))
      for (const text of shownTexts(read(name))) found.push(`${name}: the text “${text}” is not in the files of words`)
  return found
}
