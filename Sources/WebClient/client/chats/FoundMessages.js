// The messages that the search of the side bar finds in all chats. A found message leads to its place in its chat.
import {
  app, button, chatIcon, chatImage, chatPlace, chatTitle, el, fill, isSent, itemText, marked, memberName, shortTime,
  text, view, words,
} from "../elements/base.js"
import { emptyState } from "../elements/illustrations.js"
import { excerpt } from "../model/found.js"
import { ProfileImage } from "../elements/ProfileImage.js"

const limit = 30
/** Maximal number of pages that one search, or one press of the button, reads for a filter. */
const mostPages = 10

/** @typedef {{search: string, isAlone: boolean, filter: ((place: string | null) => boolean) | ""}} Asked */

class FoundMessages {
  #asked = 0
  #search = ""
  #list = el("ul.hits")
  /** @type {{place: string | null, row: HTMLElement}[]} */ #hits = []
  #state = el("p.empty", { role: "status" })
  /** @type {string | null} */ #older = null
  #more = button(words.loadMore, () => this.#load(), { kind: "plain" })

  constructor(place, /** @type {() => Asked} */ asked) {
    this.place = place
    this.asked = asked
  }

  /** Searches for the present text of the search field, unless that search is shown already. */
  async find() {
    const { search } = this.asked()
    if (!search) return
    if (search == this.#search) {
      this.#show()
      // If the filter was changed and shows none of the loaded messages, older messages are loaded.
      if (this.#older && !this.#shown) await this.#load()
      return
    }
    this.#search = search
    this.#older = null
    this.#hits = []
    await this.#load()
  }

  /** The number of loaded messages that the filter includes. */
  get #shown() {
    const { filter } = this.asked()
    return this.#hits.filter(({ place }) => !filter || filter(place)).length
  }

  /** Loads a page of messages, the newest first; more pages if the filter includes few of the messages. */
  async #load() {
    const number = ++this.#asked, search = this.#search, wanted = this.#shown + limit / 2
    fill(this.#state, words.loading)
    this.#show()
    try {
      for (let page = 0; page < mostPages && (page == 0 || this.#older && this.#shown < wanted); page++) {
        const query = new URLSearchParams({ search, limit: `${limit}` })
        if (this.#older) query.set("cursor", this.#older)
        const { chatItems, next } = await app.get(`/messages?${query}`)
        if (number != this.#asked) return
        this.#older = next ?? null
        this.#hits.push(...[...chatItems].reverse().map(hit => this.#hit(hit)))
      }
      fill(this.#state)
    } catch (error) {
      if (number != this.#asked) return
      // After this error, the next search for the same text sends the request again.
      this.#search = ""
      fill(this.#state, error.message)
    }
    // If the user has changed the text meanwhile, the messages are not shown.
    if (search == this.asked().search) this.#show()
  }

  #show() {
    const { isAlone, filter } = this.asked()
    fill(this.#list, this.#hits.filter(({ place }) => !filter || filter(place)).map(({ row }) => row))
    const isFound = Boolean(this.#list.firstChild)
    this.#more.hidden = !this.#older
    if (!this.#state.firstChild && !isFound && isAlone) fill(this.#state, emptyState("found", words.nothingFound))
    fill(this.place, isFound && el("h3", words.messages), this.#list, this.#more, this.#state)
  }

  #hit({ chatInfo, chatItem }) {
    const name = chatTitle(chatInfo), { itemTs, itemId } = chatItem.meta
    const author = isSent(chatItem) ? words.you : memberName(chatItem.chatDir.groupMember)
    // The list of the group does not have the conversation of a member with the moderators, so the address does not
    // name the item.
    const item = chatInfo.groupChatScope ? "" : `/${itemId}`
    const place = chatPlace(chatInfo)
    const row = el("li", el("a", { href: app.address(place) + item },
      view(ProfileImage, chatImage(chatInfo), name, chatIcon(chatInfo)),
      el("span.name", text(name, "b")),
      el("time", { datetime: itemTs, title: itemTs }, shortTime(itemTs)),
      el("span.preview",
        author && chatInfo.type != "local" && el("span", text(author), ": "),
        marked(excerpt(itemText(chatItem), this.#search), this.#search))))
    return { place, row }
  }
}

/** @type {WeakMap<Element, FoundMessages>} */
const finders = new WeakMap()

/**
 * Shows the messages with a text in an element. `asked` returns the text (empty if no search is active), whether the
 * search has found no chat, and the filter of chats.
 */
export function findMessages(/** @type {Element} */ place, /** @type {() => Asked} */ asked) {
  const finder = finders.get(place) ?? new FoundMessages(place, asked)
  finders.set(place, finder)
  return finder.find()
}
