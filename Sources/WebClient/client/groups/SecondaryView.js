// A dialog with a second list of items of the open chat: the conversation of a member with the moderators, or the
// reports.
import { app, button, dialog, el, form, keep, make, words } from "../elements/base.js"
import { ChatItemView } from "../items/ChatItemView.js"
import { QueuedItemView } from "../items/QueuedItemView.js"
import { Waiting } from "../model/waiting.js"
import { resumed, takeBack } from "../items/unsent.js"

export const showSupport = async (title, what, scope) => {
  const place = /** @type {string} */ (app.place), { chatPath, userId } = app
  const path = `${app.sessionPath}/secondary`
  const group = `/groups/${app.session.chatInfo.groupInfo.groupId}`, query = scope ? `?scope=${scope}` : ""
  await app.put(path, what)
  const stops = new AbortController()
  const asked = new Set()
  const list = el("div.items", { role: "list", label: words.messages })
  const more = button(words.loadMore,
    () =>
      app.post(`${app.sessionPath}/messages`, {
        list: "secondary",
        before: app.session.secondaryIM.reversedChatItems.at(-1).meta.itemId,
      }),
    { kind: "plain" })
  const compose =
    scope
    && app.mayWrite
    && form([{ name: "text", label: words.message, required: true }], words.send, async ({ text }) => {
      const composedMessages = [{ msgContent: { type: "text", text }, mentions: {} }]
      app.outbox.add({
        userId,
        place,
        query,
        method: "POST",
        path: `${chatPath}/messages${query}`,
        text,
        body: { composedMessages },
      })
      compose.reset()
    })
  const resume = entry => {
    const field = compose.querySelector("input")
    takeBack(entry)
    field.value = resumed(entry, field.value)
    field.focus()
  }
  const archive =
    what.contentTag
    && app.mayWrite
    && button(words.archiveReports, async () => {
      await app.post(`${group}/reports/archive`)
      box.close()
    })
  const box = dialog(title, more, list, compose, archive)
  // The items of this dialog have no reply, selection and scrolling to another item: a reply would be sent to the whole
  // group, and the other two would affect the list behind this dialog.
  const own = { isWritable: false, query, select: null, goTo: null, resume }, waiting = new Waiting()
  const context = { ...document.querySelector("chat-view")?.["context"], ...own }
  const draw = () => {
    const im = app.session?.secondaryIM
    if (!im) return
    more.hidden = im.lastItemsLoaded
    const items = [...im.reversedChatItems].reverse()
    const { rows, arrived } = waiting.sort(app.outbox.list(userId, place, query), items)
    const made = row => (row.id ? make(QueuedItemView) : make(ChatItemView))
    keep(list, [...items, ...rows], row => row.id ?? row.meta.itemId, made, (child, row) => {
      if (row.id) child.show(row, context)
      else child.show(row, true, true, context, null)
    })
    app.outbox.shown(arrived)
    const unread = im.reversedChatItems
      .filter(item => item.meta.itemStatus.type == "rcvNew" && !asked.has(item.meta.itemId))
      .map(item => item.meta.itemId)
    for (const id of unread) asked.add(id)
    if (unread.length && scope) app.post(`${chatPath}/messages/read${query}`, { itemIds: unread }).catch(() => {})
  }
  for (const event of ["session", "outbox"]) app.on(event, draw, stops.signal)
  // The dialog stops following the model when the profile is left.
  app.on("leave", () => stops.abort(), stops.signal)
  box.addEventListener("close", () => {
    if (!stops.signal.aborted) app.delete(path).catch(() => {})
    stops.abort()
  })
  draw()
}
