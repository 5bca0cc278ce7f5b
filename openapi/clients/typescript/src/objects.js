// Profiles, chats, messages and files. The `data` of each object is its value in the contract.
import { states } from "./events.js"
import { chunks, upload } from "./files.js"
import { readModel } from "./follow.js"
import { chatPages, itemPages, itemsAround, pages } from "./pages.js"
import { Conflict, Forbidden, NotFound, problem, SendFailed, TimedOut } from "./problems.js"
import { pause } from "./requests.js"

const refused = ["sndErrorAuth", "sndError", "invalid"]

/** A profile of the gateway. */
export class User {
  /** @param {import("./gateway.js").Gateway} gateway @param {import("./contract.js").User} data */
  constructor(gateway, data) {
    this.gateway = gateway
    this.data = data
    this.id = data.userId
    this.name = data.localDisplayName
  }

  /**
   * Yields all contacts, page by page.
   * @param {{name?: string}} [filter]
   */
  async *contacts(filter = {}) {
    const found = pages(this.gateway, "listContacts", { userId: this.id, ...filter }, page => page.contacts)
    try { for await (const data of found) yield new Contact(this, data) } catch (error) {
      for (const chat of await this.chatsOfKey(error))
        if (chat instanceof Contact && (filter.name ?? chat.name) == chat.name) yield chat
    }
  }

  /**
   * Returns the contact with this name or id.
   * @param {string | number} name
   */
  async contact(name) {
    if (typeof name == "number")
      return new Contact(this, (await this.gateway.call("getContact", { userId: this.id, contactId: name })).contact)
    return only(this.contacts({ name }), `${this.name} has`, `contact with the name ${name}`)
  }

  /**
   * Yields all groups and channels, page by page.
   * @param {{search?: string}} [filter]
   */
  async *groups(filter = {}) {
    const found = pages(this.gateway, "listGroups", { userId: this.id, ...filter }, page => page.groups)
    try { for await (const data of found) yield new Group(this, data) } catch (error) {
      for (const chat of await this.chatsOfKey(error))
        if (chat instanceof Group && isNamed(chat, filter.search)) yield chat
    }
  }

  /**
   * Returns the group or channel with this name or id.
   * @param {string | number} name
   */
  async group(name) {
    if (typeof name == "number")
      return new Group(this, (await this.gateway.call("getGroup", { userId: this.id, groupId: name })).groupInfo)
    const found = kept(this.groups({ search: name }), group => group.name == name)
    return only(found, `${this.name} has`, `group with the name ${name}`)
  }

  /**
   * Yields the chats with contacts, groups and notes, the latest activity first.
   * @param {{unread?: boolean, search?: string}} [filter]
   */
  async *chats(filter = {}) {
    try {
      for await (const data of chatPages(this.gateway, this.id, { pendingConnections: false, ...filter })) {
        const chat = chatOf(this, data.chatInfo, data.chatStats)
        if (chat) yield chat
      }
    } catch (error) {
      for (const chat of await this.chatsOfKey(error))
        if (isNamed(chat, filter.search) && (chat.unread || !filter.unread)) yield chat
    }
  }

  /**
   * Returns the chats of a key that is limited to some chats, because it may not read lists. For another key, throws
   * the error of the list.
   * @param {unknown} error
   * @returns {Promise<Chat[]>}
   */
  async chatsOfKey(error) {
    const answers = error instanceof Forbidden ? await this.gateway.chatsOfKey() : []
    if (!answers.length) throw error
    const found = answers.map(({ chat }) => chatOf(this, chat.chatInfo, chat.chatStats))
    return /** @type {Chat[]} */ (found.filter(Boolean))
  }

  /**
   * Returns the chat of a reference such as `direct/4`, of `@bob` or `#team`, or of the name of a contact or a group. A
   * reference needs no scope `read`. Without this scope, the chat has no `data`, and can still send.
   * @param {string | {contact: string | number} | {group: string | number}} named
   * @returns {Promise<Chat>}
   */
  async chat(named) {
    if (typeof named != "string") return "contact" in named ? this.contact(named.contact) : this.group(named.group)
    const [, kind, id] = /^(direct|group|local)\/([1-9]\d*)$/.exec(named) ?? []
    if (kind == "local") return new Notes(this, /** @type {any} */ ({ noteFolderId: Number(id) }))
    if (kind) {
      const found = kind == "group" ? this.group(Number(id)) : this.contact(Number(id))
      return found.catch(error => {
        if (!(error instanceof Forbidden)) throw error
        return new Chat(this, kind == "group" ? "group" : "direct", Number(id), named)
      })
    }
    if (named.startsWith("#")) return this.group(named.slice(1))
    if (named.startsWith("@")) return this.contact(named.slice(1))
    for (const find of [() => this.contact(named), () => this.group(named)]) {
      try { return await find() } catch (error) { if (!(error instanceof NotFound)) throw error }
    }
    throw new NotFound(0, "notFound", { detail: `${this.name} has no contact and no group with the name ${named}.` })
  }

  /**
   * Sends a text to a contact by name.
   * @param {string | number} contact @param {string} text @param {SendOptions} [options]
   */
  async send(contact, text, options) { return (await this.contact(contact)).send(text, options) }

  /** Creates a link by which one person can connect once. */
  async invite({ incognito = false } = {}) {
    const answer = await this.gateway.call("createInvitation", { userId: this.id }, { incognito })
    return linkOf(answer.connLinkInvitation)
  }

  /**
   * Returns the address of the profile, a link by which anybody can connect. Creates the address if it is missing.
   * @param {{accept?: boolean, welcome?: string, business?: boolean}} options
   */
  async address({ accept = true, welcome, business = false } = {}) {
    const userId = this.id
    let link
    try { link = (await this.gateway.call("createAddress", { userId })).connLinkContact } catch (error) {
      if (!(error instanceof Conflict)) throw error
      link = (await this.gateway.call("getAddress", { userId })).contactLink.connLinkContact
    }
    await this.gateway.call("updateAddress", { userId }, {
      businessAddress: business, autoAccept: accept ? { acceptIncognito: false } : null,
      autoReply: welcome ? { type: "text", text: welcome } : null,
    })
    return linkOf(link)
  }

  /**
   * Yields the messages of all chats, the newest first.
   * @param {{search?: string}} [filter]
   */
  async *messages(filter = {}) {
    const newestFirst = (/** @type {any} */ { chatItems }) => [...chatItems].reverse()
    const parameters = { userId: this.id, limit: 100, ...filter }
    for await (const { chatInfo, chatItem } of pages(this.gateway, "listMessages", parameters, newestFirst)) {
      const chat = chatOf(this, chatInfo)
      if (chat) yield new Message(chat, chatItem)
    }
  }

  /**
   * Connects by an invitation or an address, and waits until the chat is connected. The chat with a business is a
   * group, which the business creates for each request to its address.
   * @param {string} link @param {{timeout?: number, incognito?: boolean}} options `timeout` in seconds
   * @returns {Promise<Contact | Group>}
   */
  async connect(link, { timeout = 60, incognito = false } = {}) {
    const since = await this.gateway.now()
    const answer = /** @type {any} */ (
      await this.gateway.call("createConnection", { userId: this.id }, { connLink: link, incognito })
    )
    if (answer.type == "contactAlreadyExists") return new Contact(this, answer.contact)
    const { pccConnId } = answer.connection
    const event = await this.gateway.waitFor(["contactConnected", "userJoinedGroup"], {
      user: this, since, timeout,
      where: ({ contact, hostMember }) => (contact ?? hostMember).activeConn?.connId == pccConnId,
    })
    return event.contact ? new Contact(this, event.contact) : new Group(this, event.groupInfo)
  }

  /**
   * Joins the group or channel of a link, and waits until the user is a member.
   * @param {string} link @param {{timeout?: number}} options `timeout` in seconds
   * @returns {Promise<Group>}
   */
  async join(link, { timeout = 60 } = {}) {
    const { gateway, id: userId } = this
    const { connLink, connectionPlan } = await gateway.call("planConnection", { userId }, { connLink: link })
    const { type, groupLinkPlan: plan } = /** @type {any} */ (connectionPlan)
    if (type != "groupLink") throw problem(409, { code: "conflict", detail: `The link leads to no group: ${type}.` })
    if (plan.type == "known") return new Group(this, plan.groupInfo)
    const groupShortLinkData = plan.groupSLinkData_
    if (!groupShortLinkData) return /** @type {Promise<Group>} */ (this.connect(link, { timeout }))
    const since = await gateway.now(), directLink = !groupShortLinkData.groupProfile.publicGroup
    const prepared = /** @type {any} */ (await gateway.call("prepareGroup", { userId }, {
      connLink: /** @type {any} */ (connLink), directLink, groupShortLinkData,
    }))
    const { groupId } = prepared.chat.chatInfo.groupInfo
    await gateway.call("joinPreparedGroup", { userId, groupId }, { incognito: false })
    const where = (/** @type {any} */ { groupInfo }) => groupInfo.groupId == groupId
    await gateway.waitFor(["userJoinedGroup"], { user: this, since, timeout, where })
    return this.group(groupId)
  }

  /** @param {string} name @param {{description?: string, image?: string}} [profile] */
  async createGroup(name, profile = {}) {
    const groupProfile = { displayName: name, fullName: "", ...profile }
    return new Group(this, (await this.gateway.call("createGroup", { userId: this.id }, { groupProfile })).groupInfo)
  }

  /**
   * Adds a chat relay, which serves channels, to the servers of this profile.
   * @param {string} address @param {string} name
   */
  async addChannelRelay(address, name) {
    const { userServers } = /** @type {any} */ (await this.gateway.call("listServers", { userId: this.id }))
    const relay = { address, relayProfile: { displayName: name, fullName: "" }, domains: [] }
    userServers[0].chatRelays = [{ ...relay, preset: false, enabled: true, deleted: false }]
    await this.gateway.call("setServers", { userId: this.id }, { userServers })
  }

  /**
   * Creates a channel that chat relays serve, and waits until one relay serves it.
   * @param {string} name
   * @param {{description?: string, relays?: number[], timeout?: number}} options `relays`: ids of chat relays (default:
   *   all of this profile); `timeout` in seconds
   * @returns {Promise<Group>}
   */
  async createChannel(name, { description, relays, timeout = 60 } = {}) {
    const { gateway, id: userId } = this
    const { userServers } = /** @type {any} */ (relays ? {} : await gateway.call("listServers", { userId }))
    const relayIds = relays ?? userServers.flatMap((/** @type {any} */ { chatRelays = [] }) =>
      chatRelays.map((/** @type {any} */ { chatRelayId }) => chatRelayId))
    const groupProfile = {
      displayName: name, fullName: "", description,
      groupPreferences: /** @type {any} */ ({ history: { enable: "on" } }),
    }
    const made = /** @type {any} */ (await gateway.call("createChannel", { userId }, { relayIds, groupProfile }))
    if (made.type == "publicGroupCreationFailed") {
      const detail = `No channel was made: ${JSON.stringify(made.addRelayResults)}`
      throw problem(409, { code: "conflict", detail })
    }
    const { groupId } = made.groupInfo
    for (const end = Date.now() + timeout * 1000; Date.now() < end; await pause(100)) {
      const { groupRelays } = await gateway.call("listChannelRelays", { userId, groupId })
      if (groupRelays.some(({ relayStatus }) => relayStatus == "active")) return this.group(groupId)
    }
    throw new TimedOut(0, "timedOut", { detail: `No chat relay serves the channel after ${timeout} seconds.` })
  }

  /**
   * Changes members of the profile.
   * @param {{displayName?: string, fullName?: string, shortDescr?: string, description?: string, image?: string,
   *   peerType?: "human" | "bot"}} changes
   */
  async setProfile(changes) {
    const answer = await this.gateway.call("updateUser", { userId: this.id }, { profile: changes })
    this.data = answer.user
  }

  /**
   * Uploads the bytes of a file for a message. The upload of a long file continues after an interruption.
   * @param {import("./files.js").Source} source
   * @param {{name?: string, progress?: (done: number, size: number) => void, signal?: AbortSignal}} [options]
   */
  upload(source, options) { return upload(this.gateway, this.id, source, options) }

  /**
   * Yields the state of the profile as apps show it: at first, and after each change. Unchanged parts are the same
   * objects as before.
   * @param {{signal?: AbortSignal, line?: import("./sockets.js").Line}} [options]
   * @returns {AsyncGenerator<import("./contract.js").ChatModel, void, void>}
   */
  model(options) { return states(this.gateway, () => readModel(this.gateway, `/v1/users/${this.id}`), options) }
}

/**
 * @typedef {{
 *   file?: import("./files.js").Source, name?: string, content?: import("./contract.js").MsgContent,
 *   preview?: string, replyTo?: Message | number, mentions?: Record<string, number>, ttl?: number,
 *   wait?: "none" | "sent" | "delivered", timeout?: number, progress?: (done: number, size: number) => void,
 * }} SendOptions `content`: any content of the contract, in place of the text; `preview`: a `data:` URL of a small
 *   picture, which makes `file` a picture; with `wait`, the promise resolves when a relay (`sent`) or the other device
 *   (`delivered`) has the message, or after `timeout` seconds: `Message.status` shows which
 */

/** A chat with a contact, a group, a channel, or notes. */
export class Chat {
  /**
   * @param {User} user @param {"direct" | "group" | "local"} kind @param {number} id @param {string} name
   * @param {import("./contract.js").ChatStats} [stats]
   */
  constructor(user, kind, id, name, stats) {
    this.user = user
    this.kind = kind
    this.id = id
    this.name = name
    /** The number of unread messages at the time when the chat was listed. */
    this.unread = stats?.unreadCount ?? 0
  }

  /**
   * A part of a group: `support` for the user's own support chat, or `support:3` for the support chat of a member.
   * @type {string | undefined}
   */
  scope = undefined

  get gateway() { return this.user.gateway }
  /** The reference of the chat, as in filters: `direct/4`. */
  get ref() { return `${this.kind}/${this.id}` }
  get place() { return { userId: this.user.id, chatType: this.kind, chatId: this.id } }
  get part() { return { ...this.place, scope: this.scope } }

  /**
   * Sends one message: a text, a file, a picture, or any content.
   * @param {string} text @param {SendOptions} [options]
   */
  async send(text, options = {}) {
    const { file, name, content, preview, replyTo, mentions = {}, ttl, wait, timeout = 30, progress } = options
    const fileSource = file === undefined ? undefined : await this.user.upload(file, { name, progress })
    /** @type {import("./contract.js").MsgContent} */
    const msgContent = content ?? (preview ? { type: "image", text, image: preview }
      : { type: file === undefined ? "text" : "file", text })
    const quotedItemId = typeof replyTo == "number" ? replyTo : replyTo?.id
    const body = { composedMessages: [{ msgContent, mentions, fileSource, quotedItemId }], ttl }
    const waiting = wait && wait != "none" ? { wait, timeout } : {}
    const { chatItems } = await this.gateway.call("sendMessages", { ...this.part, ...waiting }, {
      ...body, ...this.sentAs,
    })
    const message = new Message(this, chatItems[0].chatItem)
    if (!refused.includes(message.status)) return message
    throw new SendFailed(0, "sendFailed", { detail: `The message to ${this.name} was not sent: ${message.status}` })
  }

  /** @type {{sendAsGroup?: boolean}} */
  get sentAs() { return {} }

  /**
   * Yields the messages and other items, the newest first.
   * @param {{search?: string}} [filter]
   */
  async *messages(filter = {}) {
    for await (const data of itemPages(this.gateway, { ...this.part, ...filter })) yield new Message(this, data)
  }

  /**
   * Returns the message with this id, in its present state.
   * @param {number} id
   */
  async message(id) {
    for (const data of await itemsAround(this.gateway, this.part, id))
      if (data.meta.itemId == id) return new Message(this, data)
    throw problem(404, { code: "notFound", detail: `${this.name} has no message ${id}.` })
  }

  /** Marks all messages of the chat as read. */
  async markRead() { await this.gateway.call("markChatRead", this.place) }
  /** Deletes all messages of the chat for this profile. */
  async clear() { await this.gateway.call("clearChat", this.place) }
  /** Deletes the chat and its contact or group. */
  async delete({ notify = true } = {}) { await this.gateway.call("deleteChat", { ...this.place, notify }) }
}

/** A contact, with the chat. */
export class Contact extends Chat {
  /**
   * @param {User} user @param {import("./contract.js").Contact} data
   * @param {import("./contract.js").ChatStats} [stats]
   */
  constructor(user, data, stats) {
    super(user, "direct", data.contactId, data.localDisplayName, stats)
    this.data = data
  }
}

/** A group or a channel. */
export class Group extends Chat {
  /**
   * @param {User} user @param {import("./contract.js").GroupInfo} data
   * @param {import("./contract.js").ChatStats} [stats]
   */
  constructor(user, data, stats) {
    super(user, "group", data.groupId, data.localDisplayName, stats)
    this.data = data
  }

  get isChannel() { return /** @type {any} */ (this.data).useRelays ?? false }
  get sentAs() { return this.isChannel && this.data.membership.memberRole == "owner" ? { sendAsGroup: true } : {} }
  get group() { return { userId: this.user.id, groupId: this.id } }

  /**
   * Yields all members except the user, page by page.
   * @returns {AsyncGenerator<import("./contract.js").GroupMember, void, void>}
   */
  members() { return pages(this.gateway, "listMembers", this.group, ({ group }) => group.members) }

  /**
   * Invites a contact, who can join with `accept`.
   * @param {Contact} contact @param {import("./contract.js").InviteMemberRequest["memberRole"]} memberRole
   */
  async invite(contact, memberRole = "member") {
    await this.gateway.call("inviteMember", this.group, { contactId: contact.id, memberRole })
  }

  /** Accepts the invitation to this group. */
  async accept() { await this.gateway.call("joinGroup", this.group) }
  async leave() { await this.gateway.call("leaveGroup", this.group) }

  /** The link of a channel. For other groups, `createLink` returns the link. */
  get link() {
    const { publicGroup } = /** @type {any} */ (this.data.groupProfile)
    return /** @type {string | undefined} */ (publicGroup?.groupLink)
  }

  /**
   * Returns the link by which anybody can join. Creates the link if it is missing.
   * @param {import("./contract.js").InviteMemberRequest["memberRole"]} memberRole
   */
  async createLink(memberRole = "member") {
    let answer
    try { answer = await this.gateway.call("createGroupLink", this.group, { memberRole }) } catch (error) {
      if (!(error instanceof Conflict)) throw error
      answer = await this.gateway.call("getGroupLink", this.group)
    }
    return linkOf(answer.groupLink.connLinkContact)
  }

  /**
   * Changes the role of members, by their `groupMemberId`.
   * @param {number[]} memberIds @param {import("./contract.js").InviteMemberRequest["memberRole"]} memberRole
   */
  async setRole(memberIds, memberRole) {
    await this.gateway.call("setMembersRole", this.group, { memberIds, memberRole })
  }

  /**
   * Removes members, by their `groupMemberId`.
   * @param {number[]} memberIds @param {{withMessages?: boolean}} options
   */
  async remove(memberIds, { withMessages = false } = {}) {
    await this.gateway.call("removeMembers", { ...this.group, memberIds, withMessages })
  }

  /**
   * Deletes messages of others for everybody.
   * @param {Message[]} messages
   */
  async moderate(...messages) {
    await this.gateway.call("moderateMessages", this.group, { itemIds: messages.map(({ id }) => id) })
  }

  /**
   * Returns the support chat of a member (by its `groupMemberId`) or of this profile: the chat with the moderators.
   * @param {number} [member]
   */
  support(member) {
    const scope = member === undefined ? "support" : `support:${member}`
    return Object.assign(new Group(this.user, this.data), { scope })
  }
}

/** The user's notes, which nobody else gets. */
export class Notes extends Chat {
  /**
   * @param {User} user @param {import("./contract.js").NoteFolder} data
   * @param {import("./contract.js").ChatStats} [stats]
   */
  constructor(user, data, stats) {
    super(user, "local", data.noteFolderId, "notes", stats)
    this.data = data
  }
}

/** One item of a chat: a message, or a note about a change such as a call. */
export class Message {
  /** @param {Chat} chat @param {import("./contract.js").ChatItem} data */
  constructor(chat, data) {
    this.chat = chat
    this.data = data
    this.id = data.meta.itemId
    this.text = /** @type {string} */ (/** @type {any} */ (data.content).msgContent?.text ?? data.meta.itemText)
  }

  get place() { return { ...this.chat.place, itemId: this.id } }
  /** The kind of the content, such as `text` or `image`; undefined for an item that is not a message. */
  get kind() { return /** @type {string | undefined} */ (/** @type {any} */ (this.data.content).msgContent?.type) }
  get received() { return this.data.chatDir.type.endsWith("Rcv") }
  /** The name of the member, contact or profile that wrote the message. */
  get sender() {
    if (!this.received) return this.chat.user.name
    const { groupMember } = /** @type {any} */ (this.data.chatDir)
    return /** @type {string} */ (groupMember?.localDisplayName ?? this.chat.name)
  }
  /** The state of the delivery: sndNew, sndSent, sndRcvd, sndError, rcvNew, rcvRead, … */
  get status() { return /** @type {string} */ (this.data.meta.itemStatus.type) }
  /** Whether the recipients' devices had confirmed the message when this object was made. */
  get delivered() { return this.status == "sndRcvd" }
  get file() { return this.data.file && new File(this, this.data.file) }

  /**
   * Answers in the same chat.
   * @param {string} text @param {SendOptions & {quote?: boolean}} options
   */
  reply(text, { quote = false, ...options } = {}) {
    return this.chat.send(text, quote ? { replyTo: this, ...options } : options)
  }

  /**
   * Adds a reaction with one of the emojis that the apps offer, or removes the reaction.
   * @param {string} emoji
   */
  async react(emoji, add = true) {
    const reaction = { type: /** @type {"emoji"} */ ("emoji"), emoji }
    await this.chat.gateway.call("changeReaction", this.place, { add, reaction })
  }

  /**
   * Changes the text of the user's own message, within a day after its sending.
   * @param {string} text
   */
  async edit(text) {
    const msgContent = { .../** @type {any} */ (this.data.content).msgContent, text }
    const answer = /** @type {any} */ (
      await this.chat.gateway.call("updateMessage", this.place, { updatedMessage: { msgContent, mentions: {} } })
    )
    return new Message(this.chat, answer.chatItem.chatItem)
  }

  /** Deletes the message for this profile, or the user's own message for all, within a day after its sending. */
  async delete({ forAll = false } = {}) {
    const mode = forAll ? "broadcast" : "internal"
    await this.chat.gateway.call("deleteMessages", { ...this.chat.place, itemIds: [this.id], mode })
  }

  /**
   * Sends the message to another chat, with a mark that it was forwarded.
   * @param {Chat} chat
   */
  async forward(chat) {
    const { kind: fromChatType, id: fromChatId } = this.chat
    const body = { fromChatType, fromChatId, itemIds: [this.id] }
    const { chatItems } = await chat.gateway.call("forwardMessages", chat.place, body)
    return new Message(chat, chatItems[0].chatItem)
  }
}

/** The file of a message. */
export class File {
  /** @param {Message} message @param {import("./contract.js").CIFile} data */
  constructor(message, data) {
    this.message = message
    this.data = data
    this.id = data.fileId
    this.name = data.fileName
    this.size = data.fileSize
  }

  get status() { return /** @type {string} */ (this.data.fileStatus.type) }

  /**
   * Fetches the file from its file server to the gateway, and waits until the gateway has it.
   * @param {{timeout?: number}} options
   */
  async receive({ timeout = 300 } = {}) {
    const { user, gateway } = this.message.chat
    if (!this.message.received || this.status == "rcvComplete") return
    const since = await gateway.now(), place = { userId: user.id, fileId: this.id }
    /** @type {import("./contract.js").Event["type"][]} */
    const ends = ["rcvFileComplete", "rcvFileError", "rcvFileSndCancelled", "rcvFileWarning"]
    try { await gateway.call("receiveFile", place, { userApprovedRelays: true }) } catch (error) {
      // A conflict is no error: the gateway has the file already, or is already receiving it.
      if (!(error instanceof Conflict)) throw error
    }
    if ((await this.message.chat.message(this.message.id)).file?.status == "rcvComplete") return
    const event = await gateway.waitFor(ends, {
      user, since, timeout, where: event => (event.chatItem ?? event.chatItem_)?.chatItem.file?.fileId == this.id,
    })
    if (event.type == "rcvFileComplete") return
    throw new NotFound(0, "fileLost", { detail: `The file ${this.name} cannot be received: ${event.type}` })
  }

  /**
   * Yields the bytes of a received file, and continues after an interruption.
   * @param {{progress?: (done: number) => void, signal?: AbortSignal}} [options]
   */
  chunks(options) { return chunks(this.message.chat.gateway, this.message.chat.user.id, this.id, options) }

  /** Receives the file if necessary, and returns its bytes. */
  async read() {
    await this.receive()
    const parts = []
    for await (const part of this.chunks()) parts.push(part)
    return new Blob(/** @type {any} */ (parts))
  }
}

/**
 * Returns the chat of a `chatInfo`; undefined for a request, a pending connection, or a kind of a later version.
 * @param {User} user @param {any} info @param {import("./contract.js").ChatStats} [stats]
 */
export function chatOf(user, info, stats) {
  if (info.type == "direct") return new Contact(user, info.contact, stats)
  if (info.type == "group") {
    const group = new Group(user, info.groupInfo, stats), { type, groupMember_ } = info.groupChatScope ?? {}
    return type == "memberSupport" ? group.support(groupMember_?.groupMemberId) : group
  }
  if (info.type == "local") return new Notes(user, info.noteFolder, stats)
  return undefined
}

/** @param {import("./contract.js").CreatedConnLink} link */
const linkOf = link => link.connShortLink ?? link.connFullLink

/** @param {Chat} chat @param {string | undefined} part */
const isNamed = (chat, part = "") => chat.name.toLowerCase().includes(part.toLowerCase())

/** @template T @param {AsyncIterable<T>} found @param {(one: T) => boolean} isKept */
async function* kept(found, isKept) {
  for await (const one of found) if (isKept(one)) yield one
}

/** @template T @param {AsyncIterable<T>} found @param {string} owner @param {string} wanted @returns {Promise<T>} */
async function only(found, owner, wanted) {
  const all = []
  for await (const one of found) all.push(one)
  if (all.length == 1) return all[0]
  if (!all.length) throw problem(404, { code: "notFound", detail: `${owner} no ${wanted}.` })
  throw problem(409, { code: "conflict", detail: `${owner} more than one ${wanted}: use an id.` })
}
