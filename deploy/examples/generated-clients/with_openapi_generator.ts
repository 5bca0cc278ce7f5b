// Sends a message, reads the message, and follows its status, with the TypeScript client of openapi-generator.
//
//     openapi-generator-cli generate -g typescript-fetch -i http://127.0.0.1:5225/openapi.json -o client
//     tsc --target es2020 --module commonjs --lib es2020,dom --strict --outDir out with_openapi_generator.ts
//     node out/with_openapi_generator.js http://127.0.0.1:5225 KEY 1 4 hello
import { Configuration, EventsApi, MessagesApi } from "./client"

declare const process: { argv: string[]; exit(code: number): never }

const [url, key, user, contact, text] = process.argv.slice(2)
const chat = { userId: Number(user), chatType: "direct", chatId: Number(contact) } as const

async function main() {
  const configuration = new Configuration({ basePath: url, accessToken: key })
  const [messages, events] = [new MessagesApi(configuration), new EventsApi(configuration)]
  let { cursor } = await events.listEvents({ cursor: "now" })

  const sent = await messages.sendMessages({
    ...chat,
    sendMessagesRequest: { composedMessages: [{ msgContent: { type: "text", text }, mentions: {} }] },
  })
  const { itemId } = sent.chatItems[0].chatItem.meta
  console.log("sent", itemId)

  const read = await messages.getChat({ ...chat, limit: 1 })
  console.log("read", read.chat.chatItems[0].meta.itemText)

  for (let delivered = false; !delivered; ) {
    const page = await events.listEvents({ cursor, timeout: 20, types: ["chatItemsStatusesUpdated"], chats: [`direct/${contact}`] })
    cursor = page.cursor
    for (const { event } of page.events) {
      if (event.type != "chatItemsStatusesUpdated" || !("chatItems" in event)) throw new Error(event.type)
      delivered ||= event.chatItems.some(({ chatItem: { meta } }) => meta.itemId == itemId && meta.itemStatus.type == "sndRcvd")
    }
  }
  console.log("delivered")
}

main().catch(error => {
  console.error(error)
  process.exit(1)
})
