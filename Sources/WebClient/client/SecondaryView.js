// A second list of the open chat's items: a conversation of a member with the moderators, or the reports.
import { app, button, dialog, el, form, keep, make, words } from "./base.js"
import { ChatItemView } from "./ChatItemView.js"

export const showSupport = async (title, what, scope) => {
  const path = `${app.sessionPath}/secondary`, { chatPath } = app, group = `/groups/${app.session.chatInfo.groupInfo.groupId}`, query = scope ? `?scope=${scope}` : ""
  await app.put(path, what)
  const stops = new AbortController(), asked = new Set(), list = el("div.items", { role: "list", label: words.messages })
  const more = button(words.loadMore, () => app.get(`${app.sessionPath}/items?list=secondary&before=${app.session.secondaryIM.reversedChatItems.at(-1).meta.itemId}`), { kind: "plain" })
  const compose = scope && app.mayWrite && form([{ name: "text", label: words.message, required: true }], words.send, async body => {
    await app.post(`${chatPath}/messages${query}`, body)
    compose.reset()
  })
  const archive = what.contentTag && app.mayWrite && button(words.archiveReports, async () => { await app.post(`${group}/reports/archive`); box.close() })
  const box = dialog(title, more, list, compose, archive)
  // Answers would go to the whole group, and what is chosen, or led to, is in the list behind this one.
  const context = { ...document.querySelector("chat-view")?.["context"], isWritable: false, query, select: null, goTo: null }
  const draw = () => {
    const im = app.session?.secondaryIM
    if (!im) return
    more.hidden = im.lastItemsLoaded
    keep(list, [...im.reversedChatItems].reverse(), item => item.meta.itemId, () => make(ChatItemView), (child, item) => child.show(item, true, true, context, null))
    const unread = im.reversedChatItems.filter(item => item.meta.itemStatus.type == "rcvNew" && !asked.has(item.meta.itemId)).map(item => item.meta.itemId)
    for (const id of unread) asked.add(id)
    if (unread.length && scope) app.post(`${chatPath}/items/read${query}`, { itemIds: unread }).catch(() => {})
  }
  app.on("session", draw, stops.signal)
  // Nothing of it goes to another profile that is opened meanwhile.
  app.on("leave", () => stops.abort(), stops.signal)
  box.addEventListener("close", () => {
    if (!stops.signal.aborted) app.delete(path).catch(() => {})
    stops.abort()
  })
  draw()
}
