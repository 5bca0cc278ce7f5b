// Uses of the package that the compiler has to accept or refuse. No program runs this file.
import { Bot, ChatError, FileCursor, Gateway, GatewayError } from "simplex-gateway"
import type { types } from "simplex-gateway"

const gateway = new Gateway("http://127.0.0.1:5225", { key: "key" })

export async function accepted() {
  const { contacts } = await gateway.call("listContacts", { userId: 1 })
  const names: string[] = contacts.map(({ localDisplayName }) => localDisplayName)
  gateway.on("newChatItems", { direction: "received" }, message => message.reply(message.text))
  gateway.on("contactConnected", {}, ({ contact }) => names.push(contact.localDisplayName))
  for await (const { chats } of (await gateway.user()).model()) names.push(chats[0].chatInfo.type)
  try { await gateway.run({ cursor: new FileCursor("cursor") }) } catch (error) {
    if (error instanceof ChatError && error instanceof GatewayError) names.push(error.code, error.requestId)
  }
  const bot = new Bot(gateway, "state", { admins: "team", limit: [20, 60] })
  bot.on("contactConnected", (turn, { contact }) => turn.reply(`Hello, ${contact.localDisplayName}`))
  const users = [await gateway.user()]
  for await (const { user, model } of gateway.models(users)) names.push(user.name, model.chats[0].chatInfo.type)
  bot.command("order", { label: "Order a pizza" }, turn => turn.ask("Which size?", "size"))
  bot.step("size", turn => turn.reply(turn.text)).guard(({ text }) => text == "spam")
  const content = (await gateway.user()) as unknown as types.MsgContent
  if (content.type == "image") names.push(content.image)
}

export function refused() {
  // @ts-expect-error
  new Bot(gateway, "state").command("order", { title: "Order" }, () => {})
  // @ts-expect-error
  gateway.call("listContact", { userId: 1 })
  // @ts-expect-error
  gateway.call("listContacts", { userId: "1" })
  // @ts-expect-error
  gateway.call("createUser", {}, { profile: { name: "alice" } })
  // @ts-expect-error
  gateway.on("contactConnected", {}, ({ chatItems }) => chatItems)
  // @ts-expect-error
  gateway.on("contactConnect", {}, () => {})
}
