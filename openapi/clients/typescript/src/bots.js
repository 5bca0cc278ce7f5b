// Bots with commands, menus in the apps, conversations that survive restarts, limits, broadcasts and admin commands.
import { Contact, Group, Message, User } from "./objects.js"
import { ChatError, Conflict, GatewayError, NotFound, SendFailed } from "./problems.js"
import { isPassing, pause } from "./requests.js"

const adminRoles = ["moderator", "admin", "owner"]
// The time in milliseconds within which an event can be repeated. The gateway keeps idempotency keys for a day.
const repeats = 2 * 86_400_000

/** @typedef {(turn: Turn) => unknown} Action */
/** @typedef {import("./contract.js").Event} Event */
/** @typedef {import("./objects.js").Chat} Chat */
/** @typedef {import("./sockets.js").Entry} Entry */
/** @typedef {{value: any, expires?: number}} Kept */
/**
 * @typedef {{
 *   action: Action, label: string, params?: string, menu?: string, admin: boolean,
 * }} Command
 */

/** The state of a bot: JSON values in a file (Node and Deno). A crash leaves the old or the new state. */
export class Store {
  /** @param {string} path */
  constructor(path) {
    this.path = path
    /** @type {Record<string, Kept>} */
    this.values = {}
    /** @type {Record<string, number>} Names of handled events, with their times. */
    this.handled = {}
    this.secret = ""
    /** @type {Promise<void>} */
    this.saving = Promise.resolve()
  }

  /** Reads the file, or creates it. */
  async open() {
    const { readFile } = await files()
    let text = ""
    try { text = await readFile(this.path, "utf8") } catch (error) {
      if (/** @type {any} */ (error).code != "ENOENT") throw error
    }
    try {
      const begin = { secret: crypto.randomUUID(), values: {}, handled: {} }
      const { secret, values, handled } = text ? JSON.parse(text) : begin
      if (typeof secret != "string" || !values || !handled) throw new TypeError("A member is absent.")
      Object.assign(this, { secret, values, handled })
    } catch (cause) {
      throw new Error(`${this.path} is not the state of a bot: move it away to begin again.`, { cause })
    }
    await this.save({})
  }

  /** @param {string} key @param {number} [now] */
  get(key, now = Date.now()) {
    const kept = Object.hasOwn(this.values, key) ? this.values[key] : undefined
    return kept && (kept.expires ?? Infinity) > now ? structuredClone(kept.value) : undefined
  }

  /** @param {string} prefix */
  keys(prefix) { return Object.keys(this.values).filter(key => key.startsWith(prefix)).sort() }

  /**
   * Saves a value, for some seconds or for ever; `undefined` deletes it.
   * @param {string} key @param {any} value @param {{seconds?: number}} options
   */
  set(key, value, { seconds } = {}) {
    return this.save({ [key]: { value, expires: seconds && Date.now() + seconds * 1000 } })
  }

  /**
   * Saves changes together with the name of their event. A crash leaves all of them or none.
   * @param {Record<string, Kept>} changes @param {string} [event]
   */
  async save(changes, event) {
    const before = this.saving
    this.saving = (async () => {
      await before.catch(() => {})
      const values = { ...this.values, ...changes }
      const handled = { ...this.handled, ...event && { [event]: Date.now() } }
      const past = Date.now() - repeats
      for (const [key, { value, expires = Infinity }] of Object.entries(values))
        if (value === undefined || expires < past) delete values[key]
      for (const [name, time] of Object.entries(handled)) if (time < past) delete handled[name]
      const { open, rename } = await files(), part = `${this.path}.part`
      const file = await open(part, "w")
      try {
        await file.writeFile(JSON.stringify({ secret: this.secret, values, handled }))
        await file.sync()
      } finally { await file.close() }
      await rename(part, this.path)
      Object.assign(this, { values, handled })
    })()
    await this.saving
  }
}

const files = () => import(/** @type {string} */ ("node:fs/promises"))

/** A message or event that a bot handles. The changes of the state are saved together when the handler has ended. */
export class Turn {
  /**
   * @param {Bot} bot @param {string} key @param {Message | Entry} subject @param {number} seed
   * @param {Chat} [chat] the chat of an event
   */
  constructor(bot, key, subject, seed, chat) {
    const message = subject instanceof Message ? subject : undefined
    const { event, createdAt } = subject instanceof Message
      ? { event: undefined, createdAt: subject.data.meta.createdAt } : subject
    this.bot = bot
    this.key = key
    /** The message; absent in the turn of an event. */
    this.message = /** @type {Message} */ (message)
    /** The event; absent in the turn of a message. */
    this.event = event
    /** The chat; absent for an event without a chat. */
    this.chat = /** @type {Chat} */ (message?.chat ?? chat)
    this.member = message ? /** @type {any} */ (message.data.chatDir).groupMember : event?.member
    this.text = message?.text.trim() ?? ""
    this.arguments = ""
    /**
     * The time of the message or event, which is the same in a repetition, so that the handler makes the same
     * decisions.
     */
    this.time = createdAt ? Date.parse(createdAt) : Date.now()
    /** The name under which the state keeps values of the sender, who is a contact or a member. */
    this.sender = (this.chat?.ref ?? "gateway") + (this.member ? `/${this.member.groupMemberId}` : "")
    this.seed = seed
    /** @type {Record<string, Kept>} */
    this.changes = {}
    /** @type {Record<string, any>} */
    this.state = this.get(`talk/${this.sender}`) ?? {}
  }

  /** Returns a random number from 0 to 1. A repetition gets the same numbers. */
  random() {
    this.seed = this.seed + 0x6d2b79f5 | 0
    let mixed = Math.imul(this.seed ^ this.seed >>> 15, 1 | this.seed)
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32
  }

  /** @param {string} key */
  get(key) {
    if (!Object.hasOwn(this.changes, key)) return this.bot.store.get(key, this.time)
    const { value, expires = Infinity } = this.changes[key]
    return expires > this.time ? value : undefined
  }

  /**
   * Changes a value of the bot's state, for some seconds or for ever; `undefined` deletes it.
   * @param {string} key @param {any} value @param {{seconds?: number}} options
   */
  set(key, value, { seconds } = {}) {
    this.changes[key] = { value, expires: seconds && this.time + seconds * 1000 }
  }

  /**
   * Answers in the chat of the message or event.
   * @param {string} text @param {import("./objects.js").SendOptions} [options]
   */
  reply(text, options) {
    if (!this.chat) throw new RangeError(`The event ${this.key} has no chat.`)
    return this.chat.send(text, options)
  }

  /**
   * Sends a question to the sender. The sender's next message that is not a command goes to the step. `state` is kept
   * until then.
   * @param {string} text @param {string} step the name of the step
   */
  async ask(text, step) {
    if (!this.bot.steps.has(step)) throw new RangeError(`The bot has no step ${step}.`)
    this.state.step = step
    await this.reply(text)
  }

  /**
   * Counts this message of the sender. Returns the number of the sender's messages above `count` within `seconds`, or
   * 0.
   * @param {number} count @param {number} seconds
   */
  exceeds(count, seconds, name = "limit") {
    const key = `${name}/${this.sender}`, [begin, found] = this.get(key) ?? [this.time, 0]
    this.changes[key] = { value: [begin, found + 1], expires: begin + seconds * 1000 }
    return Math.max(0, found + 1 - count)
  }

  /**
   * Sends a text once to each contact and business chat, in the background, and then reports the result in this group.
   * @param {string} text
   */
  broadcast(text) {
    const group = this.chat instanceof Group ? this.chat.id : undefined
    this.set(`broadcast/${this.key}`, { text, after: "", sent: 0, failed: 0, group })
  }

  save() {
    const talk = Object.keys(this.state).length ? this.state : undefined
    return this.bot.store.save({ ...this.changes, [`talk/${this.sender}`]: { value: talk } }, this.key)
  }
}

/** A bot of one profile: the profile of the key, or `user`. */
export class Bot {
  /**
   * @param {import("./gateway.js").Gateway} gateway @param {string} state the path of the state
   * @param {{user?: string | number, admins?: string | number, limit?: [number, number] | null}} options `limit`: the
   *   number of messages that a sender may write in a number of seconds; `admins`: the group for admin commands, which
   *   otherwise work for moderators, admins and owners of each group
   */
  constructor(gateway, state, { user, admins, limit = [20, 60] } = {}) {
    this.gateway = gateway
    this.store = new Store(state)
    this.limit = limit
    this.names = { user, admins }
    /** @type {Map<string, Command>} */
    this.commands = new Map()
    /** @type {Map<string, Action>} */
    this.steps = new Map()
    /** @type {Action[]} */
    this.guards = []
    /** @type {[type: Event["type"], action: (turn: Turn, event: any) => unknown][]} */
    this.events = []
    /** @type {(() => unknown)[]} */
    this.beginnings = []
    /** @type {[seconds: number, job: () => unknown][]} */
    this.jobs = []
    /** @type {User | undefined} */
    this.user = undefined
    /** @type {Group | undefined} */
    this.admins = undefined
    /** @type {Action | undefined} */
    this.other = undefined
    /** @type {Action} */
    this.above = slowDown
  }

  /**
   * Adds a command, such as /order. With a label, the apps show the command in the given menu or at the top.
   * @param {string} keyword @param {{label?: string, params?: string, menu?: string, admin?: boolean}} options
   * @param {Action} action
   */
  command(keyword, { label = "", params, menu, admin = false }, action) {
    if (!/^\w+$/.test(keyword) || this.commands.has(keyword))
      throw new RangeError(`A command is one new word of letters, digits and _: ${keyword}`)
    this.commands.set(keyword, { action, label, params, menu, admin })
    return this
  }

  /**
   * Adds a step of a conversation. The state contains the name of the step, so a new name ends open conversations.
   * @param {string} name @param {Action} action
   */
  step(name, action) { this.steps.set(name, action); return this }
  /** Adds a function that gets each message first. If the function returns true, nothing else gets the message. */
  guard(/** @type {Action} */ action) { this.guards.push(action); return this }
  /** Sets the function for messages that are neither commands nor answers to a question. */
  otherwise(/** @type {Action} */ action) { this.other = action; return this }
  /** Sets the function for messages above the limit. */
  limited(/** @type {Action} */ action) { this.above = action; return this }

  /**
   * Adds a function for events of one type. The chat of its turn is the contact or the group of the event. Messages are
   * not passed to this function, but to commands, steps and the other functions.
   * @template {Exclude<Event["type"], "newChatItems">} Type
   * @param {Type} type @param {(turn: Turn, event: Extract<Event, {type: Type}>) => unknown} action
   */
  on(type, action) { this.events.push([type, action]); return this }

  /** Adds a function that runs at the start, before the first message. */
  started(/** @type {() => unknown} */ action) { this.beginnings.push(action); return this }

  /**
   * Adds a function that runs at the start, and then at intervals. Its requests to the gateway need `gateway.once`.
   * @param {number} seconds @param {() => unknown} job
   */
  every(seconds, job) { this.jobs.push([seconds, job]); return this }

  /** Returns the commands that the apps show. */
  menu() {
    /** @type {import("./contract.js").ChatBotCommand[]} */
    const found = []
    /** @type {Map<string | undefined, import("./contract.js").ChatBotCommand[]>} */
    const menus = new Map([[undefined, found]])
    for (const [keyword, { label, params, menu, admin }] of this.commands) {
      if (admin || !label) continue
      const commands = menus.get(menu) ?? []
      if (!menus.has(menu)) {
        menus.set(menu, commands)
        found.push({ type: "menu", label: menu ?? "", commands })
      }
      commands.push({ type: "command", keyword, label, ...params && { params } })
    }
    return found
  }

  /**
   * Sets the menu, and passes messages to the bot until the signal is aborted. The options are those of `Gateway.run`.
   * @param {import("./run.js").RunOptions} [options]
   */
  async run(options = {}) {
    await this.store.open()
    const user = this.user = await this.gateway.user(this.names.user)
    if (this.names.admins !== undefined) {
      this.admins = await user.group(this.names.admins)
      if ("businessChat" in this.admins.data)
        throw new RangeError(`${this.names.admins} is a chat with a customer, who has chosen this name.`)
    }
    const profile = /** @type {any} */ (user.data.profile), commands = this.menu()
    // The profile is sent to all contacts when it changes, so it is only set if it differs.
    if (profile.peerType != "bot" || !isSame(profile.preferences?.commands ?? [], commands))
      await this.gateway.call("updateUser", { userId: user.id }, {
        profile: { peerType: "bot", preferences: { commands } },
      })
    for (const action of this.beginnings) await action()
    this.gateway.on("newChatItems", { direction: "received", users: [user.id] }, message => this.handle(message))
    for (const [number, [type, action]] of this.events.entries())
      this.gateway.on(type, { users: [user.id] }, (_, entry) => this.handleEvent(entry, number, action))
    const ends = new AbortController(), broadcasts = this.sendBroadcasts(user, ends.signal)
    const jobs = this.jobs.map(([seconds, job]) => this.repeat(seconds, job, ends.signal))
    try { await this.gateway.run(options) } finally {
      ends.abort()
      await Promise.all([broadcasts, ...jobs])
    }
  }

  /** @param {number} seconds @param {() => unknown} job @param {AbortSignal} signal */
  async repeat(seconds, job, signal) {
    for (; !signal.aborted; await pause(seconds * 1000, signal))
      try { await job() } catch (error) { console.warn("A job has failed, and runs again later:", error) }
  }

  /** Whether the sender may use admin commands in this chat. */
  isAdmin(/** @type {Turn} */ { chat, member }) {
    return this.admins ? chat?.ref == this.admins.ref : adminRoles.includes(member?.memberRole)
  }

  /** Passes a message to the bot once. A repetition makes the same idempotency keys. */
  async handle(/** @type {Message} */ message) {
    const { user } = message.chat, key = `${user.gateway.work?.name}-${message.id}`
    if (Object.hasOwn(this.store.handled, key)) return
    const own = new User(user.gateway.once(key), user.data)
    const chat = message.chat instanceof Group
      ? Object.assign(new Group(own, message.chat.data), { scope: message.chat.scope })
      : message.chat instanceof Contact ? new Contact(own, message.chat.data) : message.chat
    const turn = new Turn(this, key, new Message(chat, message.data), await seedOf(`${this.store.secret} ${key}`))
    await this.finish(turn, () => this.dispatch(turn))
  }

  /**
   * Passes an event to a function of the bot once. A repetition makes the same idempotency keys.
   * @param {Entry} entry @param {number} number @param {(turn: Turn, event: any) => unknown} action
   */
  async handleEvent(entry, number, action) {
    const { secret, handled } = this.store, { event } = entry
    const key = `event-${await digest(`${secret} ${number} ${event.type} ${entry.id}`)}`
    if (Object.hasOwn(handled, key)) return
    const own = new User(this.gateway.once(key), /** @type {User} */ (this.user).data)
    const { groupInfo, contact } = event
    const chat = groupInfo ? new Group(own, groupInfo) : contact && new Contact(own, contact)
    const turn = new Turn(this, key, entry, await seedOf(`${secret} ${key}`), chat)
    await this.finish(turn, () => action(turn, event))
  }

  /**
   * Runs the action of a turn, and saves the changes of the state.
   * @param {Turn} turn @param {() => unknown} action
   */
  async finish(turn, action) {
    try { await action() } catch (error) {
      // A repetition would be refused too, for example because the contact has left. So the event counts as handled.
      const isRefused = [ChatError, Conflict, NotFound, SendFailed].some(type => error instanceof type)
      if (!isRefused || isPassing(/** @type {GatewayError} */ (error))) throw error
      console.warn(`${turn.key}: an effect is refused, and the rest is left out:`, error)
    }
    await turn.save()
  }

  async dispatch(/** @type {Turn} */ turn) {
    const isAdmin = this.isAdmin(turn)
    if (!isAdmin && this.limit && turn.exceeds(...this.limit)) return this.above(turn)
    for (const guard of this.guards) if (await guard(turn) === true) return
    const [, keyword = "", rest = ""] = /^\/(\w+)(?:\s+([\s\S]*))?$/.exec(turn.text) ?? []
    const command = this.commands.get(keyword), step = this.steps.get(turn.state.step)
    delete turn.state.step
    if (command && (isAdmin || !command.admin)) {
      turn.arguments = rest
      turn.state = {}
      await command.action(turn)
    } else if (step) {
      await step(turn)
      if (!turn.state.step) turn.state = {}
    } else await this.other?.(turn)
  }

  /** @param {User} user @param {AbortSignal} signal */
  async sendBroadcasts(user, signal) {
    for (; !signal.aborted; await pause(1000, signal)) {
      for (const key of this.store.keys("broadcast/")) {
        try { await this.sendBroadcast(user, key, signal) } catch (error) { console.warn("A broadcast waits:", error) }
      }
    }
  }

  /** @param {User} user @param {string} key @param {AbortSignal} signal */
  async sendBroadcast(user, key, signal) {
    const job = this.store.get(key), name = await digest(key), chats = []
    const own = (/** @type {string} */ part) => new User(this.gateway.once(`${name}-${part}`), user.data)
    for await (const chat of user.chats()) if (chat.ref > job.after && writesToBot(chat)) chats.push(chat)
    for (const { ref, kind, id } of chats.sort((one, other) => one.ref < other.ref ? -1 : 1)) {
      if (signal.aborted) return
      const chat = await own(ref).chat(kind == "group" ? { group: id } : { contact: id })
      try {
        await chat.send(job.text)
        job.sent++
      } catch (error) {
        if (!(error instanceof GatewayError) || isPassing(error)) throw error
        job.failed++
      }
      await this.store.set(key, { ...job, after: ref })
      job.after = ref
    }
    if (job.group !== undefined)
      await (await own("report").group(job.group)).send(`Sent to ${job.sent} chats, ${job.failed} failed.`)
    await this.store.set(key, undefined)
  }
}

const writesToBot = (/** @type {import("./objects.js").Chat} */ chat) =>
  chat instanceof Contact || chat instanceof Group && "businessChat" in chat.data

/** Informs the sender once about the limit. */
async function slowDown(/** @type {Turn} */ turn) {
  const key = `slow/${turn.sender}`
  if (turn.get(key)) return
  turn.set(key, true, { seconds: turn.bot.limit?.[1] })
  await turn.reply("You write too fast: wait a minute.")
}

/** @param {string} text */
async function digest(text) {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)))
  return [...bytes.slice(0, 16)].map(byte => byte.toString(16).padStart(2, "0")).join("")
}

const seedOf = async (/** @type {string} */ text) => parseInt((await digest(text)).slice(0, 8), 16) | 0

/** Whether two JSON values are equal, in any order of their members. */
const isSame = (/** @type {any} */ one, /** @type {any} */ other) => {
  const ordered = (/** @type {string} */ _, /** @type {any} */ value) => {
    if (!value || typeof value != "object" || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1))
  }
  return JSON.stringify(one, ordered) == JSON.stringify(other, ordered)
}
