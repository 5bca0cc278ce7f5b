// The field for a message: its text, its files, and the item to which it replies or whose text it replaces. The gateway
// stores drafts, so that other clients can show them.
import {
  app, asGroup, button, drawWith, duration, el, fill, fromBase64, itemText, make, menu, say, set, text, View, words,
} from "../elements/base.js"
import { draftOf, forgetReplaced, replacedDraft, saveDraft } from "../model/drafts.js"
import { GroupMentionsView, mentionsIn } from "./GroupMentionsView.js"
import { resumed, takeBack } from "../items/unsent.js"
import { makesCards } from "../model/linkCards.js"
import { loadAttaching, loadEmojiPicker, loadRecorder, prepared, sendLater } from "../shell/parts.js"

/** Maximal size of a file in bytes, and maximal number of the files of a message, as in the apps. */
const largestFile = 1_073_741_824, mostFiles = 10

/** Whether the focus in the field opens no keyboard over the page. */
const hasKeyboard = () => matchMedia("(pointer: fine)").matches

/** Returns the parts of an item that a reply to the item shows. */
const quoteOf = ({ meta: { itemId }, chatDir, content: { msgContent: content }, formattedText }) =>
  ({ itemId, chatDir, content, formattedText })

/** Whether the user can edit an item. */
const isEditable = ({ meta, content }) => meta.editable && !meta.itemDeleted && content.type == "sndMsgContent"

/** The value of `#awaited` while an edit waits for the user's newest message, whose id is not known yet. */
const newest = 0
/**
 * Maximal number of failed requests for the item of an edit. After these, the item is requested again only when the
 * chat is opened again.
 */
const mostFailures = 3

export class ComposeView extends View {
  /** @type {any} The item to which the message replies. */
  #quoted = null
  /** @type {any} The item whose text the message replaces. */
  #edited = null
  /**
   * The id of the item whose edit begins when the item is loaded. Until then the text of the field is not sent, because
   * the text of an edit must not become a new message.
   * @type {number | null}
   */
  #awaited = null
  /** The profile, the chat and the item of a draft whose item is being read; empty if no item is being read. */
  #reading = ""
  /** The number of failed requests for the awaited item. */
  #failures = 0
  /**
   * The live message, which recipients read while it is written: the id of its entry in the outbox, its item id (0
   * before the item exists), and its content.
   * @type {{id: string, itemId: number, content: any} | null}
   */
  #live = null
  /** The id of the outbox entry with the last sent version of the live message. */
  #told = ""
  /** @type {File[]} */ #files = []
  /** @type {any} The voice message that is being recorded, or was recorded. */
  #voice = null
  /** Whether the browser is asking the user for the microphone. */
  #isAsking = false
  /** @type {any} The preview of the page to which the text links. */
  #card = null
  /** The link for which a preview was requested. */
  #linked = ""
  #context
  #timer = 0
  #tick = 0

  /**
   * The line about the item that is edited or answered. The line stays in the page, so that screen readers read its
   * changes.
   */
  #subject = el("div", { role: "status" })
  #about = el("div.about", this.#subject)
  #other = el("div", { role: "status" })
  #tray = el("div.tray")
  /** @type {any} The previews of the attached files; null before files were attached. */
  #attachments = null
  #picker = el("div", { hidden: true })
  #recorded = text("")
  #text = el("textarea", {
    rows: 1, placeholder: words.message, label: words.message, dir: "auto", enterkeyhint: "send",
    on: {
      input: () => this.#typed(),
      keydown: event => this.#key(event),
      paste: event => this.#paste(event),
      blur: () => {
        this.#members.hide()
        this.saveDraft()
        this.followDraft()
      },
    },
  })
  /**
   * The draft that the field has shown or saved last.
   * @type {import("../model/drafts.js").Draft | null | undefined}
   */
  #known = null
  #members = make(GroupMentionsView, this.#text)
  #chooser = el("input", {
    type: "file",
    multiple: true,
    hidden: true,
    on: {
      change: () => {
        this.attach([...this.#chooser.files])
        this.#chooser.value = ""
      },
    },
  })
  #attach = button(words.attach, () => this.#chooser.click(), { icon: "attach", kind: "round plain" })
  #emoji = button(words.emojis.title, () => this.#toggleEmojis(), {
    icon: "smile",
    kind: "round plain emojiButton",
    "aria-expanded": "false",
  })
  /** @type {any} The list of emojis; null before it was opened. */
  #emojis = null
  #mic = button(words.record, () => this.#record(), { icon: "mic", kind: "round plain" })
  #ways = button(words.sendWays, event => this.#choose(event.currentTarget), {
    icon: "clock",
    kind: "round plain",
    "aria-haspopup": "menu",
  })
  #send = button(words.send, () => this.send(), { icon: "send", kind: "round primary" })

  constructor() {
    super()
    // A press with the right button, or a long touch, opens the menu of special ways to send.
    this.#send.addEventListener("contextmenu", event => {
      event.preventDefault()
      if (!this.#ways.hidden) this.#choose(this.#send)
    })
  }

  /** Returns an item of the chat by its id; null if the item is not loaded. */
  #loaded(id) {
    return (id && this.#context.im()?.reversedChatItems.find(item => item.meta.itemId == id)) || null
  }

  /**
   * @param {any} context the properties of the chat. `im` returns the loaded items of the chat. `query` is the query
   *   string of a scope within a group, and empty for the chat itself. Only the chat itself has a draft.
   */
  draw(context) {
    const isOther = this.#context?.place != context.place
    if (isOther) {
      if (this.#context) this.saveDraft()
      this.#reset()
    }
    this.#context = context
    if (!this.firstChild)
      this.append(this.#members, this.#picker, this.#other, this.#about, this.#tray,
        el("div.line", this.#attach, this.#chooser, this.#emoji, this.#text, this.#mic, this.#ways, this.#send))
    this.#attach.hidden = !context.allows.files
    if (isOther) {
      if (!context.query) {
        this.#showDraft(draftOf(context.id))
        this.followDraft()
      }
      if (hasKeyboard()) this.#text.focus()
    }
    this.#offer()
    return undefined
  }

  #showDraft(/** @type {import("../model/drafts.js").Draft | null | undefined} */ draft) {
    this.#known = draft
    this.#text.value = draft?.message ?? ""
    this.#quoted = this.#loaded(draft?.quotedItemId)
    this.#edited = this.#loaded(draft?.editingItemId)
    this.#await(this.#edited ? null : draft?.editingItemId ?? null)
    this.#tell()
    this.itemsChanged()
    if (draft?.quotedItemId && !this.#quoted) this.#readQuoted(draft)
  }

  #await(/** @type {number | null} */ awaited) { this.#awaited = awaited; this.#failures = 0 }

  /**
   * Begins the edit that waits for its item. If the item is not loaded, reads it from the gateway, since the item of a
   * draft may be far from the loaded items.
   */
  async itemsChanged() {
    const id = this.#awaited, place = this.#context?.place, { users } = app, im = this.#context?.im()
    if (id === null || !im) return
    if (id == newest) {
      if (!im.newestLoaded) return
      // If the user has written a text meanwhile, the edit begins with the text of the item, followed by the user's
      // text.
      const item = im.reversedChatItems.find(isEditable), written = this.#text.value
      if (!item) { this.#await(null); return this.#tell() }
      this.#beginEdit(item)
      this.#text.value += written
      return written ? this.#typed() : this.#tell()
    }
    let item = this.#loaded(id)
    if (!item) {
      const reading = `${users} ${place} ${id}`
      if (this.#reading == reading || this.#failures >= mostFailures) return
      this.#reading = reading
      /** @type {any} */ let problem
      try { item = await this.#read(id) } catch (error) { problem = error }
      if (this.#reading == reading) this.#reading = ""
      // If another edit was started meanwhile, this answer is ignored. The other edit reads its own item.
      if (!this.#isOf(place, users) || this.#awaited != id) return
      if (problem) {
        // A problem without a status means that the connection is lost. Then the next change of the session reads the
        // item again.
        if (problem.status && ++this.#failures == mostFailures) say(problem.message)
        return
      }
      // If the item was deleted, the text stays in the field, so that the user can send it as a new message or delete
      // it.
      if (!item || item.meta.itemDeleted) { item = null; say(words.itemGone) }
    }
    this.#edited = item
    this.#await(null)
    this.#tell()
  }

  /** Reads an item that is not loaded; null if there is no such item. */
  async #read(/** @type {number} */ id) {
    const { place, query } = this.#context, scope = query ? query.replace("?", "&") : ""
    const answer = await app.find(`/chats/${place}?around=${id}&limit=1${scope}`)
    return answer?.chat.chatItems.find(({ meta }) => meta.itemId == id) ?? null
  }

  /** Shows the item to which a draft replies, if the item is not loaded. */
  async #readQuoted(/** @type {import("../model/drafts.js").Draft} */ draft) {
    const item = draft.quotedItemId && await this.#read(draft.quotedItemId).catch(() => null)
    if (!item || this.#known !== draft || this.#isChange || this.#quoted) return
    this.#quoted = item
    this.#tell()
  }

  /**
   * Begins the edit of the user's newest message: at once if the items of the chat are loaded or the chat list has the
   * message, otherwise when the chat is loaded. Loaded items may be newer than those of the chat list.
   */
  #editNewest() {
    const { place, query, im, toEnd } = this.#context, isLoaded = im()?.newestLoaded
    const [item] = query || isLoaded ? [] : app.knownItems(place)
    if (item && isEditable(item)) return this.edit(this.#loaded(item.meta.itemId) ?? item)
    this.saveDraft()
    this.#await(newest)
    this.#tell()
    if (isLoaded === false) toEnd()
    this.itemsChanged()
  }

  /** Whether the field has the text of the draft that it has shown or saved last. */
  get #isUntouched() { return this.#text.value == (this.#known?.message ?? "") }

  get #isInUse() { return this.isConnected && document.activeElement === this.#text && document.hasFocus() }

  /** Shows a draft that another page has changed, unless the user is writing in the field here. */
  followDraft() {
    if (!this.#context || this.#context.query) return
    drawWith(this.#other, [replacedDraft(this.#context.id)], () => this.#drawOther())
    if (this.#awaited !== null || !this.#isUntouched || this.#live || this.#voice || this.#files.length) return
    if (this.#quoted?.meta.itemId != this.#known?.quotedItemId) return
    if (this.#edited?.meta.itemId != this.#known?.editingItemId) return
    if (this.#isInUse) return
    const draft = draftOf(this.#context.id)
    // A draft of an edit is shown only when its item is loaded. Otherwise its text could be sent as a new message.
    if (draft?.editingItemId && !this.#loaded(draft.editingItemId)) return
    if (JSON.stringify(draft ?? null) != JSON.stringify(this.#known ?? null)) this.#showDraft(draft)
  }

  #reset() {
    this.#rest()
    clearInterval(this.#tick)
    this.#voice?.stop()
    // A live message ends here, so its last version is sent as its final text.
    if (this.#live) this.#change(this.#live.content, this.#text.value.trim() || this.#live.content.text)
    this.#live = this.#voice = this.#quoted = this.#edited = this.#card = null
    this.#linked = ""
    this.#files = []
    this.#text.value = ""
    this.#await(null)
    this.#members.hide()
    this.#hideEmojis()
    this.#tell()
  }

  #rest() { clearTimeout(this.#timer); this.#timer = 0 }

  /** Empties the field when the profile is left, since another profile has other chats. */
  end() {
    if (this.#context) this.saveDraft()
    this.#reset()
    this.#context = undefined
  }

  reply(item) {
    this.#edited = null
    this.#await(null)
    this.#quoted = item
    this.#tell()
    this.#text.focus()
  }

  edit(item) { this.#beginEdit(item); this.#text.focus() }

  #beginEdit(item) {
    this.#reset()
    this.#edited = item
    this.#text.value = this.#sentText(item.meta.itemId) ?? item.content.msgContent.text ?? ""
    this.#tell()
  }

  /** Returns the text of the last edit of an item that the chat does not show yet; undefined if there is none. */
  #sentText(/** @type {number} */ id) {
    const { place, query } = this.#context
    const isEdit = entry => entry.method == "PATCH" && entry.itemId == id && entry.state != "refused"
    return app.outbox.list(app.userId, place, query).filter(isEdit).at(-1)?.text
  }

  /** The message or edit that was not sent, for `restore`; null for an empty field. */
  get unsent() {
    return this.#isEmpty || this.#awaited === newest ? null : {
      text: this.#text.value, itemId: this.#edited?.meta.itemId ?? this.#awaited ?? 0, item: this.#quoted,
      attachments: { voice: this.#voice, files: this.#files },
    }
  }

  /** Writes a command of a bot into the field. */
  insert(text) {
    // If the user may not write in the chat, this view is not in the page, and the command is ignored.
    if (!this.isConnected) return
    this.#await(null)
    this.#text.value = text
    this.#typed()
    this.#text.focus()
  }

  /** Whether files can be attached to the message now. */
  get takesFiles() { return this.isConnected && !this.#isChange && Boolean(this.#context?.allows.files) }

  /** Whether the text of the field replaces the text of an item. */
  get #isChange() { return Boolean(this.#live ?? this.#edited) || this.#awaited !== null }

  attach(files) {
    if (!this.takesFiles) return
    const fit = files.filter(file => file.size <= largestFile), taken = fit.slice(0, mostFiles - this.#files.length)
    if (fit.length < files.length) say(words.attaching.tooLarge(files.length - fit.length))
    if (taken.length < fit.length) say(words.attaching.tooMany(fit.length - taken.length))
    this.#files = [...this.#files, ...taken]
    this.#tell()
    if (hasKeyboard()) this.#text.focus()
  }

  async #record() {
    if (this.#voice || this.#isChange || this.#isAsking) return
    this.#isAsking = true
    const place = this.#context?.place, { users } = app
    try {
      const { record } = await loadRecorder()
      const voice = await record(() => this.#tell())
      if (!this.#isOf(place, users)) return voice.stop()
      this.#voice = voice
    } finally { this.#isAsking = false }
    this.#tick = setInterval(() => this.#tell(), 500)
    this.#tell()
  }

  /** Whether the view still shows the same chat of the same profile, after an asynchronous operation. */
  #isOf(place, users) { return this.#context?.place == place && app.users == users }

  /** The entries of the menu of special ways to send: later, as a live message, or as a disappearing message. */
  get #waysToSend() {
    const { allows, type, isChannel, query } = this.#context ?? {}
    if (!type || type == "local" || query || this.#isChange) return []
    const isText = !this.#files.length && !this.#voice
    return [
      !this.#voice && { name: words.later.send, run: () => this.#sendLater() },
      isText && !isChannel && { name: words.sendLive, run: () => this.send({ live: true }) },
      ...(allows.timedMessages
        ? Object.entries(words.timer).map(([ttl, name]) => ({
            name: words.disappearsIn(name),
            run: () => this.send({ ttl: Number(ttl) }),
          }))
        : []),
    ]
  }

  #choose(at) { menu({ at, label: words.sendWays, entries: this.#waysToSend }) }

  /** Asks for the time of the written message. The message stays in the field until the gateway has stored it. */
  #sendLater() {
    const written = this.#text.value.trim(), place = this.#context?.place, files = this.#files, { users } = app
    if (!written && !files.length) return
    const { body, parts } = this.#message(this.#content(written), {}), [chatType, chatId] = place.split("/")
    sendLater({ ...body, to: { chatType, chatId: Number(chatId) } }, parts, () => {
      if (!this.#isOf(place, users) || this.#text.value.trim() != written || this.#files != files) return
      this.#reset()
      this.saveDraft()
    })
  }

  /** Returns the content of a text message, with the preview of its link. */
  #content(/** @type {string} */ text) {
    const isCard = this.#card && text.includes(this.#linked)
    return { ...(isCard ? { type: "link", preview: this.#card } : { type: "text" }), text }
  }

  /**
   * Passes the written message to the outbox, and empties the field for the next message.
   * @param {{live?: boolean, ttl?: number}} [how] `live`: the message is sent while it is written; `ttl`: the message
   *   disappears after this number of seconds
   */
  send(how = {}) {
    const written = this.#text.value.trim(), isChange = this.#isChange
    if (!this.#context || this.#awaited !== null) return
    if (!written && (isChange || !this.#files.length && !this.#voice)) return
    if (isChange) this.#change(this.#live?.content ?? this.#edited.content.msgContent, written)
    else {
      const content = this.#content(written)
      const { id } = app.outbox.add(this.#message(content, how))
      if (how.live) {
        this.#live = { id, itemId: 0, content }
        this.#quoted = this.#card = null
        this.#typed()
        return
      }
    }
    this.#live = null
    this.#reset()
    this.saveDraft()
    this.#context.sent()
  }

  async #toggleEmojis() {
    if (!this.#picker.hidden) { this.#hideEmojis(); return this.#text.focus() }
    const { EmojiPicker } = await loadEmojiPicker()
    if (!this.isConnected) return
    this.#emojis ??= make(EmojiPicker).show(emoji => this.#insertEmoji(emoji), () => {
      this.#hideEmojis()
      this.#text.focus()
    })
    fill(this.#picker, this.#emojis)
    this.#picker.hidden = false
    this.#emoji.setAttribute("aria-expanded", "true")
    this.#emojis.open()
  }

  #hideEmojis() {
    this.#picker.hidden = true
    this.#emoji.setAttribute("aria-expanded", "false")
  }

  /** Writes an emoji at the caret. The list stays open for more emojis. */
  #insertEmoji(emoji) {
    const { selectionStart, selectionEnd } = this.#text
    this.#text.setRangeText(emoji, selectionStart, selectionEnd, "end")
    this.#typed()
  }

  #mentions(written) { return this.#context.isGroup ? mentionsIn(written) : {} }

  /** Passes a new text of an item to the outbox. Returns the entry of the outbox. */
  #change(content, written, live = false) {
    const { place, query } = this.#context, { id, itemId } = this.#live ?? { id: "", itemId: this.#edited.meta.itemId }
    const updatedMessage = { msgContent: { ...content, text: written }, mentions: this.#mentions(written) }
    return app.outbox.add({
      userId: app.userId, place, query, method: "PATCH", path: `/chats/${place}/messages/{item}${query}`,
      of: itemId ? "" : id, itemId, text: written, body: { updatedMessage, ...(live ? { live } : {}) },
    })
  }

  /** Makes the entry of the outbox for the written message. */
  #message(content, how) {
    const { place, query } = this.#context, quoted = this.#quoted, voice = this.#voice, files = this.#files
    const written = content.text, mentions = this.#mentions(written)
    /** @type {any[]} */
    const composedMessages = [], parts = []
    const attach = (name, make, more) => {
      parts.push({ at: composedMessages.length, name, make })
      composedMessages.push(more)
    }
    if (voice) attach(words.kind.voice, upload => voice.message(upload), { mentions: {} })
    for (const [index, file] of files.entries()) {
      // Only the last file has the text of the message, as in the apps.
      const isLast = index == files.length - 1, upload = async upload => {
        const { uploaded } = await loadAttaching()
        return uploaded(file, isLast ? written : "", upload)
      }
      attach(file.name, upload, { mentions: isLast ? mentions : {} })
    }
    if (written && !files.length) composedMessages.push({ msgContent: content, mentions })
    if (quoted) composedMessages[0].quotedItemId = quoted.meta.itemId
    return {
      userId: app.userId, place, query, method: "POST", parts, text: written, quoted: quoted && quoteOf(quoted),
      path: `/chats/${place}/messages${query}`,
      body: { composedMessages, ...how, ...(query ? {} : asGroup(app.chat(place)?.chatInfo)) },
      notes: [...voice ? [words.kind.voice] : [], ...files.map(({ name }) => `📎 ${name}`)],
      attachments: voice || files.length ? { voice, files } : null,
    }
  }

  /**
   * Puts a refused message into the field again, before the text that was written since then. The text of another edit
   * is dropped, because it belongs to another item. A refused edit waits for its item if the item is not loaded.
   */
  resume(entry) {
    takeBack(entry)
    this.restore(entry)
    this.#text.focus()
  }

  /** Puts a message into the field that the user has left without sending it. The rules are those of `resume`. */
  restore(entry) {
    if (this.#isChange) this.#reset()
    this.#edited = this.#loaded(entry.itemId)
    if (entry.itemId && !this.#edited) this.#await(entry.itemId)
    this.#quoted = this.#loaded(entry.quoted?.itemId) ?? entry.item ?? this.#quoted
    this.#voice ??= entry.attachments?.voice ?? null
    this.#files = [...entry.attachments?.files ?? [], ...this.#files]
    this.#text.value = resumed(entry, this.#text.value)
    this.#typed()
    this.itemsChanged()
  }

  /**
   * Stores the item id of a live message when the message was sent. If the message was refused, its text is continued
   * as an ordinary message.
   */
  outboxChanged() {
    if (!this.#live || this.#live.itemId) return
    const entry = app.outbox.find(this.#live.id)
    if (entry?.state == "sent") this.#live.itemId = entry.itemIds[0]
    else if (!entry || entry.state == "refused") { this.#live = null; this.#tell() }
  }

  /** Updates the notes above the field, and the height of the field. */
  #tell() {
    const voice = this.#voice, recorded = voice?.isStopped ? words.recorded : words.recording
    this.#recorded.textContent = voice && recorded(duration(voice.seconds))
    const about = this.#edited ?? this.#quoted
    // The time of a recording changes each second. The buttons are not replaced by this change, since the user may be
    // pressing one of them.
    const shown = [Boolean(this.#live), this.#edited, this.#awaited, this.#quoted, this.#card, voice]
    drawWith(this.#about, shown, () => this.#drawAbout(about))
    drawWith(this.#tray, [this.#files], () => this.#drawTray())
    this.#offer()
    this.#text.style.height = "auto"
    this.#text.style.height = `${Math.min(this.#text.scrollHeight, innerHeight / 3)}px`
  }

  /** Shows the text of another device that the text in the field has replaced, until the user takes or closes it. */
  #drawOther() {
    const { id } = this.#context, written = replacedDraft(id)
    const end = () => { forgetReplaced(id); this.followDraft(); this.#text.focus() }
    const take = () => {
      const whole = `${this.#text.value}\n${written}`
      // While the edit waits for the newest message, the field does not have the text of this message yet. So the text
      // keeps the line break at its beginning.
      this.#text.value = this.#awaited === newest ? whole : whole.trim()
      this.#typed()
      end()
    }
    this.#other.className = written && "about"
    fill(this.#other, written && el("div", el("b", words.writtenElsewhere), " ", text(written),
      button(words.insertText, take, { kind: "plain" }), button(words.cancel, end, { icon: "close", kind: "plain" })))
  }

  #drawAbout(about) {
    const line = (name, remove, ...content) => [...content, button(name, remove, { icon: "close", kind: "plain" })]
    const part = (name, remove, ...content) => el("div", line(name, remove, ...content))
    const isShown = about || this.#awaited !== null
    fill(this.#subject, isShown && line(words.cancel, () => this.#cancel(),
      el("b", this.#isChange ? words.editing : words.replying), " ", about ? text(itemText(about)) : words.loading))
    fill(this.#about,
      this.#live && part(words.stop, () => { this.#reset(); this.#text.focus() },
        el("b", words.liveNow), " ", words.liveExplained),
      this.#subject,
      this.#card && part(words.removeCard, () => { this.#card = null; this.#tell() }, "🔗 ", text(this.#card.title)),
      this.#voice && part(words.stopRecording, () => { this.#reset(); this.#text.focus() }, "🎤 ", this.#recorded,
        this.#voice.level))
  }

  /** Shows previews of the attached files. */
  async #drawTray() {
    const { length } = this.#files
    set(this.#text, { placeholder: length ? words.attaching.caption : words.message })
    this.#tray.hidden = !length
    if (!length) return this.#tray.replaceChildren()
    // A view that is loaded already draws immediately, so that the focus moves to the next file.
    const shown = this.#attachments ??= make((await loadAttaching()).AttachmentsView)
    if (!this.#files.length) return
    shown.show(this.#files, file => {
      this.#files = this.#files.filter(other => other !== file)
      this.#tell()
      if (!this.#files.length) this.#text.focus()
    })
    fill(this.#tray, shown)
  }

  /** Shows the button for a recording while the field is empty, otherwise the button for special ways to send. */
  #offer() {
    const { allows } = this.#context ?? {}
    const isEmpty = !this.#text.value.trim() && !this.#files.length && !this.#voice
    const hadFocus = document.activeElement === this.#mic
    this.#mic.hidden = !isEmpty || !allows?.voice || !navigator.mediaDevices
    this.#ways.hidden = isEmpty || !this.#waysToSend.some(Boolean)
    if (hadFocus && this.#mic.hidden) this.#send.focus()
  }

  #cancel() {
    if (this.#isChange) this.#text.value = ""
    this.#quoted = this.#edited = null
    this.#await(null)
    this.#tell()
    this.#text.focus()
  }

  #typed() {
    this.#tell()
    if (this.#context.isGroup) {
      this.#members.update()
      this.#loadMembers()
    }
    if (this.#live) {
      this.#timer ||= setTimeout(() => this.#tellLive(), 3000)
      return
    }
    this.#rest()
    this.#timer = setTimeout(() => { this.saveDraft(); this.#link() }, 1500)
  }

  #tellLive() {
    const written = this.#text.value.trim(), told = app.outbox.find(this.#told)
    this.#timer = 0
    if (!this.#live || !written) return
    // If the last sent version of the live message still waits, the newest version is sent later: only one version
    // waits at a time.
    if (told && told.state != "sent") this.#timer = setTimeout(() => this.#tellLive(), 3000)
    else this.#told = this.#change(this.#live.content, written, true).id
  }

  membersChanged() {
    if (!this.#context?.isGroup || document.activeElement !== this.#text) return
    this.#members.update(true)
    this.#loadMembers()
  }

  /** Loads the members of a group for a mention. */
  #loadMembers() { if (this.#text.value.includes("@")) app.loadMembers().catch(() => {}) }

  /** Requests the preview of the first link in the text. */
  async #link() {
    const uri = /https?:\/\/[^\s<>"]*[^\s<>".,;:!?)'\]]/.exec(this.#text.value)?.[0] ?? ""
    if (!makesCards() || this.#isChange || uri == this.#linked) return
    this.#linked = uri
    this.#card = null
    this.#tell()
    if (!uri) return
    try {
      const { preview, picture } = await app.api.post(`${app.users}/link-preview`, { uri })
      const image = picture && await prepared(new Blob([fromBase64(picture.split(",")[1])]))
      if (uri == this.#linked) this.#card = { ...preview, image: image?.preview ?? "" }
      this.#tell()
    } catch (problem) { if (problem.code == "conflict") say(problem.message) }
  }

  #key(event) {
    // Safari sends the key that ends the composition of a character after the composition, with the key code 229. So
    // this key is ignored here.
    if (event.isComposing || event.keyCode == 229 || this.#members.key(event)) return
    const waits = this.#awaited !== null
    if (event.key == "Enter" && !event.shiftKey) { event.preventDefault(); this.send() }
    else if (event.key == "Escape" && (this.#quoted || this.#edited || waits)) {
      event.stopPropagation()
      event.preventDefault()
      this.#cancel()
    } else if (event.key == "ArrowUp" && this.#isEmpty && !this.#live && !waits) {
      event.preventDefault()
      this.#editNewest()
    }
  }

  get #isEmpty() { return !this.#text.value && !this.#files.length && !this.#voice }

  #paste(event) {
    const files = [...event.clipboardData?.files ?? []]
    if (files.length) { event.preventDefault(); this.attach(files) }
  }

  saveDraft() {
    if (this.#live) return
    this.#rest()
    // While the item of an edit is unknown, the text is not saved: it would become the draft of a new message.
    if (this.#awaited === newest) return
    const message = this.#text.value
    // An untouched text is not saved, since it would replace a newer draft of another page.
    if (!this.#context || this.#context.query || !app.mayWrite || !app.userId || this.#isUntouched) return
    const quoted = this.#quoted ? { quotedItemId: this.#quoted.meta.itemId } : {}
    const editingItemId = this.#edited?.meta.itemId ?? this.#awaited
    const draft = { message, ...quoted, ...(editingItemId ? { editingItemId } : {}) }
    const base = this.#known, { place, id } = this.#context
    this.#known = message ? draft : null
    // The saved draft may have a text of another device.
    saveDraft(place, id, this.#known, base, () => this.#context?.id == id && this.#isInUse)
      .then(() => this.followDraft())
  }
}
