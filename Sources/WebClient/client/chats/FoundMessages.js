// The messages that the search of the side bar finds in all chats. A found message leads to its place in its chat.
import {
  app, button, chatIcon, chatImage, chatPlace, chatTitle, el, fill, isSent, itemText, marked, memberName, shortTime,
  text, view, words,
} from "../elements/base.js"
import { emptyState } from "../elements/illustrations.js"
import { excerpt } from "../model/found.js"
import { ProfileImage } from "../elements/ProfileImage.js"

const limit = 30

class FoundMessages {
  #asked = 0
  #search = ""
  #list = el("ul.hits")
  #state = el("p.empty", { role: "status" })
  /** @type {string | null} */ #older = null
  #more = button(words.loadMore, () => this.#load(), { kind: "plain" })

  constructor(place, /** @type {() => {search: string, isAlone: boolean}} */ asked) {
    this.place = place
    this.asked = asked
  }

  /** Searches for the present text of the search field, unless that search is shown already. */
  async find() {
    const { search } = this.asked()
    if (!search) return
    if (search == this.#search) return this.#show()
    this.#search = search
    this.#older = null
    this.#list.replaceChildren()
    await this.#load()
  }

  /** Loads a page of messages, the newest first. */
  async #load() {
    const number = ++this.#asked, search = this.#search
    const query = new URLSearchParams({ search, limit: `${limit}`, ...(this.#older ? { cursor: this.#older } : {}) })
    fill(this.#state, words.loading)
    this.#show()
    try {
      const { chatItems, next } = await app.get(`/messages?${query}`)
      if (number != this.#asked) return
      this.#older = next ?? null
      fill(this.#state)
      this.#list.append(...[...chatItems].reverse().map(hit => this.#hit(hit)))
    } catch (error) {
      if (number != this.#asked) return
      // The next search for the same text sends the request again.
      this.#search = ""
      fill(this.#state, error.message)
    }
    // The user may have cleared the field meanwhile.
    if (search == this.asked().search) this.#show()
  }

  #show() {
    const { isAlone } = this.asked(), isFound = Boolean(this.#list.firstChild)
    this.#more.hidden = !this.#older
    if (!this.#state.firstChild && !isFound && isAlone) fill(this.#state, emptyState("found", words.nothingFound))
    fill(this.place, isFound && el("h3", words.messages), this.#list, this.#more, this.#state)
  }

  #hit({ chatInfo, chatItem }) {
    const name = chatTitle(chatInfo), { itemTs, itemId } = chatItem.meta
    const author = isSent(chatItem) ? words.you : memberName(chatItem.chatDir.groupMember)
    // A conversation of a member with the moderators is not in the list of its group.
    const item = chatInfo.groupChatScope ? "" : `/${itemId}`
    return el("li", el("a", { href: app.address(chatPlace(chatInfo)) + item },
      view(ProfileImage, chatImage(chatInfo), name, chatIcon(chatInfo)),
      el("span.name", text(name, "b")),
      el("time", { datetime: itemTs, title: itemTs }, shortTime(itemTs)),
      el("span.preview",
        author && chatInfo.type != "local" && el("span", text(author), ": "),
        marked(excerpt(itemText(chatItem), this.#search), this.#search))))
  }
}

/** @type {WeakMap<Element, FoundMessages>} */
const finders = new WeakMap()

/**
 * Shows the messages with a text in an element. `asked` returns the text, which is empty for a search that has ended,
 * and whether no chat was found.
 */
export function findMessages(/** @type {Element} */ place, asked) {
  const finder = finders.get(place) ?? new FoundMessages(place, asked)
  finders.set(place, finder)
  return finder.find()
}
