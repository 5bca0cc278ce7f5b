import {
  app, asGroup, chatImage, chatPlace, chatTitle, closedBecause, dialog, el, say, searchField, words,
} from "../elements/base.js"
import { person } from "../elements/ProfileImage.js"

export async function forwardItems(itemIds) {
  const [fromChatType, fromChatId] = /** @type {string} */ (app.place).split("/")
  const search = searchField(words.searchChats, () => fill())
  const list = el("ul.profiles")
  const box = dialog(words.forwardTo, search, list)
  const targets = app.model.chats
    .map(chat => chat.chatInfo)
    .filter(info => ["direct", "group", "local"].includes(info.type) && !closedBecause(info))
  const fill = () =>
    list.replaceChildren(
      ...targets
        .filter(info => chatTitle(info).toLowerCase().includes(search.value.trim().toLowerCase()))
        .slice(0, 200)
        .map(info =>
          person(chatImage(info), chatTitle(info), () => {
            box.close()
            send(chatPlace(info))
          }))
    )
  fill()

  const send = async place => {
    // The plan names the items that can be forwarded: a message whose file was not received yet cannot be forwarded
    // with its file.
    const plan = await app.post(`${app.chatPath}/forward-plan`, { itemIds })
    const ids = plan.chatItemIds ?? itemIds
    if (!ids.length) return say(words.nothingToForward)
    app.outbox.add({
      userId: app.userId, place, method: "POST", path: `/chats/${place}/forwards`,
      notes: [`⤳ ${words.forwardedCount(ids.length)}`],
      body: { fromChatType, fromChatId: Number(fromChatId), itemIds: ids, ...asGroup(app.chat(place)?.chatInfo) },
    })
    if (ids.length < itemIds.length) say(words.forwardedSome(ids.length, itemIds.length))
    app.go(place)
  }
}
