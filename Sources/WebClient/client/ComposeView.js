// Where a message is written: its text, its files, what it answers or replaces. Drafts are the gateway's, so that other clients have them.
import { app, asGroup, button, duration, el, fill, fromBase64, memberName, prepared, say, text, uploaded, View, words } from "./base.js"
import { itemText } from "./MsgContentView.js"
import { record } from "./recorder.js"

const kept = "simplex-gateway.previews"
/** Whether the gateway is asked to read pages that are linked to: they learn its address then. */
export const makesCards = () => localStorage.getItem(kept) == "yes"
export const makeCards = isWanted => isWanted ? localStorage.setItem(kept, "yes") : localStorage.removeItem(kept)

export class ComposeView extends View {
  /** @type {any} The item that is answered. */ #quoted = null
  /** @type {any} The item whose text is replaced. */ #edited = null
  /** @type {File[]} */ #files = []
  /** @type {any} What is being recorded. */ #voice = null
  /** @type {any} The card of the link in the text. */ #card = null
  /** The link that a card was asked for. */ #linked = ""
  #context
  #saved = ""
  #timer = 0
  #tick = 0
  #isSending = false

  #about = el("div.about")
  #text = el("textarea", {
    rows: 1, placeholder: words.message, label: words.message, dir: "auto", enterkeyhint: "send",
    on: { input: () => this.#typed(), keydown: event => this.#key(event), paste: event => this.#paste(event), blur: () => this.saveDraft() },
  })
  #choose = el("input", { type: "file", multiple: true, hidden: true, on: { change: () => { this.attach([...this.#choose.files]); this.#choose.value = "" } } })
  #attach = button(words.attach, () => this.#choose.click(), { icon: "attach", kind: "round plain" })
  #mic = button(words.record, () => this.#record(), { icon: "mic", kind: "round plain" })
  #send = button(words.send, () => this.send(), { icon: "send", kind: "round primary" })

  draw(context) {
    const isOther = this.#context?.place != context.place
    if (isOther) {
      if (this.#context) this.saveDraft()
      this.#reset()
    }
    this.#context = context
    if (!this.firstChild) this.append(this.#about, el("div.line", this.#attach, this.#choose, this.#text, this.#mic, this.#send))
    this.#attach.hidden = !context.allows.files
    this.#mic.hidden = !context.allows.voice || !navigator.mediaDevices
    if (isOther) {
      const draft = app.model?.drafts[context.id]
      this.#text.value = this.#saved = draft?.message ?? ""
      const item = id => id && app.session.im.reversedChatItems.find(item => item.meta.itemId == id)
      this.#quoted = item(draft?.quotedItemId) ?? null
      this.#edited = item(draft?.editingItemId) ?? null
      this.#tell()
      if (matchMedia("(pointer: fine)").matches) this.#text.focus()
    }
    return undefined
  }

  #reset() {
    clearTimeout(this.#timer)
    clearInterval(this.#tick)
    this.#voice?.finish(false)
    this.#voice = this.#quoted = this.#edited = this.#card = null
    this.#linked = ""
    this.#files = []
    this.#text.value = ""
    this.#tell()
  }

  reply(item) { this.#edited = null; this.#quoted = item; this.#tell(); this.#text.focus() }

  edit(item) {
    this.#reset()
    this.#edited = item
    this.#text.value = item.content.msgContent.text ?? ""
    this.#tell()
    this.#text.focus()
  }

  attach(files) {
    if (this.#edited || !this.#context?.allows.files) return
    const fit = files.filter(file => file.size <= 1_073_741_824)
    if (fit.length < files.length) say(words.fileTooLarge)
    this.#files = [...this.#files, ...fit].slice(0, 10)
    this.#tell()
  }

  async #record() {
    if (this.#voice || this.#edited) return
    this.#voice = await record(() => this.send())
    this.#tick = setInterval(() => this.#tell(), 500)
    this.#tell()
  }

  async send() {
    const before = this.#text.value, written = before.trim(), files = this.#files, { place } = this.#context
    if (this.#isSending || (!written && !files.length && !this.#voice)) return
    this.#isSending = this.#send.disabled = true
    try {
      const mentions = this.#mentions(written)
      if (this.#edited) {
        const msgContent = { ...this.#edited.content.msgContent, text: written }
        await app.patch(`${app.chatPath}/items/${this.#edited.meta.itemId}`, { updatedMessage: { msgContent, mentions } })
      } else await this.#post(written, files, place, mentions)
      if (this.#context.place != place) return
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

  /** Members whose names are in the text after a @, three at most as in the apps. */
  #mentions(written) {
    const named = written.includes("@") && this.#context.isGroup ? app.members.filter(member => written.includes(`@${memberName(member)}`)) : []
    return Object.fromEntries(named.slice(0, 3).map(member => [memberName(member), member.groupMemberId]))
  }

  async #post(written, files, place, mentions) {
    /** @type {any[]} */
    const messages = []
    if (this.#voice) {
      clearInterval(this.#tick)
      const voice = this.#voice
      this.#voice = null
      messages.push({ ...await voice.finish(), mentions: {} })
    }
    for (const file of files) {
      this.#tell(words.uploading(file.name))
      messages.push({ ...await uploaded(file, files.length == 1 ? written : ""), mentions })
    }
    const content = this.#card && written.includes(this.#linked) ? { type: "link", preview: this.#card } : { type: "text" }
    if (written && files.length != 1) messages.push({ msgContent: { ...content, text: written }, mentions })
    if (this.#quoted) messages[0].quotedItemId = this.#quoted.meta.itemId
    const [type, id] = place.split("/")
    await app.post(type == "local" ? `/notes/${id}/items` : `/chats/${place}/messages`, { composedMessages: messages, ...asGroup(app.chat(place)?.chatInfo) })
  }

  /** What is above the text, and how high the text is. */
  #tell(progress = this.#voice && words.recording(duration(this.#voice.seconds))) {
    const part = (name, remove, ...content) => el("div", ...content, button(name, remove, { icon: "close", kind: "plain" }))
    const about = this.#edited ?? this.#quoted
    fill(this.#about, about && part(words.cancel, () => this.#cancel(), el("b", this.#edited ? words.editing : words.replying), " ", text(itemText(about))),
      this.#files.map(file => part(words.removeFile(file.name), () => { this.#files = this.#files.filter(other => other !== file); this.#tell() }, "📎 ", text(file.name))),
      this.#card && part(words.removeCard, () => { this.#card = null; this.#tell() }, "🔗 ", text(this.#card.title)),
      progress && (this.#voice ? part(words.stopRecording, () => { this.#reset(); this.#text.focus() }, "🎤 ", text(progress)) : el("div", { role: "status" }, progress)))
    this.#text.style.height = "auto"
    this.#text.style.height = `${Math.min(this.#text.scrollHeight, innerHeight / 3)}px`
  }

  #cancel() {
    if (this.#edited) this.#text.value = ""
    this.#quoted = this.#edited = null
    this.#tell()
    this.#text.focus()
  }

  #typed() {
    this.#tell()
    if (this.#context.isGroup && this.#text.value.includes("@")) app.loadMembers().catch(() => {})
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => { this.saveDraft(); this.#link() }, 1500)
  }

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
    if (event.isComposing) return
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
    clearTimeout(this.#timer)
    const message = this.#text.value
    if (!this.#context || !app.mayWrite || message == this.#saved || !app.userId) return
    this.#saved = message
    const path = `/model/drafts/${this.#context.place}`
    const draft = { message, ...(this.#quoted ? { quotedItemId: this.#quoted.meta.itemId } : {}), ...(this.#edited ? { editingItemId: this.#edited.meta.itemId } : {}) };
    (message ? app.put(path, draft) : app.delete(path)).catch(() => { this.#saved = "" })
  }
}
