// The members that may be meant by what is after a @ before the caret: one of them is chosen, by keys or by pressing.
import { app, el, isGone, set, text, View, view, words } from "../elements/base.js"
import { ProfileImage } from "../elements/ProfileImage.js"

/** Name of a member that all members see: the user's alias is private. */
const nameOf = member => member.memberProfile.displayName
/** A name with more than letters and digits is said between marks. */
const said = name => `@${/^[\p{L}\p{N}_]+$/u.test(name) ? name : `'${name}'`}`

/** The members who are mentioned in a text, three at most as in the apps: their numbers by their names. */
export function mentionsIn(written) {
  const names = new Set(
    [...written.matchAll(/(?<!\S)@(?:'([^']+)'|([^\s@']*[\p{L}\p{N}_]))/gu)].map(([, quoted, plain]) => quoted ?? plain)
  )
  return Object.fromEntries(
    app.members
      .filter(member => names.has(nameOf(member)))
      .slice(0, 3)
      .map(member => [nameOf(member), member.groupMemberId])
  )
}

export class GroupMentionsView extends View {
  /** @type {any[]} */ #found = []
  #chosen = 0
  /** Position of the @ in the text. */
  #start = 0

  /** @param {any} field where it is written */
  constructor(field) {
    super()
    this.field = field
    set(this, { role: "listbox", id: "mentions", label: words.members })
    set(field, { "aria-autocomplete": "list", "aria-controls": "mentions" })
    // What is pressed takes no focus away.
    this.addEventListener("mousedown", event => event.preventDefault())
    this.hide()
  }

  hide() { this.#show([]) }

  /** The text, or the members, are others than before. @param {boolean} [isSameText] the chosen member stays */
  update(isSameText = false) {
    const before = this.field.value.slice(0, this.field.selectionStart)
    const [whole, quoted, plain] = /(?<!\S)@(?:'([^']*)|([^\s@']*))$/.exec(before) ?? []
    if (whole === undefined) return this.hide()
    const query = (quoted ?? plain).toLowerCase()
    this.#start = before.length - whole.length
    const begins = (_, index, all) => all.slice(index).join(" ").startsWith(query)
    const fits = member => !isGone(member) && nameOf(member).toLowerCase().split(" ").some(begins)
    this.#show(app.members.filter(fits).slice(0, 8), isSameText)
  }

  #show(found, keepsChosen = false) {
    const chosen = keepsChosen && this.#found[this.#chosen]?.groupMemberId
    this.#found = found
    this.#chosen = Math.max(0, found.findIndex(member => member.groupMemberId === chosen))
    this.replaceChildren(
      ...found.map((member, index) =>
        el("div",
          { role: "option", id: `mention${index}`, on: { click: () => this.#choose(member) } },
          view(ProfileImage, member.memberProfile.image, nameOf(member)),
          text(nameOf(member))))
    )
    this.hidden = !found.length
    this.#mark()
  }

  #mark() {
    for (const [index, option] of [...this.children].entries())
      option.setAttribute("aria-selected", String(index == this.#chosen))
    this.field.setAttribute("aria-activedescendant", this.hidden ? "" : `mention${this.#chosen}`)
  }

  /** Whether the key was one for this list. */
  key(event) {
    const count = this.#found.length, step = { ArrowDown: 1, ArrowUp: -1, Enter: 0, Tab: 0 }[event.key]
    if (!count || event.shiftKey || step === undefined && event.key != "Escape") return false
    event.preventDefault()
    event.stopPropagation()
    if (step === undefined) this.hide()
    else if (step) { this.#chosen = (this.#chosen + step + count) % count; this.#mark() }
    else this.#choose(this.#found[this.#chosen])
    return true
  }

  #choose(member) {
    this.field.setRangeText(`${said(nameOf(member))} `, this.#start, this.field.selectionStart, "end")
    this.field.dispatchEvent(new Event("input"))
  }
}
