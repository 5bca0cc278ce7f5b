// Tests of the package with a real gateway.
import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import test, { after, before } from "node:test"
import {
  FileCursor, Forbidden, Gateway, Group, NotFound, pollLine, StoredCursor, streamLine, TimedOut, Unauthorized,
} from "../src/index.js"
import { DELIVERY, first, started, World } from "./world.mjs"

// `KILLS=100` for a long run.
const kills = Number(process.env.KILLS ?? 6)
/** @type {World} */
let world
before(async () => { world = await World.start() })
after(() => world?.stop())

const texts = async messages => {
  const found = []
  for await (const message of messages) if (message.kind) found.push(message.text)
  return found.reverse()
}

test("a profile is found by its name, by its id, and by a key that is bound to it", async () => {
  const { alice, bob, gateway } = world
  assert.equal((await gateway.user(alice.id)).name, "alice")
  const { key } = await gateway.call("createKey", {}, { name: "bot", userId: bob.id })
  const bot = new Gateway(world.url, { key })
  assert.equal((await bot.user()).name, "bob")
  await assert.rejects(gateway.user("carol"), NotFound)
  await assert.rejects(new Gateway(world.url, { key: "wrong" }).user(), Unauthorized)
})

test("a message is sent, delivered, answered, edited and deleted", async () => {
  const { contact, bob } = world
  const sent = await contact.send("hello", { wait: "delivered", timeout: DELIVERY })
  assert.ok(sent.delivered && !sent.received && sent.sender == "alice")
  const [chat] = await first(1, bob.chats({ unread: true }))
  assert.deepEqual([chat.name, chat.unread], ["alice", 1])
  const [received] = await first(1, chat.messages())
  assert.deepEqual([received.text, received.received, received.sender], ["hello", true, "alice"])
  await received.react("👍")
  const answer = await received.reply("hi", { quote: true, wait: "delivered", timeout: DELIVERY })
  assert.equal(answer.data.quotedItem.content.text, "hello")
  assert.equal((await answer.edit("hi there")).text, "hi there")
  await chat.markRead()
  assert.deepEqual(await first(1, bob.chats({ unread: true })), [])
  await answer.delete({ forAll: true })
})

test("a list is read over all its pages", async () => {
  const { alice, bob } = world
  for (let number = 0; number < 205; number++)
    await alice.createGroup(`g${number}`)
  const groups = new Set(), chats = new Set()
  for await (const { name } of alice.groups()) groups.add(name)
  for await (const chat of alice.chats()) chats.add(chat.ref)
  assert.equal(groups.size, 205)
  assert.ok(chats.size >= 206)
  assert.equal((await alice.group("g17")).name, "g17")
  const notes = await (async () => { for await (const chat of bob.chats()) if (chat.kind == "local") return chat })()
  for (let number = 0; number < 120; number++) await notes.send(`note ${number}`)
  const found = await texts(notes.messages())
  assert.deepEqual(found, [...Array(120)].map((_, number) => `note ${number}`))
})

test("a file is uploaded in parts, received and read", async () => {
  const { contact, bob } = world, done = []
  const bytes = new Uint8Array(9 << 20).map((_, index) => index % 251)
  const path = join(world.folder, "long file")
  await writeFile(path, bytes)
  await contact.send("look", { file: path, progress: at => done.push(at) })
  assert.deepEqual(done, [0, 8 << 20, 9 << 20])
  const find = async () => {
    for await (const message of (await bob.contact("alice")).messages()) if (message.file) return message
  }
  let message = await find()
  for (; !message; message = await find()) await new Promise(later => { setTimeout(later, 50) })
  assert.equal(message.file.name, "long file")
  assert.deepEqual(new Uint8Array(await (await message.file.read()).arrayBuffer()), bytes)
})

test("the state of a profile has each change, also after a restart of the gateway", async () => {
  const { alice, contact } = world
  const stops = new AbortController(), states = alice.model({ signal: stops.signal })
  const isWanted = ({ chatInfo }) => chatInfo.contact?.contactId == contact.id
  const text = chats => chats.find(isWanted).chatItems[0].meta.itemText
  const until = async wanted => { for (;;) if (text((await states.next()).value.chats) == wanted) return }
  await states.next()
  await contact.send("first")
  await until("first")
  await world.kill()
  await world.run()
  // The next test must not get this message.
  await contact.send("second", { wait: "delivered", timeout: DELIVERY })
  await until("second")
  stops.abort()
  assert.equal((await states.next()).done, true)
})

for (const [name, line] of Object.entries({ streamLine, pollLine }))
  test(`events continue after a restart of the gateway, with ${name}`, async () => {
    const { bob, contact, gateway } = world
    const query = { types: "newChatItems", users: bob.id }
    // When the line is opened, the place of the stream is known.
    let begin
    const begun = new Promise(ready => { begin = ready })
    const found = gateway.events({ cursor: "now", query, line: (...given) => { begin(); return line(...given) } })
    const next = async () => {
      for (;;) {
        const { value } = await found.next()
        if (value.createdAt) return value.event.chatItems[0].chatItem.meta.itemText
      }
    }
    const one = next()
    await Promise.race([begun, one])
    await contact.send("one")
    assert.equal(await one, "one")
    await world.kill()
    await world.run()
    await contact.send("two")
    assert.equal(await next(), "two")
    await found.return()
  })

test("a channel is made, joined by its link, and followed", async () => {
  const { alice, bob, gateway } = world
  const hub = await gateway.createUser("hub", { userChatRelay: true, activate: false })
  await alice.addChannelRelay(await hub.address(), "hub")
  const channel = await alice.createChannel("news", { description: "What is new" })
  assert.ok(channel.isChannel && channel.link)
  const since = await gateway.now(), followed = await bob.join(channel.link)
  assert.deepEqual([followed.name, followed.isChannel], ["news", true])
  assert.equal((await bob.join(channel.link)).id, followed.id)
  await channel.send("good morning")
  const where = ({ chatItems }) => chatItems[0].chatItem.meta.itemText == "good morning"
  const { chatItems } = await gateway.waitFor(["newChatItems"], { user: bob, since, where })
  assert.equal(chatItems[0].chatItem.chatDir.type, "channelRcv")
  await assert.rejects(bob.join(await alice.invite()), { code: "conflict" })
})

test("a group is joined by its link, and its members and messages are moderated", async () => {
  const { alice, gateway } = world
  const team = await alice.createGroup("team", { description: "Welcome" })
  const link = await team.createLink()
  assert.equal(await team.createLink(), link)
  const carol = await gateway.createUser("carol", { activate: false }), since = await gateway.now()
  const joined = await carol.join(link)
  assert.equal(joined.name, "team")
  await joined.send("buy now")
  const where = ({ chatItems }) => chatItems[0].chatItem.meta.itemText == "buy now"
  const { chatItems } = await gateway.waitFor(["newChatItems"], { user: alice, since, where })
  await team.moderate(await team.message(chatItems[0].chatItem.meta.itemId))
  await assert.rejects(carol.group("nobody"), NotFound)
  const [member] = await first(1, team.members())
  await team.setRole([member.groupMemberId], "admin")
  await team.remove([member.groupMemberId])
  const found = await first(1, alice.messages({ search: "hello" }))
  assert.ok(found[0].text.includes("hello"))
  await found[0].forward(team)
  assert.equal((await first(1, team.messages()))[0].text, found[0].text)
  await carol.setProfile({ fullName: "Carol the second" })
  assert.equal((await gateway.user("carol")).data.profile.fullName, "Carol the second")
})

test("a business address makes a group", async () => {
  const { gateway } = world
  const shop = await gateway.createUser("shop", { activate: false })
  const erin = await gateway.createUser("erin", { activate: false })
  const chat = await erin.connect(await shop.address({ business: true }))
  assert.ok(chat instanceof Group && chat.data.businessChat)
  await chat.send("Do you have tea?", { wait: "delivered", timeout: DELIVERY })
  assert.equal((await first(1, (await shop.group("erin")).messages()))[0].text, "Do you have tea?")
})

test("a key limited to some chats reads only its chats", async () => {
  const { alice, contact, gateway } = world
  const club = await alice.createGroup("club"), chats = [contact.ref, club.ref]
  const { key } = await gateway.call("createKey", {}, { name: "desk", userId: alice.id, chats })
  const desk = new Gateway(world.url, { key }), me = await desk.user()
  assert.deepEqual([me.id, me.name], [alice.id, "alice"])
  assert.deepEqual((await first(3, me.chats())).map(({ ref }) => ref).sort(), chats.sort())
  assert.deepEqual((await first(2, me.groups())).map(({ name }) => name), ["club"])
  assert.equal((await me.send("bob", "from the desk")).text, "from the desk")
  const sent = await (await me.chat(contact.ref)).send("with a file", { file: new Blob(["contents"]), name: "a.txt" })
  assert.equal(sent.file?.name, "a.txt")
  await assert.rejects(me.contact("carol"), NotFound)
  await assert.rejects(desk.user("bob"), Forbidden)
})

test("a chat is found by its reference and its name", async () => {
  const { alice, contact, gateway } = world
  for (const name of ["bob", "@bob", contact.ref]) assert.equal((await alice.chat(name)).ref, contact.ref)
  assert.equal((await alice.chat("local/1")).kind, "local")
  for (const name of ["#bob", "nobody", "direct/99"]) await assert.rejects(alice.chat(name), NotFound)
  // A key without the scope `read` can send to the reference of a chat.
  const { key } = await gateway.call("createKey", {}, { name: "writer", userId: alice.id, scopes: ["write"] })
  const writer = await new Gateway(world.url, { key }).user()
  assert.equal((await (await writer.chat(contact.ref)).send("without reading")).text, "without reading")
})

test("the states of several profiles are returned at first, and after each change", async () => {
  const { alice, bob, contact, gateway } = world
  const stops = new AbortController(), seen = new Set()
  for await (const { user, model } of gateway.models([alice, bob], { signal: stops.signal })) {
    const isShown = model.chats.some(({ chatItems }) => chatItems[0]?.meta.itemText == "to both states")
    seen.add(`${user.name} ${isShown}`)
    if (seen.size == 2 && !isShown) await contact.send("to both states")
    if (seen.size == 4) stops.abort()
  }
  assert.deepEqual([...seen].sort(), ["alice false", "alice true", "bob false", "bob true"])
  // `break` ends the loop after the first state, and so closes the streams.
  for await (const { model } of gateway.models([alice, bob])) { assert.ok(model.chats); break }
  await assert.rejects(first(1, gateway.models([new alice.constructor(gateway, { userId: 99 })])), NotFound)
})

test("waiting for an event that does not happen ends with TimedOut", async () => {
  await assert.rejects(world.gateway.waitFor(["contactDeletedByContact"], { timeout: 0.2 }), TimedOut)
})

test("an unknown or missing parameter is an error before the request is sent", async () => {
  assert.throws(() => world.gateway.call("listContacts", {}), /needs the parameter userId/)
  assert.throws(() => world.gateway.call("listContacts", { userId: 1, wrong: 1 }), /has no parameter wrong/)
})

test("a cursor is read back from its file, and a missing file has no cursor", async () => {
  const cursor = new FileCursor(join(world.folder, "cursor"))
  assert.equal(await cursor.load(), undefined)
  await cursor.save("e-1")
  assert.equal(await cursor.load(), "e-1")
  assert.equal(new StoredCursor("a").name, "a")
})

test("the bot of the README answers", { skip: !process.env.README_BOT }, async ends => {
  const { contact, bob, gateway } = world
  const { key } = await gateway.call("createKey", {}, { name: "readme", userId: bob.id })
  const since = await gateway.now()
  const env = { ...process.env, SXGW_URL: world.url, SXGW_KEY: key }
  const bot = started(process.execPath, [process.env.README_BOT], {
    cwd: world.folder, env, stdio: ["ignore", "pipe", "inherit"],
  })
  ends.after(() => bot.kill())
  const line = await new Promise(said => { bot.stdout.once("data", data => said(`${data}`)) })
  assert.match(line, /^Connect to bob: (https|simplex):/)
  const cursor = new FileCursor(join(world.folder, "cursor.txt"))
  while (!await cursor.load()) await new Promise(later => { setTimeout(later, 50) })
  await contact.send("/help")
  const answer = await gateway.waitFor(["newChatItems"], {
    user: world.alice, since, where: ({ chatItems }) => chatItems[0].chatItem.chatDir.type == "directRcv",
  })
  assert.equal(answer.chatItems[0].chatItem.meta.itemText, "I repeat your texts.")
})

test(`a bot and the gateway are killed ${kills} times each, and each message is answered once`, async ends => {
  const { bob, contact, gateway } = world
  const { key } = await gateway.call("createKey", {}, { name: "echo", userId: bob.id })
  const program = [new URL("echo.mjs", import.meta.url).pathname, join(world.folder, "echo")]
  const env = { ...process.env, SXGW_URL: world.url, SXGW_KEY: key }
  const start = () => started(process.execPath, program, { env, stdio: ["ignore", "ignore", "inherit"] })
  // The cursor begins before the first message, so that the bot gets all messages.
  await new FileCursor(join(world.folder, "echo")).save(await gateway.now())
  let bot = start(), isDone = false
  ends.after(() => { isDone = true; bot.kill("SIGKILL") })
  const wanted = []
  const sending = (async () => {
    while (!isDone) {
      const text = `m${wanted.length}`
      await contact.send(text)
      wanted.push(`re: ${text}`)
    }
  })()
  let seed = 7
  const random = bound => (seed = (seed * 1103515245 + 12345) % 2147483648) % bound
  for (let number = 0; number < 2 * kills; number++) {
    await new Promise(later => { setTimeout(later, 300 + random(900)) })
    if (number % 2) {
      await world.kill()
      await world.run()
    } else {
      bot.kill("SIGKILL")
      bot = start()
    }
  }
  isDone = true
  await sending
  const answers = async () => (await texts(contact.messages())).filter(text => text.startsWith("re: "))
  for (let found = await answers(); found.length < wanted.length; found = await answers())
    await new Promise(later => { setTimeout(later, 200) })
  await new Promise(later => { setTimeout(later, 1000) })
  bot.kill("SIGKILL")
  assert.ok(wanted.length > kills)
  assert.deepEqual(await answers(), wanted)
  console.log(`${wanted.length} messages, ${kills} kills of each`)
})
