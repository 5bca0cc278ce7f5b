// Tests of bots: commands, conversations, limits, broadcasts and their state, with a real gateway and with kills.
import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import test, { after, before } from "node:test"
import { Bot, FileCursor, Gateway, Store } from "../src/index.js"
import { LIMIT, started, World } from "./world.mjs"

const kills = Number(process.env.KILLS ?? 6)
/** @type {World} */
let world
before(async () => { world = await World.start() })
after(() => world?.stop())

const answers = async contact => {
  const found = []
  for await (const message of contact.messages()) if (message.kind && message.received) found.push(message.text)
  return found.reverse()
}

const until = async (condition, what) => {
  const end = Date.now() + LIMIT
  for (; !await condition(); await new Promise(later => { setTimeout(later, 50) }))
    assert.ok(Date.now() < end, `Not in ${LIMIT} ms: ${what}`)
}

/** Runs a bot of bob inside this process, from the present end of the events on, for the test `ends`. Returns a
 * function that stops it. */
const running = async (ends, name, options, prepare) => {
  const { key } = await world.gateway.call("createKey", {}, { name, userId: world.bob.id })
  const stops = new AbortController(), cursor = new FileCursor(join(world.folder, `${name}.cursor`))
  await cursor.save(await world.gateway.now())
  const bot = new Bot(new Gateway(world.url, { key }), join(world.folder, `${name}.state`), options)
  prepare(bot)
  const run = bot.run({ cursor, signal: stops.signal })
  ends.after(() => stops.abort())
  return async () => { stops.abort(); await run }
}

test("a store keeps its values in a file, and refuses a file of another format", async () => {
  const path = join(world.folder, "store")
  const store = new Store(path)
  await store.open()
  await Promise.all([store.set("a/1", { b: [1] }), store.set("a/2", 2), store.set("gone", 1, { seconds: -1 })])
  await store.save({ "a/2": { value: undefined } }, "event")
  const again = new Store(path)
  await again.open()
  assert.deepEqual([again.keys("a/"), again.get("a/1"), again.get("gone")], [["a/1"], { b: [1] }, undefined])
  assert.ok(again.handled.event && again.secret == store.secret && again.get("constructor") === undefined)
  await writeFile(path, "no state")
  await assert.rejects(new Store(path).open(), /move it away/)
})

test("a sender above the limit is told once, only admins have admin commands, and jobs are repeated", async ends => {
  const { contact } = world, before = (await answers(contact)).length, seen = []
  const stop = await running(ends, "limited", { limit: [2, 60] }, bot => bot
    .started(() => seen.push("start"))
    .every(0.05, () => { if (seen.push("job") == 2) throw new Error("Once.") })
    .command("secret", { admin: true }, turn => turn.reply("secret"))
    .guard(({ text }) => text == "ignored")
    .otherwise(turn => turn.reply(`Nothing: ${turn.text}`)))
  for (const text of ["/secret", "ignored", "2", "3", "4"]) await contact.send(text)
  await until(async () => (await answers(contact)).length >= before + 2, "the answers come")
  await until(() => seen.length >= 3, "the job runs again")
  await new Promise(later => { setTimeout(later, 500) })
  assert.deepEqual((await answers(contact)).slice(before), ["Nothing: /secret", "You write too fast: wait a minute."])
  await stop()
  const count = seen.length
  assert.deepEqual(seen.slice(0, 3), ["start", "job", "job"])
  await new Promise(later => { setTimeout(later, 300) })
  assert.equal(seen.length, count)
})

test("the handler of an event gets the chat of the event, and changes the state of the bot once", async ends => {
  const { bob, gateway } = world, turns = []
  const stop = await running(ends, "greeter", {}, bot => bot
    .on("contactConnected", async (turn, event) => {
      turns.push([turn.event?.type, turn.chat.name, event.contact.localDisplayName, turn.message])
      turn.set("count", (turn.get("count") ?? 0) + 1)
      await turn.reply(`Welcome, number ${turn.get("count")}`)
    }))
  const fred = await gateway.createUser("fred", { activate: false })
  const contact = await fred.connect(await bob.invite())
  await until(async () => (await answers(contact)).length, "the bot greets")
  assert.deepEqual(await answers(contact), ["Welcome, number 1"])
  assert.deepEqual(turns, [["contactConnected", "fred", "fred", undefined]])
  await stop()
})

test("a broadcast reaches each contact once, and the menu is in the profile", async ends => {
  const { contact } = world, before = (await answers(contact)).length
  const stop = await running(ends, "teller", {}, bot => bot
    .command("tell", { label: "Tell all", params: "text" }, turn => turn.broadcast(turn.arguments)))
  await contact.send("/tell we are closed")
  await until(async () => (await answers(contact)).length > before, "the broadcast comes")
  await new Promise(later => { setTimeout(later, 1500) })
  assert.deepEqual((await answers(contact)).slice(before), ["we are closed"])
  const { profile } = (await world.gateway.user("bob")).data
  assert.equal(profile.peerType, "bot")
  const command = { type: "command", keyword: "tell", label: "Tell all", params: "text" }
  assert.deepEqual(profile.preferences.commands, [command])
  await stop()
})

test(`conversations continue after ${kills} kills of the bot or the gateway`, async ends => {
  const { bob, contact, gateway } = world, skipped = (await answers(contact)).length
  const { key } = await gateway.call("createKey", {}, { name: "order", userId: bob.id })
  const program = [new URL("order.mjs", import.meta.url).pathname, world.folder]
  const env = { ...process.env, SXGW_URL: world.url, SXGW_KEY: key }
  const start = () => started(process.execPath, program, { env, stdio: ["ignore", "ignore", "inherit"] })
  await new FileCursor(join(world.folder, "order.cursor")).save(await gateway.now())
  let bot = start(), seed = 7
  ends.after(() => bot.kill("SIGKILL"))
  const expected = [], random = bound => (seed = (seed * 1103515245 + 12345) % 2147483648) % bound
  for (let number = 0; number < kills; number++) {
    for (const text of ["/order", `size ${number}`, `street ${number}`]) await contact.send(text)
    expected.push("Which size?", "Which street?", `Order ${number + 1}: size ${number} to street ${number}`)
    await new Promise(later => { setTimeout(later, random(600)) })
    if (number % 2) {
      await world.kill()
      await world.run()
    } else {
      bot.kill("SIGKILL")
      bot = start()
    }
  }
  const found = async () => (await answers(contact)).slice(skipped)
  await until(async () => (await found()).length >= expected.length + kills, "each message has its answer")
  // A repeated answer would arrive within this time.
  await new Promise(later => { setTimeout(later, 1000) })
  bot.kill("SIGKILL")
  const all = await found()
  assert.deepEqual(all.filter(text => !text.endsWith("minutes")), expected)
  assert.equal(all.length, expected.length + kills)
})
