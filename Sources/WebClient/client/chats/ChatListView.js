// The list of chats, in the order of the gateway. Only the visible rows have elements, so that a list of ten thousand
// chats costs as little as a list of twenty.
import {
  app, badge, button, chatName, chatPlace, el, fill, isFavorite, isMuted, keep, make, searchField, View, words,
} from "../elements/base.js"
import { ChatPreviewView } from "./ChatPreviewView.js"
import { draftOf } from "../model/drafts.js"

/** The height of a row in pixels, as in style.css. */
const row = 68

export class ChatListView extends View {
  #query = ""
  /** @type {string} */ #filter = ""
  /** @type {any[]} */ #chats = []
  #list = el("div.rows", { role: "list", label: words.chats })
  #scroller = el("div.scroller", { on: { scroll: () => this.#fill(), keydown: event => this.#key(event) } }, this.#list)
  #filters = el("div.filters", { role: "toolbar", label: words.filters })
  #empty = el("p.empty")
  #search = searchField(words.searchChats, () => {
    this.#query = this.#search.value.trim().toLowerCase()
    this.#scroller.scrollTop = 0
    this.update()
  })

  connectedCallback() {
    if (!this.firstChild) this.append(this.#search, this.#filters, this.#empty, this.#scroller)
    this.#observer.observe(this.#scroller)
  }
  disconnectedCallback() { this.#observer.disconnect() }
  #observer = new ResizeObserver(() => this.#fill())

  update() {
    const { model } = app
    if (!model) return
    const tags = model.chatTagsModel
    const names = [
      ...Object.keys(words.filter).filter(tag => tag == "unread" || tags.presetTags[tag]),
      ...tags.userTags.map(tag => `tag${tag.chatTagId}`),
    ]
    if (!names.includes(this.#filter)) this.#filter = ""
    const label = name =>
      tags.userTags
        .filter(tag => `tag${tag.chatTagId}` == name)
        .map(tag => `${tag.chatTagEmoji ?? ""} ${tag.chatTagText}`.trim())[0] ?? words.filter[name]
    const unread = name => {
      const count = tags.unreadTags[name.slice(3)]
      return name.startsWith("tag") && count > 0 && [" ", badge("", words.unread(count), count)]
    }
    keep(this.#filters, names, name => name,
      name => button("", () => { this.#filter = this.#filter == name ? "" : name; this.update() }, { kind: "chip" }),
      (child, name) => {
        fill(child, label(name), unread(name))
        child.setAttribute("aria-pressed", String(this.#filter == name))
      })
    this.#chats = model.chats.filter(chat => this.#matches(chat))
    this.#empty.textContent = this.#chats.length ? "" : model.chats.length ? words.nothingFound : words.noChats
    this.#list.style.height = `${this.#chats.length * row}px`
    this.#fill()
  }

  #matches(chat) {
    const { chatInfo, chatStats } = chat
    if (chatInfo.type == "direct" && chatInfo.contact.chatDeleted && !this.#query) return false
    if (this.#query) {
      const profile = chatInfo.contact?.profile ?? chatInfo.groupInfo?.groupProfile
      const names = [chatName(chatInfo), profile?.fullName, profile?.displayName]
      if (!names.some(name => name?.toLowerCase().includes(this.#query))) return false
    }
    switch (this.#filter) {
      case "": return true
      case "unread":
        return chatStats.unreadChat || (chatStats.unreadCount > 0 && !isMuted(chatInfo)) || chatStats.unreadMentions > 0
      case "groupReports": return chatStats.reportsCount > 0
      case "favorites": return isFavorite(chatInfo)
      case "contacts":
        return ["direct", "contactRequest", "contactConnection"].includes(chatInfo.type)
          || chatInfo.groupInfo?.businessChat?.chatType == "customer"
      case "groups": return chatInfo.type == "group" && !chatInfo.groupInfo.businessChat
      case "business": return chatInfo.groupInfo?.businessChat?.chatType == "business"
      default: return (chatInfo.contact ?? chatInfo.groupInfo)?.chatTags?.includes(Number(this.#filter.slice(3)))
    }
  }

  #fill() {
    const { scrollTop, clientHeight } = this.#scroller
    const first = Math.max(0, Math.floor(scrollTop / row) - 4)
    const rows = this.#chats
      .slice(first, Math.ceil((scrollTop + clientHeight) / row) + 4)
      .map((chat, index) => ({ chat, index: first + index }))
    keep(this.#list, rows, ({ chat }) => chat.id, () => make(ChatPreviewView), (child, { chat, index }) => {
      const place = chatPlace(chat.chatInfo)
      const isOpen = place !== null && place == app.place
      const waiting = place && app.outbox.list(app.userId, place).filter(({ problem }) => problem).at(-1)
      const draft = isOpen ? undefined : draftOf(chat.id)
      child.show(chat, isOpen, draft, index, this.#chats.length, waiting, app.fresh.has(place))
      child.style.transform = `translateY(${index * row}px)`
    })
  }

  #key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step) return
    event.preventDefault()
    const now = Number(event.target.closest("chat-preview-view")?.getAttribute("aria-posinset") ?? 0) - 1
    const next = Math.min(Math.max(now + step, 0), this.#chats.length - 1)
    if (next * row < this.#scroller.scrollTop) this.#scroller.scrollTop = next * row
    if ((next + 1) * row > this.#scroller.scrollTop + this.#scroller.clientHeight)
      this.#scroller.scrollTop = (next + 1) * row - this.#scroller.clientHeight
    this.#fill()
    this.#list.querySelector(`[aria-posinset="${next + 1}"] a`)?.focus()
  }
}
