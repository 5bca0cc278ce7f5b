// The list of emojis above the field for a message: groups, a search, and the emojis that were used last.
import { button, el, fill, searchField, set, View, words } from "../elements/base.js"
import { emojis } from "./emojis.js"
import { browserStorage } from "../model/storage.js"

const recentName = "simplex-gateway.emojis", mostRecent = 24

/** Returns the emojis that were used last, the newest first. */
function readRecent() {
  // Other programs of this origin can change the content of the storage, so the content is checked.
  try {
    const stored = JSON.parse(browserStorage.getItem(recentName) ?? "[]")
    return Array.isArray(stored) ? stored.filter(emoji => all.has(emoji)).slice(0, mostRecent) : []
  } catch { return [] }
}

function keepRecent(/** @type {string} */ emoji) {
  const recent = [emoji, ...readRecent().filter(other => other != emoji)].slice(0, mostRecent)
  browserStorage.setItem(recentName, JSON.stringify(recent))
}

/** @type {[string, {emoji: string, found: string}[]][]} The groups with their emojis and the words of each. */
const groups = Object.entries(emojis).map(([name, lines]) => [name, lines.trim().split("\n").map(line => {
  const [sign, ...found] = line.split(" ")
  return { emoji: coloured(sign), found: ` ${found.join(" ")}` }
})])
const all = new Map(groups.flatMap(([, list]) => list).map(entry => [entry.emoji, entry]))

/** Adds the variation selector to a sign that fonts otherwise draw without colours. */
function coloured(/** @type {string} */ sign) { return /\p{Emoji_Presentation}/u.test(sign) ? sign : `${sign}\ufe0f` }

export class EmojiPicker extends View {
  #choose = (/** @type {string} */ emoji) => {}
  #close = () => {}
  #search = searchField(words.emojis.search, () => this.#find())
  #tabs = el("div.tabs", { role: "group", label: words.emojis.groups })
  #list = el("div.emojiList")

  constructor() {
    super()
    set(this, { role: "dialog", label: words.emojis.title })
    this.addEventListener("keydown", event => this.#key(event))
  }

  /** @param {(emoji: string) => void} choose @param {() => void} close */
  draw(choose, close) {
    this.#choose = choose
    this.#close = close
    fill(this.#tabs, groups.map(([name, [{ emoji }]]) => button(emoji, () => {
      this.#search.value = ""
      this.#find()
      this.#list.querySelector(`#emojis-${name}`)?.scrollIntoView({ block: "start" })
    }, { kind: "plain", label: words.emojis.group[name], title: words.emojis.group[name] })))
    return [el("div.line", this.#search, button(words.close, close, { icon: "close", kind: "plain round" })),
      this.#tabs, this.#list]
  }

  /** Shows the list from its beginning, and the search. */
  open() {
    this.#search.value = ""
    this.#find()
    this.#list.scrollTop = 0
    this.#search.focus()
  }

  #find() {
    const wanted = this.#search.value.trim().toLowerCase().split(/\s+/).filter(Boolean)
    const recently = readRecent().map(emoji => /** @type {any} */ (all.get(emoji)))
    const fits = ({ emoji, found }) => wanted.every(word => found.includes(` ${word}`) || emoji.startsWith(word))
    /** @type {[string, any[]][]} */
    const shown = wanted.length ? [["found", [...all.values()].filter(fits)]] : [["recent", recently], ...groups]
    fill(this.#list, shown.map(([name, list]) => list.length > 0
      && el("div", { role: "group", id: `emojis-${name}`, label: words.emojis.group[name] },
        el("h3", { "aria-hidden": "true" }, words.emojis.group[name]),
        el("div.emojiGrid", list.map(({ emoji, found }) =>
          button(emoji, () => this.#take(emoji), { tabindex: -1, title: found.trim(), label: `${emoji}${found}` }))))),
      wanted.length > 0 && !shown[0][1].length && el("p.empty", { role: "status" }, words.emojis.none))
    this.#list.querySelector("button")?.setAttribute("tabindex", "0")
  }

  #take(emoji) {
    keepRecent(emoji)
    this.#choose(emoji)
  }

  #key(event) {
    if (event.key == "Escape") { event.preventDefault(); event.stopPropagation(); return this.#close() }
    const all = /** @type {HTMLElement[]} */ ([...this.#list.querySelectorAll("button")])
    const now = all.indexOf(event.target)
    if (event.target === this.#search) {
      if (event.key == "ArrowDown") { event.preventDefault(); this.#focus(all[0]) }
      // An input method handles keys with the code 229, so these are ignored here.
      const isEnter = event.key == "Enter" && event.keyCode != 229
      if (isEnter && this.#search.value.trim()) { event.preventDefault(); all[0]?.click() }
      return
    }
    if (now < 0) return
    const next = { ArrowRight: all[now + this.#side], ArrowLeft: all[now - this.#side], Home: all[0], End: all.at(-1),
      ArrowDown: this.#below(all, now, 1), ArrowUp: this.#below(all, now, -1) }
    if (!Object.hasOwn(next, event.key)) return
    event.preventDefault()
    if (next[event.key]) this.#focus(next[event.key])
    else if (event.key == "ArrowUp" || event.key == "ArrowLeft") this.#search.focus()
  }

  /** The step to the emoji at the right: the next one, or the one before if the page is written from right to left. */
  get #side() { return this.matches(":dir(rtl)") ? -1 : 1 }

  /** Returns the nearest emoji in the next line, or in the line before. */
  #below(/** @type {HTMLElement[]} */ all, now, step) {
    const { offsetTop, offsetLeft } = all[now]
    const others = all.filter(it => (it.offsetTop - offsetTop) * step > 0)
    const line = (step > 0 ? others[0] : others.at(-1))?.offsetTop
    return others.filter(it => it.offsetTop == line)
      .sort((a, b) => Math.abs(a.offsetLeft - offsetLeft) - Math.abs(b.offsetLeft - offsetLeft))[0]
  }

  #focus(/** @type {HTMLElement | undefined} */ emoji) {
    if (!emoji) return
    for (const other of this.#list.querySelectorAll("[tabindex='0']")) other.setAttribute("tabindex", "-1")
    emoji.setAttribute("tabindex", "0")
    emoji.focus()
  }
}
