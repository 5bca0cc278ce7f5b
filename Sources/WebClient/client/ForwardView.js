// To which chat something is forwarded.
import { el, text, view } from "./dom.js"
import { app } from "./app.js"
import { words } from "./words.js"
import { attempt, dialog, say } from "./dialogs.js"
import { chatImage, chatPlace, closedBecause } from "./chats.js"
import { chatTitle } from "./ChatPreviewView.js"
import { ProfileImage } from "./ProfileImage.js"

/** @param {number[]} itemIds of the open chat */
export async function forwardItems(itemIds) {
  const [fromChatType, fromChatId] = /** @type {string} */ (app.place).split("/")
  const search = el("input", { type: "search", placeholder: words.searchChats, "aria-label": words.searchChats })
  const list = el("ul", { class: "profiles" })
  const box = dialog(words.forwardTo, search, list)
  const targets = app.model.chats.filter(chat => ["direct", "group", "local"].includes(chat.chatInfo.type) && !closedBecause(chat.chatInfo))
  const fill = () => list.replaceChildren(...targets.filter(({ chatInfo }) => chatTitle(chatInfo).toLowerCase().includes(search.value.trim().toLowerCase())).slice(0, 200).map(({ chatInfo }) =>
    el("li", null, el("button", { type: "button", class: "plain", on: { click: () => { box.close(); send(chatPlace(chatInfo)) } } }, view(ProfileImage, chatImage(chatInfo), chatTitle(chatInfo)), text(chatTitle(chatInfo))))))
  search.addEventListener("input", fill)
  fill()

  const send = place => attempt(async () => {
    // Files that are not here cannot go with their messages.
    const plan = await app.api.post(`${app.users}/chats/${fromChatType}/${fromChatId}/forward-plan`, { itemIds })
    const ids = plan.chatItemIds ?? itemIds
    if (!ids.length) return say(words.nothingToForward)
    await app.api.post(`${app.users}/chats/${place}/forwards`, { fromChatType, fromChatId: Number(fromChatId), itemIds: ids })
    if (ids.length < itemIds.length) say(words.forwardedSome(ids.length, itemIds.length))
    location.hash = app.address(place)
  })
}
