// The state of the page: the key, the profile, the two documents that the gateway keeps for the page (the profile's
// model and the session), and the open chat.
import { Api } from "./api.js"
import { isOfBrowser, ofBrowsers } from "./browsers.js"
import { sharedLine } from "./documents.js"
import { follow, readModel } from "./follow.js"
import { forgetPictures } from "./pictures.js"
import { chatPlace } from "./chats.js"
import { KnownItems } from "./known.js"
import { Outbox } from "./outbox.js"
import { PendingChanges } from "./pending.js"
import { whenReleased } from "./press.js"
import { GatewayError } from "./problems.js"
import { isPassing, pause, random } from "./requests.js"
import { browserStorage, tabStorage } from "./storage.js"
import { browserClock } from "./time.js"
import { Vault } from "./vault.js"
import { words } from "./words.js"

const keyName = "simplex-gateway.key"
/** The first and the longest pause, in milliseconds, between two requests to open a chat. */
const firstPause = 500, longestPause = 15_000
/** Whether a session can open a place. */
const isChat = place => /^(direct|group|local)\//.test(place ?? "")

class App extends EventTarget {
  /** @type {Api} */ api = new Api("")
  /** @type {any} The rights of the key: its scopes, and the profile if the key is bound to one profile. */
  rights = { scopes: [] }
  userId = 0
  /** @type {any} The model of the profile, as the gateway keeps it, with the pending changes. */
  model = null
  /**
   * The session of this page, as the gateway keeps it, with the pending changes: the open chat with its items.
   * @type {any}
   */
  session = null
  sessionId = ""
  isOffline = false
  /** @type {string | null} The open chat, as in the address of the page: `direct/4`. */
  place = null
  /** The id of the item in the address of the page, until the item is shown. */
  goal = 0
  /** @type {Set<string | null>} The chats that are new and were not opened yet. */
  fresh = new Set()
  outbox = new Outbox({
    clock: browserClock,
    random,
    changed: refused => {
      if (refused) whenReleased(() => this.emit("outbox", refused))
      else this.#tellOutbox()
    },
  })
  pending = new PendingChanges({
    clock: browserClock,
    changed: names => { for (const name of names) this.#set(name, this.pending.applied(name)) },
    refused: problem => this.emit("refused", problem),
  })

  #known = new KnownItems()
  /** Whether an event for changes of the outbox is scheduled. */
  #tellsOutbox = false
  /** @type {{stop: () => void}[]} */ #followers = []
  /**
   * The chat that the present session has been asked to open. Each request has its own object.
   * @type {{place: string, around: number | undefined} | null}
   */
  #asked = null
  /** @type {number | undefined} The id of the item around which the chat will be opened. */
  #around
  /** Ends the pause before the next request to open a chat. */
  #askAgain = new AbortController()
  /**
   * The last request to open a chat. These requests are sent one after the other, so that the last chosen chat stays
   * open.
   * @type {Promise<any>}
   */
  #opening = Promise.resolve()

  get storedKey() { return tabStorage.getItem(keyName) ?? browserStorage.getItem(keyName) }
  get mayWrite() { return this.rights.scopes.includes("write") || this.rights.scopes.includes("admin") }
  get user() { return this.model?.currentUser }
  get users() { return `/v1/users/${this.userId}` }
  /** The path of this page's session, below the path of the profile. */
  get sessionPath() { return `/sessions/${this.sessionId}` }
  /** The path of the open chat, below that of the profile. */
  get chatPath() { return `/chats/${this.place}` }

  // Functions that send requests about the profile. Their paths are below the path of the profile.
  get = path => this.api.get(this.users + path)
  /** Returns the answer to a GET request; undefined for status 404. */
  find = path => this.get(path).catch(problem => { if (problem.status != 404) throw problem })
  put = (path, body) => this.api.put(this.users + path, body)
  patch = (path, body) => this.api.patch(this.users + path, body)
  post = (path, /** @type {any} */ body = undefined) => this.api.post(this.users + path, body)
  delete = path => this.api.delete(this.users + path)

  emit(name, /** @type {any} */ detail = undefined) { this.dispatchEvent(new CustomEvent(name, { detail })) }
  on(name, listener, /** @type {AbortSignal | undefined} */ signal = undefined) {
    this.addEventListener(name, listener, { signal })
  }

  async signIn(key, isKept = false) {
    const api = new Api(key)
    this.rights = await api.get("/v1/whoami")
    this.api = api
    api.refused = () => this.signOut(true)
    api.reached = isReached => this.setOffline(!isReached)
    const outlasts = tabStorage.setItem(keyName, key), stays = !isKept || browserStorage.setItem(keyName, key)
    if (!outlasts || !stays) this.emit("notKept")
    const { storeId, keyId } = this.rights
    await this.outbox.open({ storeId, keyId, api, vault: new Vault(key, tabStorage) })
  }

  /**
   * Signs in with the ticket of a link. The ticket works once: this browser gets a new key for it. The name of this key
   * contains the name of the browser, so that other devices can show it in their lists.
   */
  async claim(ticket, isKept = false, browser = "") {
    const api = new Api(ticket)
    try {
      const { keyId, name } = await api.get("/v1/whoami")
      const body = browser && name == ofBrowsers ? { name: `${name} (${browser})` } : {}
      await this.signIn((await api.post(`/v1/keys/${keyId}/rotate`, body)).key, isKept)
    } catch (error) { throw error.status == 401 ? new Error(words.linkUsed) : error }
  }

  /** @param {boolean} [isRefused] whether the gateway has refused the key */
  signOut(isRefused = false) {
    if (!this.api.key) return
    if (!isRefused) {
      if (isOfBrowser(this.rights.name ?? "")) this.api.delete(`/v1/keys/${this.rights.keyId}`).catch(() => {})
      else if (this.sessionId) this.delete(this.sessionPath).catch(() => {})
    }
    this.leaveProfile()
    this.outbox.close(!isRefused)
    this.api = new Api("")
    tabStorage.removeItem(keyName)
    browserStorage.removeItem(keyName)
    forgetPictures()
    if (location.hash) history.replaceState(null, "", location.pathname)
    this.emit("signedOut", isRefused)
  }

  leaveProfile() {
    this.emit("leave")
    for (const follower of this.#followers) follower.stop()
    this.#followers = []
    this.pending.clear()
    this.#known.clear()
    this.model = this.session = this.place = null
    this.fresh.clear()
    this.sessionId = ""
    this.#asked = null
    this.userId = 0
  }

  setOffline(isOffline) {
    if (this.isOffline == isOffline) return
    this.isOffline = isOffline
    if (!isOffline) { this.outbox.wake(); this.pending.wake(); this.#askAgain.abort() }
    this.emit("offline")
  }

  openProfile(userId) {
    this.leaveProfile()
    this.userId = userId
    const changed = (name, document) => this.#set(name, this.pending.shown(name, document))
    // Both documents use one WebSocket.
    const line = sharedLine()
    const followed = (name, read) => follow(this.api, {
      read, line, changed: document => changed(name, document), failed: problem => this.emit("failed", problem),
    })
    this.#followers = [
      followed("model", () => readModel(this.api, this.users)), followed("session", () => this.#readSession()),
    ]
  }

  #set(/** @type {string} */ name, document) {
    if (!document) return
    const left = name == "session" && chatPlace(this.session?.chatInfo)
    if (left && left != chatPlace(document.chatInfo)) this.#known.keep(left, this.session.im)
    this[name] = document
    // The page waits until the pointer is released, and the profile may have been left before that. Then no event is
    // emitted.
    whenReleased(() => { if (this[name]) this.emit(name) })
  }

  /** Emits one event for several changes of the outbox at the same time. */
  #tellOutbox() {
    if (this.#tellsOutbox) return
    this.#tellsOutbox = true
    queueMicrotask(() => {
      this.#tellsOutbox = false
      whenReleased(() => this.emit("outbox"))
    })
  }

  async #readSession() {
    let answer = null
    if (this.sessionId)
      answer = await this.get(this.sessionPath).catch(problem => {
        if (problem.status != 404) throw problem
      })
    if (!answer) {
      answer = await this.api.post(`${this.users}/sessions`)
      this.sessionId = answer.sessionId
      this.#asked = null
    }
    // A new session has no open chat, so the chat of this page is opened in it. If this request fails, the session is
    // shown without a chat meanwhile.
    const { place } = this
    if (place && isChat(place) && this.#asked?.place != place) {
      const asked = this.#asked = { place, around: this.goal || this.#around }
      try { answer = await this.#askForChat(asked) } catch (error) {
        if (!(error instanceof GatewayError)) throw error
        this.#askUntilAnswered(asked)
      }
    }
    return { id: answer.id, path: `${this.users + this.sessionPath}/changes`, document: answer.session }
  }

  /**
   * Requests that the session opens a chat. The session keeps at most 300 items, so that neither the session nor the
   * page grows.
   */
  #askForChat(/** @type {{place: string, around: number | undefined}} */ asked) {
    const [chatType, chatId] = asked.place.split("/"), { api } = this
    const path = `${this.users}${this.sessionPath}/chat`
    const ask = async () => {
      const body = { chatType, chatId: Number(chatId), around: asked.around, maxMessages: 300 }
      const answer = await api.put(path, body)
      if (this.#asked === asked) this.#around = undefined
      return answer
    }
    // A request that is never answered delays the next request only for three seconds.
    return this.#opening = Promise.race([this.#opening.catch(() => {}), pause(3000)]).then(ask)
  }

  /** Repeats a request to open a chat after temporary errors, until another chat is chosen. */
  async #askUntilAnswered(/** @type {{place: string, around: number | undefined}} */ asked) {
    for (let time = firstPause; this.#asked === asked; time = Math.min(2 * time, longestPause))
      try { return void await this.#askForChat(asked) } catch (error) {
        if (this.#asked !== asked) return
        // If the session has ended, its follower opens another one, which opens the chat.
        if (error.status == 404 && await this.#hasSessionEnded()) return
        // The user may have left the chat during that request.
        if (this.#asked !== asked) return
        // A refused request is not repeated: the user can choose the chat again.
        if (!(error instanceof GatewayError && isPassing(error))) throw error
        // The code `offline` is not reported, because the page already shows that the gateway cannot be reached.
        if (error.code != "offline") this.emit("failed", error)
        this.#askAgain = new AbortController()
        await pause(Math.max(error.retryAfter * 1000, time), this.#askAgain.signal)
      }
  }

  #hasSessionEnded() { return this.get(this.sessionPath).then(() => false, problem => problem.status == 404) }

  /** Opens a chat. Its items arrive as changes of the session. */
  async openChat(place, /** @type {number | undefined} */ around = undefined) {
    this.place = place
    this.#around = around
    this.fresh.delete(place)
    this.emit("place")
    if (!isChat(place) || !this.sessionId) { this.#asked = null; return }
    // If the chat was already requested and has not arrived yet, no second request is sent.
    if (this.#asked?.place == place && !around && !this.isOpen) return
    await this.#askUntilAnswered(this.#asked = { place, around })
  }

  /** Loads a page of the open chat into the session. */
  loadItems(side, itemId) { return this.post(`${this.sessionPath}/messages`, { [side]: Number(itemId), limit: 100 }) }

  /** The loaded members of the open group. */
  get members() { return ((this.isOpen && this.session.groupMembers) || []).map(entry => entry.wrapped ?? entry) }
  async loadMembers() { if (this.isOpen && !this.session.membersLoaded) await this.post(`${this.sessionPath}/members`) }

  /** Changes settings of a chat. Settings that are not in `change` keep their values. */
  setChat(place, change) {
    return this.patch(`/chats/${place}`, { settings: change })
  }

  /** Returns the entry of a chat in the chat list. */
  chat(place) { return place && this.model?.chats.find(chat => chatPlace(chat.chatInfo) == place) }

  /** Whether the open chat can be searched: it is in the chat list, and a session can open it. */
  get isSearchable() { return isChat(this.place) && Boolean(this.chat(this.place)) }

  /** Whether the session already shows the chat of `place`. */
  get isOpen() { return this.session?.chatInfo && chatPlace(this.session.chatInfo) == this.place }

  /** Returns the items of a chat that are known before the session shows the chat, the newest first. */
  knownItems(place) { return this.#known.list(place, this.chat(place)?.chatItems ?? []) }

  /** Returns the address of the page for a chat. */
  address(place) { return `#/${this.userId}${place ? `/${place}` : ""}` }
  /** Emits the event that asks the user whether to connect by a link in a message. */
  connect(link) { this.emit("connect", link) }
  go(place, itemId = 0) { location.hash = this.address(place) + (itemId ? `/${itemId}` : "") }
}

export const app = new App()
