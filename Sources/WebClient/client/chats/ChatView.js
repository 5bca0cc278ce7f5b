// The open chat: its items as in the session's model, loading of older and newer items, unread items, selected items,
// and the field for a message.
import {
  aboutChat, allows, app, atLeast, author, button, chatIcon, chatImage, chatKind, chatTitle, closedBecause, dayKey,
  dayName, drawWith, el, features, fill, icon, isChannel, isCurrent, isSent, keep, locale, make, menu, message,
  say, sure, text, View, view, words,
} from "../elements/base.js"
import { ChatItemView, renderer } from "../items/ChatItemView.js"
import { canCall } from "../calls/IncomingCallView.js"
import { CIEventView, wordsOf } from "../items/CIEventView.js"
import { AlbumView, inAlbums } from "../items/AlbumView.js"
import { takeDrops } from "../composer/drop.js"
import { invitationButtons } from "../items/CIGroupInvitationView.js"
import { ComposeView } from "../composer/ComposeView.js"
import { chatBadge } from "../elements/badges.js"
import { markUnread, readItems } from "../model/changes.js"
import { ProfileImage } from "../elements/ProfileImage.js"
import { QueuedItemView } from "../items/QueuedItemView.js"
import { emptyState } from "../elements/illustrations.js"
import { deletions } from "../items/itemMenu.js"
import { draftOf } from "../model/drafts.js"
import { closePanel } from "./panel.js"
import {
  addMember, beginCall, forwardItems, showChatInfo, showInvitation, showScheduled, showSearch, showSender,
} from "../shell/parts.js"
import { foldOf, membersOf, Run } from "../model/runs.js"
import { refreshScheduled, scheduledIn } from "../model/scheduled.js"
import { paint } from "../shell/themes.js"
import { Waiting } from "../model/waiting.js"

/**
 * Number of items from which on the page loads more items only when the user scrolls or presses a button: with more
 * items, the session would drop the newest ones.
 */
const mostUnasked = 200

export class ChatView extends View {
  #place = ""
  /**
   * Properties of the chat for the views of items. The object is replaced only if one of the properties changes.
   * @type {any}
   */
  context = null
  #contextText = ""
  /**
   * The selected items by their ids, even if they are no longer loaded; null while the user selects no items.
   * @type {Map<number, any> | null}
   */
  #selected = null
  /** @type {number | null} The id of the item to which the view scrolls when the item is loaded. */
  #goal = null
  /** @type {number | null} The id of the first item that was unread when the chat was opened. */
  #unreadFrom = null
  #isAtEnd = true
  /** Whether the newest items were requested, and are not loaded yet. */
  #asksEnd = false
  /** The last scroll position. */
  #top = 0
  /** The heights of the list and of the window at the last scroll position. */
  #heights = ""
  /** @type {HTMLElement | null} The element of the gap whose items are being loaded. */
  #loading = null
  #newest = 0
  #toRead = /** @type {Set<number>} */ (new Set())
  /** The ids of the items of series that the user has unfolded. */
  #unfolded = /** @type {Set<number>} */ (new Set())
  /** @type {WeakMap<Element, Run>} The series by their rows. */
  #folded = new WeakMap()
  #waiting = new Waiting()
  /** @type {any} The shown items: those of the session, or those that are known before the session shows the chat. */
  #im = null
  /**
   * The items by their ids: as they have arrived, and as they are shown. An item that arrives again without a change
   * stays the same object, so that its view is not drawn again.
   * @type {Map<number, {arrived: any, shown: any}>}
   */
  #items = new Map()

  #head = el("header.bar")
  #list = el("div.items", { role: "list", label: words.messages })
  #scroller = el("div.scroller", { tabindex: "-1", on: { scroll: () => this.#scrolled() } }, this.#list)
  #down = button(words.toEnd, () => this.toEnd(), { icon: "down", kind: "round down", hidden: true })
  #up = button(words.toUnread, () => this.goTo(this.#stats.minUnreadItemId), {
    icon: "up",
    kind: "round down up",
    hidden: true,
  })
  #spoken = el("p.offscreen", { role: "log", "aria-live": "polite" })
  #planned = el("div.planned")
  #foot = el("div.foot")
  /** The element that offers a first message in a chat without messages. */
  #greeting = el("div.greeting")
  /** The place of the chat for which the user has chosen the offered first message. */
  #greeted = ""
  #compose = make(ComposeView)
  #sizes = new ResizeObserver(() => { if (this.#isAtEnd) this.#scroller.scrollTop = this.#scroller.scrollHeight })
  #sight = new IntersectionObserver(entries => {
    for (const { isIntersecting, target } of entries)
      if (isIntersecting) this.#seen(/** @type {HTMLElement} */ (target))
    this.#readVisible()
  }, { root: this.#scroller })

  constructor() {
    super()
    takeDrops(this, () => this.#compose.takesFiles, files => this.#compose.attach(files))
    this.addEventListener("command", event => this.#compose.insert(/** @type {CustomEvent} */ (event).detail))
    this.addEventListener("keydown", event => this.#key(event))
    // This view ends when its profile is left, since another profile has other chat and item ids.
    const stops = new AbortController(), { signal } = stops
    document.addEventListener("visibilitychange", () => this.#readVisible(), { signal })
    addEventListener("focus", () => this.#readVisible(), { signal })
    app.on("leave", () => { stops.abort(); this.#end() }, signal)
    app.on("scheduled", () => this.#drawPlanned(), signal)
    app.on("outbox", () => { this.#compose.outboxChanged(); this.update() }, signal)
    this.#sizes.observe(this.#list)
    this.#sizes.observe(this.#scroller)
  }

  #end() {
    this.#sight.disconnect()
    this.#sizes.disconnect()
    this.#toRead.clear()
    this.#compose.end()
  }

  connectedCallback() {
    if (!this.firstChild)
      this.append(this.#head, el("div.stage", this.#scroller, this.#up, this.#down), this.#spoken, this.#planned,
        this.#greeting, this.#foot)
  }

  /** Shows the chat of `app.place`. */
  open() {
    const { place } = app
    this.#place = place ?? ""
    this.context = null
    this.#contextText = ""
    this.#selected = this.#goal = this.#im = null
    this.#isAtEnd = true
    this.#asksEnd = false
    this.#loading = null
    this.#newest = this.#top = 0
    this.#toRead.clear()
    const stats = this.#stats
    this.#unreadFrom = stats?.unreadCount ? stats.minUnreadItemId : null
    keep(this.#list, [], () => 0, () => null, () => {})
    // A chat with more than ten unread items opens at the first of them.
    const around = app.goal || (stats?.unreadCount > 10 && stats.minUnreadItemId ? stats.minUnreadItemId : undefined)
    if (place && around) { this.#goal = around; this.#isAtEnd = false }
    this.update()
    if (!place) return
    app.openChat(place, around)
    this.#drawPlanned()
    refreshScheduled()
    // For a subscriber, requests the data of the channel's link: the number of subscribers and the relays.
    const { useRelays, groupId, membership } = app.chat(place)?.chatInfo.groupInfo ?? {}
    if (useRelays && membership.memberRole != "owner" && membership.memberStatus == "connected")
      app.post(`/groups/${groupId}/link/refresh`).catch(() => {})
  }

  get #stats() { return app.chat(this.#place)?.chatStats }

  update() {
    const listed = app.chat(this.#place)
    const info = app.isOpen ? app.session.chatInfo : listed?.chatInfo
    this.hidden = !this.#place
    if (!info) {
      drawWith(this.#head, [], () => fill(this.#head, back()))
      drawWith(this.#foot, [], () => fill(this.#foot, app.model && this.#place && el("p.empty", words.chatGone)))
      this.#greeting.hidden = true
      return
    }
    this.#readContext(info)
    paint(this, (info.contact ?? info.groupInfo)?.uiThemes)
    const { closed } = this.context
    const state = closed && closed != "observer" ? closedWords(this.context) : memberCount(info) || connectionState()
    drawWith(this.#head,
      [this.context, this.#selected?.size, state, info.contact?.profile?.localBadge],
      () => this.#drawHead(info, state))
    drawWith(this.#foot, [this.context, Boolean(this.#selected), app.isOpen], () => this.#drawFoot(info))
    this.#compose.followDraft()
    if (!app.isOpen) {
      if (!this.#goal && listed) this.#drawItems(known(app.knownItems(this.#place)))
      return
    }
    drawWith(this.#list, [this.#place, app.session.groupMembers], () => this.#compose.membersChanged())
    const { arrived } = this.#drawItems(app.session.im)
    this.#offerGreeting(app.session.im)
    this.#compose.itemsChanged()
    app.outbox.shown(arrived)
  }

  #readContext(info) {
    const context = {
      type: info.type,
      place: this.#place,
      id: app.chat(this.#place)?.id ?? "",
      chatId: Number(this.#place.split("/")[1]),
      name: chatTitle(info),
      image: chatImage(info),
      icon: chatIcon(info),
      kind: chatKind(info),
      about: aboutChat(info),
      query: "",
      isGroup: info.type == "group",
      isChannel: isChannel(info),
      isWritable: !closedBecause(info) && app.mayWrite,
      closed: closedBecause(info),
      role: info.groupInfo?.membership.memberRole,
      allows: Object.fromEntries([...features, "reports"].map(feature => [feature, allows(info, feature)])),
    }
    const written = JSON.stringify(context)
    if (written == this.#contextText) return
    this.#contextText = written
    this.context = {
      ...context,
      goTo: id => this.goTo(id),
      reply: item => this.#compose.reply(item),
      edit: item => this.#compose.edit(item),
      select: item => this.#select(item),
      sent: () => this.#followEnd(),
      toEnd: () => this.toEnd(),
      im: () => (app.isOpen ? app.session.im : null),
      resume: entry => this.#compose.resume(entry), showSender,
    }
  }

  #drawHead(info, state) {
    if (this.#selected) {
      const count = this.#selected.size
      return fill(this.#head,
        button(words.cancel, () => this.#endSelection(), { icon: "close", kind: "plain round" }),
        el("h2", words.selected(count)),
        button(words.forward, () => {
          const ids = [...(this.#selected?.keys() ?? [])]
          this.#endSelection()
          return forwardItems(ids.sort((a, b) => a - b))
        }, { disabled: !count }),
        button(words.delete, event => this.#deleteSelected(event.currentTarget), { kind: "danger", disabled: !count }))
    }
    fill(this.#head, back(), view(ProfileImage, chatImage(info), chatTitle(info), chatIcon(info)),
      el("h2", text(chatTitle(info)), chatBadge(info), el("small", state)),
      info.type == "direct" && this.context.isWritable && this.context.allows.calls && canCall && calls(info.contact),
      app.mayWrite
        && info.groupInfo
        && !isChannel(info)
        && isCurrent(info.groupInfo.membership)
        && atLeast(this.context.role, "admin")
        && button(words.addMember, () => addMember(`/groups/${info.groupInfo.groupId}`, this.context.role), {
          icon: "add",
          kind: "plain round",
        }),
      app.isSearchable
        && button(words.searchMessages, () => showSearch(id => this.goTo(id)), { icon: "search", kind: "plain round" }),
      ["direct", "group"].includes(info.type)
        && button(words.chatInfo, showChatInfo, { icon: "info", kind: "plain round" }))
  }

  #drawFoot(info) {
    const notes = this.#selected ? [] : this.#notes(info)
    if (notes) {
      this.#compose.remove()
      return fill(this.#foot, notes)
    }
    // If a draft belongs to an item, the field is shown only after the items of the chat are loaded.
    const { quotedItemId, editingItemId } = draftOf(this.context.id) ?? {}
    if (!app.isOpen && (quotedItemId || editingItemId)) return fill(this.#foot)
    if (this.#compose.parentElement !== this.#foot || this.#foot.children.length > 1) fill(this.#foot, this.#compose)
    this.#compose.show(this.context)
  }

  /** Shows that messages of the chat wait for their time, or were not sent at their time. */
  #drawPlanned() {
    const messages = scheduledIn(this.#place), failed = messages.filter(({ state }) => state != "waiting").length
    const name = failed ? words.later.failed(failed) : words.later.count(messages.length)
    drawWith(this.#planned, [this.#place, messages.length, failed], () => fill(this.#planned, messages.length > 0
      && button([icon("clock"), name], () => showScheduled(this.#place), { kind: `plain ${failed ? "danger" : ""}` })))
  }

  /** Makes the notes and buttons that are shown instead of the field for a message; null if the user may write. */
  #notes({ contact, groupInfo, contactRequest, contactConnection }) {
    const { closed } = this.context
    if (contactRequest) return requestButtons(contactRequest.contactRequestId)
    if (contactConnection) {
      const isOwn = contactConnection.connLinkInv
      return [
        el("p", words.connecting[isOwn ? "invited" : "joined"]),
        isOwn && button(words.showInvitation, () => showInvitation(contactConnection), { kind: "primary" }),
        button(words.delete, () =>
          sure(words.deleteConnection, words.deleteConnectionExplained, words.delete, async () => {
            const { place } = app
            await app.delete(`/chats/contactConnection/${contactConnection.pccConnId}`)
            leave(place)
          }), { kind: "danger" }),
      ]
    }
    if (closed == "requestWaits") return requestButtons(contact.contactRequestId)
    if (contact?.preparedContact && !contact.activeConn && app.mayWrite)
      return [el("p", closedWords(this.context)), connectButtons(contact.contactId)]
    if (closed == "groupInvited" && app.mayWrite)
      return [el("p", words.invitedToGroup), invitationButtons(groupInfo.groupId)]
    if (closed == "prepared" && app.mayWrite)
      return [el("p", text(groupInfo.groupProfile.shortDescr)), joinButtons(groupInfo.groupId)]
    return closed || !app.mayWrite ? el("p", closed ? closedWords(this.context) : words.readOnly) : null
  }

  /**
   * Makes the rows of the list, the oldest first: items, days, the mark before the unread items, gaps, and waiting
   * messages.
   */
  #rows(im) {
    const entries = app.outbox.list(app.userId, this.#place, ""), loaded = this.#withoutCopies(im.reversedChatItems)
    const waiting = this.#waiting.sort(entries, loaded)
    const rows = /** @type {any[]} */ ([]), items = loaded.map(item => this.#waiting.edited(entries, item))
    const gaps = new Set(im.chatState.splits)
    if (!im.lastItemsLoaded && items.length)
      rows.push({ key: `older${items[0].meta.itemId}`, gap: { side: "before", id: items[0].meta.itemId } })
    let day = 0, run = /** @type {Run | null} */ (null), isAfterGap = false
    for (const item of items) {
      const { itemTs, itemId } = item.meta
      // The banner was made together with the chat, so it gets no heading with a day.
      if (item.content.type == "chatBanner") {
        rows.push({ key: itemId, item, showsName: false, isLast: true, isSelected: null })
        continue
      }
      const thisDay = dayKey(itemTs), isNewDay = thisDay != day, isUnread = itemId == this.#unreadFrom
      if (isNewDay) { day = thisDay; rows.push({ key: `day${thisDay}-${itemId}`, day: itemTs }) }
      if (isUnread) rows.push({ key: "unread", isUnread: true })
      const kind = foldOf(item), isFirst = isNewDay || isUnread || isAfterGap || run?.kind != kind
      if (isFirst) run = kind ? new Run(kind, itemId) : null
      const folded = isFirst && kind == "settings" ? null : run
      if (folded?.items.push(item) == 1) rows.push({ run })
      rows.push({ key: itemId, item, folded, isSelected: this.#selected ? this.#selected.has(itemId) : null })
      // A gap follows this item: newer items exist, but are not loaded.
      isAfterGap = gaps.has(itemId)
      if (isAfterGap) rows.push({ key: `gap${itemId}`, gap: { side: "after", id: itemId } })
    }
    if (im.newestLoaded) rows.push(...waiting.rows.map(entry => ({ key: entry.id, entry })))
    if (!rows.length && im.lastItemsLoaded && !im.isKnown) rows.push({ key: "none", isEmpty: true })
    const shown = rows.filter(row => !row.run || this.#isFolded(row.run))
    for (const row of shown) row.key ??= row.run.key
    const visible = shown.filter(row => !this.#isFolded(row.folded))
    for (const [index, row] of visible.entries()) {
      if (!row.item || row.isLast) continue
      const { item } = row
      row.showsName = this.context.isGroup && !isSent(item) && !joins(visible[index - 1]?.item, item)
      row.isLast = !joins(item, visible[index + 1]?.item)
    }
    return { rows: inAlbums(shown), arrived: waiting.arrived }
  }

  /**
   * Offers a first message for a chat with a contact in which nobody has written yet. The message is sent only if the
   * user sends it.
   */
  #offerGreeting(/** @type {any} */ im) {
    const { type, isWritable, id, name } = this.context
    const isSilent = type == "direct" && isWritable && im.lastItemsLoaded && im.newestLoaded && !this.#selected
      && this.#greeted != this.#place && !im.reversedChatItems.some(message) && !draftOf(id)
      && !app.outbox.list(app.userId, this.#place).length
    this.#greeting.hidden = !isSilent
    if (!isSilent) return
    const hello = words.greeting(name)
    drawWith(this.#greeting, [hello], () => fill(this.#greeting, button(text(hello), () => {
      this.#greeted = this.#place
      this.#greeting.hidden = true
      this.#compose.insert(hello)
    }, { kind: "chip", label: words.greetWith(hello) })))
  }

  /** Returns items, the oldest first. An item that is equal to a shown item is replaced by the shown item. */
  #withoutCopies(/** @type {any[]} */ reversedItems) {
    const before = this.#items
    this.#items = new Map()
    return [...reversedItems].reverse().map(arrived => {
      const { itemId } = arrived.meta, known = before.get(itemId)
      const isCopy = known && (known.arrived === arrived || JSON.stringify(known.shown) == JSON.stringify(arrived))
      const shown = isCopy ? known.shown : arrived
      this.#items.set(itemId, { arrived, shown })
      return shown
    })
  }

  #isFolded(/** @type {Run | null | undefined} */ run) {
    return run != null && run.items.length > 1 && !run.items.some(({ meta }) => this.#unfolded.has(meta.itemId))
  }

  /** Shows the items of a series. */
  #unfold(/** @type {Run} */ { items }) {
    for (const { meta } of items) this.#unfolded.add(meta.itemId)
    this.update()
  }

  #drawItems(im) {
    this.#im = im
    const newest = im.reversedChatItems[0], { rows, arrived } = this.#rows(im)
    // The views are searched in the whole list, so that a picture that joins or leaves an album keeps its view.
    const before = new Map([...this.#list.querySelectorAll("chat-item-view")].map(child => [child.id, child]))
    const find = row => before.get(`item${row.key}`) ?? this.#made(row)
    this.#keepPlace(() => keep(this.#list, rows, row => row.key, find, (child, row) => {
      if (row.entry) child.show(row.entry, this.context)
      if (row.album) child.show(row.album, this.context, find)
      if (!row.item) return
      const shown = child.show(row.item, row.showsName, row.isLast, this.context, row.isSelected)
      shown.hidden = this.#isFolded(row.folded)
    }))
    for (const item of this.#selected ? im.reversedChatItems : [])
      if (this.#selected?.has(item.meta.itemId)) this.#selected.set(item.meta.itemId, item)
    const goal = this.#goal && this.#list.querySelector(`#item${this.#goal}`)
    if (goal) { this.#goal = null; app.goal = 0; this.#show(goal) }
    if (newest && newest.meta.itemId > this.#newest && !im.isKnown) {
      if (this.#newest && !isSent(newest)) this.#spoken.textContent = words.said(this.context.name, wordsOf(newest))
      this.#newest = newest.meta.itemId
    }
    // If another page of items, which was requested earlier, arrives first, the newest items are requested again.
    const isFar = this.#isAtEnd && Boolean(newest) && !im.newestLoaded
    if (isFar && !this.#asksEnd) app.openChat(this.#place)
    this.#asksEnd = isFar
    this.#showDown()
    this.#readVisible()
    if (this.#loading && !this.#loading.isConnected) { this.#loading = null; this.#fillGaps() }
    // A list without a scroll bar cannot be scrolled, so the items of a gap are loaded here.
    else if (!im.isKnown && im.reversedChatItems.length < mostUnasked && this.#isShort) this.#fillGaps()
    return { arrived }
  }

  #made(row) {
    if (row.item) {
      const child = make(ChatItemView)
      child.dataset.itemId = row.item.meta.itemId
      this.#sight.observe(child)
      return child
    }
    if (row.album) return make(AlbumView)
    if (row.day) return el("div.day", { role: "separator", label: dayName(row.day) }, el("span", dayName(row.day)))
    if (row.isUnread) return el("div.day.unread", { role: "separator" }, el("span", words.unreadFromHere))
    if (row.run) {
      const { run } = row, child = button(runName(run), () => {
        this.#unfold(run)
        this.#focus(run.items[0])
      }, { kind: "plain gap", dir: "auto", "aria-expanded": "false" })
      this.#folded.set(child, run)
      this.#sight.observe(child)
      return child
    }
    if (row.entry) return make(QueuedItemView)
    if (row.isEmpty) return el("p.empty", { role: "listitem" }, emptyState("messages", words.noMessages))
    const gap = button(words.loadMore, () => this.#load(gap), { kind: "plain gap" })
    gap.dataset.gap = JSON.stringify({ key: row.key, ...row.gap })
    return gap
  }

  /**
   * Runs a change of the list so that the visible items stay at their positions. If the end of the list is visible, the
   * end stays visible.
   */
  #keepPlace(change) {
    const scroller = this.#scroller
    if (this.#isAtEnd) { change(); scroller.scrollTop = scroller.scrollHeight; return }
    const top = scroller.getBoundingClientRect().top
    const row = [...this.#list.children].find(child => child.id && child.getBoundingClientRect().bottom > top)
    const before = row?.getBoundingClientRect().top
    change()
    if (row?.isConnected) scroller.scrollTop += row.getBoundingClientRect().top - /** @type {number} */ (before)
  }

  #scrolled() {
    // Without loaded items, the scroll position has no meaning and is ignored.
    if (!this.#im?.reversedChatItems.length) return
    const { scrollTop, clientHeight, scrollHeight } = this.#scroller
    // If an item grows or shrinks, for example a picture, the view still counts as scrolled to the end.
    const heights = `${scrollHeight} ${clientHeight}`, isStill = scrollTop >= this.#top || heights != this.#heights
    const isNear = scrollHeight - scrollTop - clientHeight < 60 || (this.#isAtEnd && isStill)
    this.#top = scrollTop
    this.#heights = heights
    // If the user has requested the newest items, the view counts as scrolled to the end before they are loaded.
    this.#isAtEnd = isNear && (this.#im.newestLoaded || this.#asksEnd)
    this.#fillGaps()
    this.#showDown()
  }

  #showDown() {
    this.#down.hidden = this.#isAtEnd
    const unread = this.#stats?.unreadCount
    fill(this.#down, icon("down"), unread > 0 && [" ", unread])
    // The button is shown if the first unread item is above the visible items, or is not loaded.
    const first = unread && this.#stats.minUnreadItemId, row = first && this.#list.querySelector(`#item${first}`)
    this.#up.hidden =
      !first
      || (row
        ? row.getBoundingClientRect().bottom > this.#scroller.getBoundingClientRect().top
        : !(first < this.#newest))
  }

  /** Whether all loaded items are visible together. */
  get #isShort() { return this.#scroller.scrollHeight <= this.#scroller.clientHeight }

  /** Loads the items of a gap that is visible, or nearly visible. */
  #fillGaps() {
    const { top, bottom } = this.#scroller.getBoundingClientRect()
    const gap = [...this.#list.querySelectorAll("[data-gap]")].find(gap => {
      const at = gap.getBoundingClientRect()
      return at.bottom > top - 600 && at.top < bottom + 600
    })
    if (gap) this.#load(gap)
  }

  async #load(gap) {
    if (this.#loading || !app.isOpen) return
    this.#loading = gap
    const { key, side, id } = JSON.parse(gap.dataset.gap)
    // Loaded items arrive as a change of the session's model. If no items were loaded, no change arrives, so the gap
    // must be released here.
    const end = () => { if (this.#loading === gap) this.#loading = null }
    try {
      const { session: { im } } = await app.loadItems(side, id)
      if (this.#rows(im).rows.some(row => row.key == key)) end()
    } catch (error) { end(); say(error.message) }
  }

  /** Scrolls to the newest item, and loads the newest items if necessary. */
  toEnd() {
    this.#followEnd()
    if (app.isOpen) this.#drawItems(app.session.im)
  }

  #followEnd() {
    this.#isAtEnd = true
    this.#goal = null
    app.goal = 0
  }

  goTo(itemId) {
    const row = this.#list.querySelector(`#item${itemId}`)
    if (row) return this.#show(row)
    this.#goal = itemId
    this.#isAtEnd = false
    // A chat that the session does not show yet is requested again, around this item.
    if (app.isOpen) app.loadItems("around", itemId)
    else app.openChat(this.#place, itemId)
  }

  #focus({ meta: { itemId } }) {
    /** @type {HTMLElement | null} */ (this.#list.querySelector(`#item${itemId}`))?.focus({ preventScroll: true })
  }

  #show(row) {
    this.#isAtEnd = false
    const run = row.hidden && this.#rows(this.#im).rows.find(({ key }) => key == row.dataset.itemId)?.folded
    if (run) this.#unfold(run)
    row.scrollIntoView({ block: "center" })
    row.classList.add("found")
    row.focus({ preventScroll: true })
    setTimeout(() => row.classList.remove("found"), 1500)
  }

  #seen(element) {
    const folded = this.#folded.get(element)?.items.map(item => item.meta.itemId)
    const seen = new Set(folded ?? [Number(element.dataset.itemId)])
    for (const { meta } of this.#im?.reversedChatItems ?? [])
      if (seen.has(meta.itemId) && meta.itemStatus.type == "rcvNew") this.#toRead.add(meta.itemId)
  }

  /** Marks the items as read that were visible while the page had the focus. */
  #readVisible() {
    if (!this.#toRead.size || document.hidden || !document.hasFocus() || !app.mayWrite) return
    const itemIds = [...this.#toRead], place = this.#place
    this.#toRead.clear()
    // The change draws the list again, so the present drawing ends first.
    queueMicrotask(() => {
      if (place != app.place) return
      readItems(place, itemIds)
      if (this.#stats?.unreadChat) markUnread(place, false)
    })
  }

  #select(item) {
    const id = item.meta.itemId, chosen = this.#selected ??= new Map(), wasEmpty = chosen.size == 0
    if (!chosen.delete(id)) chosen.set(id, item)
    this.update()
    if (wasEmpty) /** @type {any} */ (this.#list.querySelector(`#item${id} input`))?.focus()
  }

  #endSelection() { this.#selected = null; this.update() }

  /** Deletes the selected items. If there are several ways to delete them, shows a menu. */
  #deleteSelected(at) {
    const entries = deletions([...this.#selected?.values() ?? []], this.context, () => this.#endSelection())
    if (entries.length > 1) menu({ at, label: words.delete, entries })
    else entries[0]?.run()
  }

  #key(event) {
    if (event.key == "Escape") {
      if (this.#selected) this.#endSelection()
      else if (event.target.closest(".foot") == null && !closePanel()) app.go(null)
      return
    }
    const row = event.target.closest?.("chat-item-view")
    if (!row || event.target !== row) return
    if (event.key == "ArrowUp" || event.key == "ArrowDown") {
      event.preventDefault()
      const rows = [...this.#list.querySelectorAll("chat-item-view")]
      rows[rows.indexOf(row) + (event.key == "ArrowUp" ? -1 : 1)]?.focus()
    } else if (event.key == "Enter") /** @type {any} */ (row.querySelector(".more"))?.click()
  }
}

/** Makes the list of known items in the form of a session. */
const known = reversedChatItems =>
  ({ reversedChatItems, chatState: { splits: [] }, lastItemsLoaded: true, newestLoaded: true, isKnown: true })

const calls = contact =>
  [["audio", "phone"], ["video", "camera"]].map(([media, icon]) =>
    button(words.callKind[media], () => beginCall(contact, media), { icon, kind: "plain round" }))

const back = () => button(words.back, () => { app.go(null) }, { icon: "back", kind: "plain round back" })

/** Closes a deleted chat, unless the user has opened another chat meanwhile. */
const leave = place => { if (app.place == place) app.go(null) }

/** Returns the text of a row for folded items. */
function runName(/** @type {Run} */ { kind, items }) {
  if (kind == "settings") return words.moreSettings(items.length)
  if (kind == "deleted") return words.folded.deleted(items.length)
  return words.folded[kind](...membersOf(items, words.memberCount, locale))
}

/** Whether the second item has the same sender as the first item, so that it needs no name and picture. */
function joins(first, second) {
  if (!first || !second || author(first) != author(second)) return false
  const isEvent = item => renderer(item).prototype instanceof CIEventView || renderer(item) === CIEventView
  return !isEvent(first) && !isEvent(second)
}

const closedWords = ({ closed, isChannel }) => (isChannel && words.closedChannel[closed]) || words.closed[closed]

/**
 * Returns the text for the subscription of the contact's connection; empty if the state is unknown or needs no text.
 */
const connectionState = () => (app.isOpen && words.subscription[app.session.chatSubStatus?.type]) || ""

const memberCount = ({ groupInfo }) => {
  if (!groupInfo) return ""
  const { currentMembers, publicMemberCount } = groupInfo.groupSummary ?? {}
  return groupInfo.useRelays
    ? publicMemberCount === undefined
      ? words.channel
      : words.subscriberCount(publicMemberCount)
    : words.memberCount(currentMembers ?? 0)
}

/**
 * Makes buttons that join a group or a channel whose link was opened. Joining a channel sends a request to each of its
 * relays.
 */
const joinButtons = id =>
  [[words.join, false, "primary"], [words.joinIncognito, true, ""]].map(([name, incognito, kind]) =>
    button(name, async () => {
      const { relayResults = [] } = await app.post(`/groups/${id}/connect`, { incognito })
      const failed = relayResults.filter(result => result.relayError).length
      if (failed) say(words.relaysFailed(failed, relayResults.length))
    }, { kind }))

/** Makes buttons that connect with a contact whose link was opened, before a request is sent. */
const connectButtons = id =>
  [[words.connect, false, "primary"], [words.connectIncognito, true, ""]].map(([name, incognito, kind]) =>
    button(name, () => app.post(`/contacts/${id}/connect`, { incognito }), { kind }))

function requestButtons(id) {
  if (!app.mayWrite) return [el("p", words.wantsToConnect)]
  const path = `/contact-requests/${id}`
  return [el("p", words.wantsToConnect),
    button(words.accept, async () => {
      const { contact } = await app.post(`${path}/accept`)
      app.go(`direct/${contact.contactId}`)
    }, { kind: "primary" }),
    button(words.reject, () =>
      sure(words.reject, words.rejectRequestExplained, words.reject, async () => {
        const { place } = app
        await app.post(`${path}/reject`)
        leave(place)
      }), { kind: "danger" })]
}
