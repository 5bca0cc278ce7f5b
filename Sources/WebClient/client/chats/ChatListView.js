// The list of chats, in the order of the gateway. Only the visible rows have elements, so that a list of ten thousand
// chats costs as little as a list of twenty. The search also finds messages of all chats, and takes a link of SimpleX.
import {
  app, badge, button, chatName, chatPlace, drawWith, el, fill, isFavorite, isInvitation, isMuted, keep, make,
  row as entry, searchField, View, words,
} from "../elements/base.js"
import { ChatPreviewView } from "./ChatPreviewView.js"
import { emptyState } from "../elements/illustrations.js"
import { draftOf } from "../model/drafts.js"
import { isOpenNews, newsOf } from "../model/news.js"
import { findMessages } from "../shell/parts.js"

/** The height of a row in pixels, as in style.css. */
const row = 68
/** Milliseconds without a change of the searched text after which messages are searched. */
const typing = 250

/** Whether a chat has unread items and is not muted, or waits for an answer of the user. */
const hasUnread = ({ chatInfo, chatStats: { unreadChat, unreadCount, unreadMentions }, supportUnreadCount }) =>
  unreadChat
  || supportUnreadCount > 0
  || (unreadCount > 0 && !isMuted(chatInfo))
  || unreadMentions > 0
  || isOpenNews(newsOf(chatInfo))

/** Whether a profile has no chats yet, besides its private notes. */
const isNew = chats => chats.every(({ chatInfo }) => chatInfo.type == "local")

export class ChatListView extends View {
  #query = ""
  /** @type {string} */ #filter = ""
  /** @type {any[]} */ #chats = []
  #list = el("div.rows", { role: "list", label: words.chats })
  #found = el("div.others")
  #empty = el("p.empty")
  #scroller = el("div.scroller", { on: { scroll: () => this.#fill(), keydown: event => this.#key(event) } },
    this.#list, this.#empty, this.#found)
  #filters = el("div.filters", { role: "toolbar", label: words.filters })
  #timer = 0
  #search = searchField(words.searchAll, () => {
    this.#query = this.#search.value.trim()
    this.#scroller.scrollTop = 0
    this.update()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#find(), this.#query && !this.#link ? typing : 0)
  }, { placeholder: words.searchOrLink })

  connectedCallback() {
    if (!this.firstChild) {
      this.#search.addEventListener("keydown", event => this.#searchKey(event))
      this.append(this.#search, this.#filters, this.#scroller)
    }
    this.#observer.observe(this.#scroller)
  }
  disconnectedCallback() { this.#observer.disconnect(); clearTimeout(this.#timer) }
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
      name => button("", () => this.#choose(name), { kind: "chip" }),
      (child, name) => {
        fill(child, label(name), unread(name))
        child.setAttribute("aria-pressed", String(this.#filter == name))
      })
    this.#chats = model.chats.filter(chat => this.#matches(chat))
    // If the user searches and no chat is found, this view shows no text: the list of found messages shows its own
    // text.
    const state = this.#query ? "" : isNew(model.chats) && !this.#filter ? "chats" : this.#chats.length ? "" : "found"
    drawWith(this.#empty, [state], () =>
      fill(this.#empty, state && emptyState(state, state == "chats" ? words.noChats : words.nothingFound)))
    this.#list.style.height = `${this.#chats.length * row}px`
    this.#fill()
  }

  /** The link in the search field; empty if the field has another text. */
  get #link() { return app.mayWrite && isInvitation(this.#query) ? this.#query : "" }

  /** Shows the messages that the search finds, or the offer to connect by the link in the search field. */
  #find() {
    if (!this.isConnected) return
    if (this.#link) return fill(this.#found, entry(words.connectByLink, () => this.#connect(), { sign: "add" }))
    if (!this.#query) return fill(this.#found)
    return findMessages(this.#found, () => ({
      search: this.#link ? "" : this.#query, isAlone: this.#chats.length == 0,
      filter: this.#filter && (place => this.#isInFilter(app.chat(place))),
    }))
  }

  /** Chooses a filter, or no filter if this filter was chosen. */
  #choose(/** @type {string} */ name) {
    this.#filter = this.#filter == name ? "" : name
    this.update()
    this.#find()
  }

  #connect() {
    app.connect(this.#link)
    this.#clear()
  }

  #clear() {
    this.#search.value = ""
    this.#search.dispatchEvent(new Event("input"))
  }

  /** Moves from the search field to the first result, or opens this result. */
  #searchKey(event) {
    // An input method handles keys with the code 229. Such a key is ignored here. In Safari, the key that ends a
    // composition has this code.
    if (event.keyCode == 229 || !["Enter", "ArrowDown", "Escape"].includes(event.key)) return
    event.preventDefault()
    if (event.key == "Escape") return this.#clear()
    if (event.key == "Enter" && this.#link) return this.#connect()
    const first = this.#scroller.querySelector("a, button")
    if (event.key == "Enter") first?.click()
    else first?.focus()
  }

  /** Puts the focus into the search field. */
  focusSearch() {
    this.#search.focus()
    this.#search.select()
  }

  /**
   * Opens the next chat of the list, in the direction of `step`. Returns false if there is none.
   * @param {1 | -1} step
   * @param {boolean} [isUnread] whether only unread chats are opened
   */
  goBy(step, isUnread = false) {
    const { length } = this.#chats, isOpen = chat => chatPlace(chat.chatInfo) == app.place
    const open = this.#chats.findIndex(isOpen)
    const first = open < 0 ? (step > 0 ? 0 : length - 1) : open + step
    for (let index = first; index >= 0 && index < length; index += step) {
      const place = chatPlace(this.#chats[index].chatInfo)
      if (!place || (isUnread && !hasUnread(this.#chats[index]))) continue
      app.go(place)
      this.#scrollTo(index)
      return true
    }
    return false
  }

  #scrollTo(/** @type {number} */ index) {
    const { scrollTop, clientHeight } = this.#scroller
    if (index * row < scrollTop) this.#scroller.scrollTop = index * row
    if ((index + 1) * row > scrollTop + clientHeight) this.#scroller.scrollTop = (index + 1) * row - clientHeight
    this.#fill()
  }

  #matches(chat) {
    const { chatInfo } = chat
    if (chatInfo.type == "direct" && chatInfo.contact.chatDeleted && !this.#query) return false
    if (this.#query) {
      const profile = chatInfo.contact?.profile ?? chatInfo.groupInfo?.groupProfile
      const names = [chatName(chatInfo), profile?.fullName, profile?.displayName]
      if (!names.some(name => name?.toLowerCase().includes(this.#query.toLowerCase()))) return false
    }
    return this.#isInFilter(chat)
  }

  /** Whether the chosen filter includes a chat; false for a chat that is not in the list. */
  #isInFilter(chat) {
    if (!this.#filter) return true
    if (!chat) return false
    const { chatInfo, chatStats } = chat
    switch (this.#filter) {
      case "unread":
        return hasUnread(chat)
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
    const { activeCalls = {}, callInvitations = {} } = app.model ?? {}
    const calling = new Set(Object.values(callInvitations).map(({ contact }) => `@${contact.contactId}`))
    const callOf = id => (calling.has(id) ? "incomingCall" : activeCalls[id] ? "callNow" : "")
    keep(this.#list, rows, ({ chat }) => chat.id, () => make(ChatPreviewView), (child, { chat, index }) => {
      const place = chatPlace(chat.chatInfo)
      const isOpen = place !== null && place == app.place
      const waiting = place && app.outbox.list(app.userId, place).filter(({ problem }) => problem).at(-1)
      const draft = isOpen ? undefined : draftOf(chat.id)
      const isNew = app.fresh.has(place)
      child.show(chat, isOpen, draft, index, this.#chats.length, waiting, isNew, this.#query, callOf(chat.id))
      child.style.transform = `translateY(${index * row}px)`
    })
  }

  #key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step) return
    event.preventDefault()
    const others = [...this.#found.querySelectorAll("a, button")], { length } = this.#chats
    const other = others.indexOf(event.target)
    const now = other < 0
      ? Number(event.target.closest("chat-preview-view")?.getAttribute("aria-posinset") ?? 0) - 1
      : length + other
    const next = Math.min(Math.max(now + step, 0), length + others.length - 1)
    if (next >= length) return others[next - length]?.focus()
    this.#scrollTo(next)
    this.#list.querySelector(`[aria-posinset="${next + 1}"] a`)?.focus()
  }
}
