// Where a message is written: its text, its files, what it answers or replaces. Drafts are the gateway's, so that other clients have them.
import { app, asGroup, button, duration, el, fill, fromBase64, make, menu, prepared, say, text, uploaded, View, words } from "./base.js"
import { GroupMentionsView, mentionsIn } from "./GroupMentionsView.js"
import { itemText } from "./MsgContentView.js"
import { record } from "./recorder.js"

const kept = "simplex-gateway.previews"
/** Whether the gateway is asked to read pages that are linked to: they learn its address then. */
export const makesCards = () => localStorage.getItem(kept) == "yes"
export const makeCards = isWanted => isWanted ? localStorage.setItem(kept, "yes") : localStorage.removeItem(kept)

export class ComposeView extends View {
  /** @type {any} The item that is answered. */ #quoted = null
  /** @type {any} The item whose text is replaced. */ #edited = null
  /** @type {any} The item that others read while it is written. */ #live = null
  /** @type {File[]} */ #files = []
  /** @type {any} What is, or was, recorded. */ #voice = null
  /** Whether the microphone is asked for. */ #isAsking = false
  /** @type {any} The card of the link in the text. */ #card = null
  /** The link that a card was asked for. */ #linked = ""
  #context
  #saved = ""
  #timer = 0
  #tick = 0
  #isSending = false
  /** The last change of an item: they come one after the other. @type {Promise<any>} */ #changed = Promise.resolve()

  #about = el("div.about")
  #text = el("textarea", {
    rows: 1, placeholder: words.message, label: words.message, dir: "auto", enterkeyhint: "send",
    on: { input: () => this.#typed(), keydown: event => this.#key(event), paste: event => this.#paste(event), blur: () => { this.#members.hide(); this.saveDraft() } },
  })
  #members = make(GroupMentionsView, this.#text)
  #chooser = el("input", { type: "file", multiple: true, hidden: true, on: { change: () => { this.attach([...this.#chooser.files]); this.#chooser.value = "" } } })
  #attach = button(words.attach, () => this.#chooser.click(), { icon: "attach", kind: "round plain" })
  #mic = button(words.record, () => this.#record(), { icon: "mic", kind: "round plain" })
  #ways = button(words.sendWays, event => this.#choose(event.currentTarget), { icon: "clock", kind: "round plain", "aria-haspopup": "menu" })
  #send = button(words.send, () => this.send(), { icon: "send", kind: "round primary" })

  draw(context) {
    const isOther = this.#context?.place != context.place
    if (isOther) {
      if (this.#context) this.saveDraft()
      this.#reset()
    }
    this.#context = context
    if (!this.firstChild) this.append(this.#members, this.#about, el("div.line", this.#attach, this.#chooser, this.#text, this.#mic, this.#ways, this.#send))
    this.#attach.hidden = !context.allows.files
    if (isOther) {
      const draft = app.model?.drafts[context.id]
      this.#text.value = this.#saved = draft?.message ?? ""
      const item = id => id && app.session.im.reversedChatItems.find(item => item.meta.itemId == id)
      this.#quoted = item(draft?.quotedItemId) ?? null
      this.#edited = item(draft?.editingItemId) ?? null
      this.#tell()
      if (matchMedia("(pointer: fine)").matches) this.#text.focus()
    }
    this.#offer()
    return undefined
  }

  #reset() {
    this.#rest()
    clearInterval(this.#tick)
    this.#voice?.stop()
    // What others have read so far is what was written.
    if (this.#live) this.#change(this.#live, this.#text.value.trim() || this.#live.content.msgContent.text).catch(() => {})
    this.#live = this.#voice = this.#quoted = this.#edited = this.#card = null
    this.#linked = ""
    this.#files = []
    this.#text.value = ""
    this.#members.hide()
    this.#tell()
  }

  #rest() { clearTimeout(this.#timer); this.#timer = 0 }

  /** The profile is left: nothing of this is of the next one. */
  end() {
    if (this.#context) this.saveDraft()
    this.#reset()
    this.#context = undefined
  }

  reply(item) { this.#edited = null; this.#quoted = item; this.#tell(); this.#text.focus() }

  edit(item) {
    this.#reset()
    this.#edited = item
    this.#text.value = item.content.msgContent.text ?? ""
    this.#tell()
    this.#text.focus()
  }

  /** What a bot is told, to be sent. */
  insert(text) {
    // Where nothing can be written, this is not shown.
    if (!this.isConnected) return
    this.#text.value = text
    this.#typed()
    this.#text.focus()
  }

  attach(files) {
    if (this.#edited || this.#live || !this.#context?.allows.files) return
    const fit = files.filter(file => file.size <= 1_073_741_824)
    if (fit.length < files.length) say(words.fileTooLarge)
    this.#files = [...this.#files, ...fit].slice(0, 10)
    this.#tell()
  }

  async #record() {
    if (this.#voice || this.#edited || this.#live || this.#isAsking) return
    this.#isAsking = true
    const place = this.#context?.place, { users } = app
    try {
      const voice = await record(() => this.send())
      if (!this.#isOf(place, users)) return voice.stop()
      this.#voice = voice
    } finally { this.#isAsking = false }
    this.#tick = setInterval(() => this.#tell(), 500)
    this.#tell()
  }

  /** Whether this is still for the same chat, after some waiting. */
  #isOf(place, users) { return this.#context?.place == place && app.users == users }

  /** Other ways to send than at once and for ever. */
  #choose(at) {
    const { allows, isChannel } = this.#context, isAlone = !this.#edited && !this.#live
    menu({ at, label: words.sendWays, entries: [
      !isChannel && isAlone && !this.#files.length && !this.#voice && { name: words.sendLive, run: () => this.send({ live: true }) },
      ...(allows.timedMessages && isAlone ? Object.entries(words.timer).map(([ttl, name]) => ({ name: words.disappearsIn(name), run: () => this.send({ ttl: Number(ttl) }) })) : []),
    ] })
  }

  /** @param {{live?: boolean, ttl?: number}} [how] `live` goes on being written, `ttl` are the seconds after which it disappears */
  async send(how = {}) {
    const before = this.#text.value, written = before.trim(), files = this.#files, place = this.#context?.place, { users } = app, changed = this.#live ?? this.#edited
    if (this.#isSending || !place || (!written && !files.length && !this.#voice)) return
    this.#isSending = this.#send.disabled = true
    try {
      if (changed) await this.#change(changed, written)
      else {
        const [first] = await this.#post(written, files, place, users, how)
        if (how.live && this.#isOf(place, users)) {
          this.#live = first.chatItem
          this.#quoted = this.#card = null
          this.#typed()
          return
        }
      }
      if (!this.#isOf(place, users)) return
      this.#live = null
      // What was written and chosen meanwhile is of the next message.
      const rest = this.#files.filter(file => !files.includes(file)), now = this.#text.value
      this.#reset()
      this.#files = rest
      this.#text.value = now == before ? "" : now
      this.#tell()
      this.saveDraft()
      this.#context.sent()
    } catch (error) {
      // What was written stays, to be sent again.
      say(error.message)
    } finally { this.#isSending = this.#send.disabled = false }
  }

  #mentions(written) { return this.#context.isGroup ? mentionsIn(written) : {} }

  /** Another text of an item. */
  #change(item, written, live = false) {
    const path = `${app.users}/chats/${this.#context.place}/items/${item.meta.itemId}`
    const body = { updatedMessage: { msgContent: { ...item.content.msgContent, text: written }, mentions: this.#mentions(written) }, ...(live ? { live } : {}) }
    return this.#changed = this.#changed.catch(() => {}).then(() => app.api.patch(path, body))
  }

  /** To the chat and the profile that it was written in, whatever is opened while files go up. Answers the new items. */
  async #post(written, files, place, users, how) {
    /** @type {any[]} */
    const messages = [], mentions = this.#mentions(written), more = { ...how, ...asGroup(app.chat(place)?.chatInfo) }
    const upload = (name, body) => app.upload(name, body, users), quotedItemId = this.#quoted?.meta.itemId
    // It stays until it is sent.
    if (this.#voice) messages.push({ ...await this.#voice.message(upload), mentions: {} })
    for (const file of files) {
      this.#tell(words.uploading(file.name))
      messages.push({ ...await uploaded(file, files.length == 1 ? written : "", upload), mentions })
    }
    const content = this.#card && written.includes(this.#linked) ? { type: "link", preview: this.#card } : { type: "text" }
    if (written && files.length != 1) messages.push({ msgContent: { ...content, text: written }, mentions })
    if (quotedItemId) messages[0].quotedItemId = quotedItemId
    const [type, id] = place.split("/")
    return (await app.api.post(users + (type == "local" ? `/notes/${id}/items` : `/chats/${place}/messages`), { composedMessages: messages, ...more })).chatItems
  }

  /** What is above the text, and how high the text is. */
  #tell(progress = this.#voice && (this.#voice.isStopped ? words.recorded : words.recording)(duration(this.#voice.seconds))) {
    const part = (name, remove, ...content) => el("div", ...content, button(name, remove, { icon: "close", kind: "plain" }))
    const about = this.#edited ?? this.#quoted
    fill(this.#about, this.#live && part(words.stop, () => { this.#reset(); this.#text.focus() }, el("b", words.liveNow), " ", words.liveExplained),
      about && part(words.cancel, () => this.#cancel(), el("b", this.#edited ? words.editing : words.replying), " ", text(itemText(about))),
      this.#files.map(file => part(words.removeFile(file.name), () => { this.#files = this.#files.filter(other => other !== file); this.#tell() }, "📎 ", text(file.name))),
      this.#card && part(words.removeCard, () => { this.#card = null; this.#tell() }, "🔗 ", text(this.#card.title)),
      progress && (this.#voice ? part(words.stopRecording, () => { this.#reset(); this.#text.focus() }, "🎤 ", text(progress)) : el("div", { role: "status" }, progress)))
    this.#offer()
    this.#text.style.height = "auto"
    this.#text.style.height = `${Math.min(this.#text.scrollHeight, innerHeight / 3)}px`
  }

  /** What there is to press: where nothing is written something can be recorded, and else there is more than one way to send it. */
  #offer() {
    const { allows, type, isChannel } = this.#context ?? {}, isEmpty = !this.#text.value.trim() && !this.#files.length && !this.#voice
    const hadFocus = document.activeElement === this.#mic
    this.#mic.hidden = !isEmpty || !allows?.voice || !navigator.mediaDevices
    this.#ways.hidden = isEmpty || type == "local" || isChannel && !allows.timedMessages
    if (hadFocus && this.#mic.hidden) this.#send.focus()
  }

  #cancel() {
    if (this.#edited) this.#text.value = ""
    this.#quoted = this.#edited = null
    this.#tell()
    this.#text.focus()
  }

  #typed() {
    this.#tell()
    if (this.#context.isGroup) {
      this.#members.update()
      if (this.#text.value.includes("@") && !app.session?.membersLoaded) app.loadMembers().catch(() => {})
    }
    if (this.#live) {
      this.#timer ||= setTimeout(() => this.#tellLive(), 3000)
      return
    }
    this.#rest()
    this.#timer = setTimeout(() => { this.saveDraft(); this.#link() }, 1500)
  }

  #tellLive() {
    const written = this.#text.value.trim()
    this.#timer = 0
    if (this.#live && written) this.#change(this.#live, written, true).catch(() => {})
  }

  membersChanged() { if (this.#context?.isGroup && document.activeElement === this.#text) this.#members.update() }

  /** The card of the first link in the text. */
  async #link() {
    const uri = /https?:\/\/[^\s<>"]*[^\s<>".,;:!?)'\]]/.exec(this.#text.value)?.[0] ?? ""
    if (!makesCards() || this.#edited || uri == this.#linked) return
    this.#linked = uri
    this.#card = null
    this.#tell()
    if (!uri) return
    try {
      const { preview, picture } = await app.api.open(`${app.users}/link-preview`, { uri })
      const image = picture && await prepared(new Blob([fromBase64(picture.split(",")[1])]))
      if (uri == this.#linked) this.#card = { ...preview, image: image?.preview ?? "" }
      this.#tell()
    } catch (problem) { if (problem.code == "conflict") say(problem.message) }
  }

  #key(event) {
    if (event.isComposing || this.#members.key(event)) return
    if (event.key == "Enter" && !event.shiftKey) { event.preventDefault(); this.send() }
    else if (event.key == "Escape" && (this.#quoted || this.#edited)) { event.stopPropagation(); this.#cancel() }
    else if (event.key == "ArrowUp" && !this.#text.value) {
      const last = app.session.im.reversedChatItems.find(item => item.meta.editable && item.content.type == "sndMsgContent" && !item.meta.itemDeleted)
      if (last) { event.preventDefault(); this.edit(last) }
    }
  }

  #paste(event) {
    const files = [...event.clipboardData?.files ?? []]
    if (files.length) { event.preventDefault(); this.attach(files) }
  }

  saveDraft() {
    if (this.#live) return
    this.#rest()
    const message = this.#text.value
    if (!this.#context || !app.mayWrite || message == this.#saved || !app.userId) return
    this.#saved = message
    const path = `/model/drafts/${this.#context.place}`
    const draft = { message, ...(this.#quoted ? { quotedItemId: this.#quoted.meta.itemId } : {}), ...(this.#edited ? { editingItemId: this.#edited.meta.itemId } : {}) };
    (message ? app.put(path, draft) : app.delete(path)).catch(() => { this.#saved = "" })
  }
}
