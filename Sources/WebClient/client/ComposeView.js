// Where a message is written: its text, its files, what it answers or replaces. Drafts are the gateway's, so that other clients have them.
import { View, define, el, button, text } from "./dom.js"
import { app } from "./app.js"
import { words } from "./words.js"
import { say } from "./dialogs.js"
import { uploaded } from "./files.js"
import { itemText } from "./MsgContentView.js"

export class ComposeView extends View {
  /** @type {any} The item that is answered. */ #quoted = null
  /** @type {any} The item whose text is replaced. */ #edited = null
  /** @type {File[]} */ #files = []
  #context
  #saved = ""
  #timer = 0
  #isSending = false

  #about = el("div", { class: "about" })
  #text = el("textarea", {
    rows: 1, placeholder: words.message, "aria-label": words.message, dir: "auto", enterkeyhint: "send",
    on: { input: () => this.#typed(), keydown: event => this.#key(event), paste: event => this.#paste(event), blur: () => this.saveDraft() },
  })
  #choose = el("input", { type: "file", multiple: true, hidden: true, on: { change: () => { this.attach([...this.#choose.files]); this.#choose.value = "" } } })
  #attach = button(words.attach, () => this.#choose.click(), { icon: "attach", kind: "round plain" })
  #send = button(words.send, () => this.send(), { icon: "send", kind: "round primary" })

  /** @param {any} context of the open chat */
  draw(context) {
    const isOther = this.#context?.place != context.place
    if (isOther) {
      if (this.#context) this.saveDraft()
      clearTimeout(this.#timer)
      this.#quoted = this.#edited = null
      this.#files = []
    }
    this.#context = context
    if (!this.firstChild) this.append(this.#about, el("div", { class: "line" }, this.#attach, this.#choose, this.#text, this.#send))
    this.#attach.hidden = !context.allows.files
    if (isOther) {
      const draft = app.model?.drafts[context.id]
      this.#text.value = this.#saved = draft?.message ?? ""
      const item = id => id && app.session.im.reversedChatItems.find(item => item.meta.itemId == id)
      this.#quoted = item(draft?.quotedItemId) ?? null
      this.#edited = item(draft?.editingItemId) ?? null
      this.#size()
      this.#tell()
      if (matchMedia("(pointer: fine)").matches) this.#text.focus()
    }
    return undefined
  }

  reply(item) { this.#edited = null; this.#quoted = item; this.#tell(); this.#text.focus() }

  edit(item) {
    this.#quoted = null
    this.#edited = item
    this.#files = []
    this.#text.value = item.content.msgContent.text ?? ""
    this.#size()
    this.#tell()
    this.#text.focus()
  }

  /** @param {File[]} files */
  attach(files) {
    if (this.#edited || !this.#context?.allows.files) return
    const fit = files.filter(file => file.size <= 1_073_741_824)
    if (fit.length < files.length) say(words.fileTooLarge)
    this.#files = [...this.#files, ...fit].slice(0, 10)
    this.#tell()
  }

  async send() {
    const written = this.#text.value.trim(), place = this.#context.place
    if (this.#isSending || (!written && !this.#files.length)) return
    this.#isSending = true
    this.#send.disabled = true
    try {
      if (this.#edited) {
        const content = { ...this.#edited.content.msgContent, text: written }
        await app.api.patch(`${app.chatPath}/items/${this.#edited.meta.itemId}`, { updatedMessage: { msgContent: content, mentions: {} } })
      } else {
        await this.#post(written, place)
      }
      if (this.#context.place != place) return
      this.#text.value = ""
      this.#quoted = this.#edited = null
      this.#files = []
      this.#size()
      this.#tell()
      this.saveDraft()
      this.#context.sent()
    } catch (error) {
      // What was written stays, to be sent again.
      say(error.message)
    } finally {
      this.#isSending = false
      this.#send.disabled = false
    }
  }

  async #post(written, place) {
    const quotedItemId = this.#quoted?.meta.itemId
    /** @type {any[]} */
    const messages = []
    for (const file of this.#files) {
      this.#tell(words.uploading(file.name))
      messages.push({ ...await uploaded(file, messages.length == 0 && this.#files.length == 1 ? written : ""), mentions: {} })
    }
    if (messages.length != 1 && written) messages.push({ msgContent: { type: "text", text: written }, mentions: {} })
    if (quotedItemId) messages[0].quotedItemId = quotedItemId
    const [type, id] = place.split("/")
    await app.api.post(type == "local" ? `${app.users}/notes/${id}/items` : `${app.users}/chats/${place}/messages`, { composedMessages: messages })
  }

  #tell(progress) {
    const about = this.#edited ?? this.#quoted
    const cancel = () => { if (this.#edited) this.#text.value = ""; this.#quoted = this.#edited = null; this.#size(); this.#tell(); this.#text.focus() }
    const parts = []
    if (about) parts.push(el("div", null, el("b", null, this.#edited ? words.editing : words.replying), " ", text(itemText(about)), button(words.cancel, cancel, { icon: "close", kind: "plain" })))
    for (const file of this.#files) parts.push(el("div", null, "📎 ", text(file.name), button(words.removeFile(file.name), () => { this.#files = this.#files.filter(other => other !== file); this.#tell() }, { icon: "close", kind: "plain" })))
    if (progress) parts.push(el("div", { role: "status" }, progress))
    this.#about.replaceChildren(...parts)
  }

  #size() {
    this.#text.style.height = "auto"
    this.#text.style.height = `${Math.min(this.#text.scrollHeight, innerHeight / 3)}px`
  }

  #typed() {
    this.#size()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.saveDraft(), 1500)
  }

  #key(event) {
    if (event.isComposing) return
    if (event.key == "Enter" && !event.shiftKey) { event.preventDefault(); this.send() }
    else if (event.key == "Escape" && (this.#quoted || this.#edited)) {
      event.stopPropagation()
      if (this.#edited) this.#text.value = ""
      this.#quoted = this.#edited = null
      this.#size()
      this.#tell()
    } else if (event.key == "ArrowUp" && !this.#text.value) {
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
    const path = `${app.users}/model/drafts/${this.#context.place}`
    const draft = { message, ...(this.#quoted ? { quotedItemId: this.#quoted.meta.itemId } : {}), ...(this.#edited ? { editingItemId: this.#edited.meta.itemId } : {}) };
    (message ? app.api.put(path, draft) : app.api.delete(path)).catch(() => { this.#saved = "" })
  }
}
define("compose-view", ComposeView)
