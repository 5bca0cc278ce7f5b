// A list of group members whose names begin with the text after the last @ before the caret. The user chooses a member
// with the keyboard or the pointer.
import { app, el, isGone, set, text, View, view, words } from "../elements/base.js"
import { ProfileImage } from "../elements/ProfileImage.js"

/** Returns the name of a member that all members see. The user's alias for the member is private. */
const nameOf = member => member.memberProfile.displayName
/**
 * Returns a mention of a name. A name with characters other than letters, digits and underscores is put between
 * apostrophes.
 */
const said = name => `@${/^[\p{L}\p{N}_]+$/u.test(name) ? name : `'${name}'`}`

/**
 * Returns the member ids of the members who are mentioned in a text, by their names. There are at most three, as in
 * the apps.
 */
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

/** The number of views of this class, from which each view gets its own id. */
let views = 0

export class GroupMentionsView extends View {
  /** @type {any[]} */ #found = []
  #chosen = 0
  /** The position of the @ in the text. */
  #start = 0

  /** @param {any} field the field in which the message is written */
  constructor(field) {
    super()
    this.field = field
    set(this, { role: "listbox", id: `mentions${++views}`, label: words.members })
    set(field, { "aria-autocomplete": "list", "aria-controls": this.id })
    // A press on a name in the list must not move the focus out of the field.
    this.addEventListener("mousedown", event => event.preventDefault())
    this.hide()
  }

  hide() { this.#show([]) }

  /**
   * Updates the list after a change of the text or of the members.
   * @param {boolean} [isSameText] whether only the members have changed, so that the chosen member stays chosen
   */
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
          { role: "option", id: `${this.id}-${index}`, on: { click: () => this.#choose(member) } },
          view(ProfileImage, member.memberProfile.image, nameOf(member)),
          text(nameOf(member))))
    )
    this.hidden = !found.length
    this.#mark()
  }

  #mark() {
    for (const [index, option] of [...this.children].entries())
      option.setAttribute("aria-selected", String(index == this.#chosen))
    this.field.setAttribute("aria-activedescendant", this.hidden ? "" : `${this.id}-${this.#chosen}`)
  }

  /** Handles a key. Returns whether the list has used the key. */
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
