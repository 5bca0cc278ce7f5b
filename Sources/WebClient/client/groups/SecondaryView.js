// A dialog with a second list of items of the open chat: the conversation of a member with the moderators, or the
// reports.
import { app, atLeast, button, dialog, drawWith, el, keep, make, pause, words } from "../elements/base.js"
import { ChatItemView } from "../items/ChatItemView.js"
import { ComposeView } from "../composer/ComposeView.js"
import { QueuedItemView } from "../items/QueuedItemView.js"
import { takeDrops } from "../composer/drop.js"
import { Waiting } from "../model/waiting.js"

/** @type {Map<string, any>} The unsent messages and edits of closed dialogs, by the path of their messages. */
const unsent = new Map()
app.on("leave", () => { unsent.clear(); last++ })
/** @type {Promise<any>} The request that ends the list of the last dialog. The next list is requested after it. */
let ended = Promise.resolve()
/** The number of the last request for a dialog. Only this request shows a dialog, unless its profile was left. */
let last = 0

/** Waits until the session changes, or the user leaves the chat or the profile. */
const nextChange = () => new Promise(done => {
  const stops = new AbortController()
  for (const event of ["session", "place", "leave"])
    app.on(event, () => { stops.abort(); done(undefined) }, stops.signal)
})

/**
 * Shows the dialog.
 * @param {string} title
 * @param {any} what the request for the items
 * @param {string} [scope] the scope of the conversation, as in paths; absent for reports
 */
export const showSupport = async (title, what, scope) => {
  const place = /** @type {string} */ (app.place), { chatPath, userId } = app, number = ++last
  const isAwaited = () => number == last && app.place == place
  // A request that is never answered delays the next one only for three seconds.
  await Promise.race([ended, pause(3000)])
  // The gateway reads the items of the chat that the session shows, which may be another chat until it is loaded.
  while (isAwaited() && !app.isOpen) await nextChange()
  if (!isAwaited()) return
  const path = `${app.sessionPath}/secondary`
  const group = `/groups/${app.session.chatInfo.groupInfo.groupId}`, query = scope ? `?scope=${scope}` : ""
  await app.put(path, what)
  const chat = document.querySelector("chat-view")
  // If the user has opened another chat or another dialog during the request, the dialog is not shown.
  if (!isAwaited() || chat?.["context"]?.place != place) return
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
  const mayAnswer = Boolean(scope) && app.mayWrite
  const compose = mayAnswer && make(ComposeView)
  const archive =
    what.contentTag
    && app.mayWrite
    && button(words.archiveReports, async () => {
      await app.post(`${group}/reports/archive`)
      box.close()
    })
  const box = dialog(title, more, list, compose, archive), body = /** @type {Element} */ (box.querySelector(".body"))
  let isAtEnd = true
  const toEnd = () => { isAtEnd = true; body.scrollTop = body.scrollHeight }
  body.addEventListener("scroll", () => { isAtEnd = body.scrollHeight - body.scrollTop - body.clientHeight < 60 })
  const goTo = id => list.querySelector(`#item${id}`)?.scrollIntoView({ block: "center" })
  // Items of this dialog cannot be selected, because a selection would affect the list behind this dialog.
  const own = {
    query, select: null, goTo, toEnd, im: () => app.session?.secondaryIM, sent: toEnd,
    ...(compose && {
      reply: item => compose.reply(item), edit: item => compose.edit(item), resume: entry => compose.resume(entry),
    }),
  }
  /** @type {any} The properties of the chat that the dialog has read last. */
  let known = null
  /** @type {any} These properties, changed for the items of this dialog. */
  let context = null
  const waiting = new Waiting()
  /** Follows the rights and preferences of the chat. */
  const readContext = () => {
    const now = chat["context"]
    if (now === known || now?.place != place) return
    known = now
    // An observer and a member in review may write here, but not in the group.
    context = { ...now, ...own, isWritable: mayAnswer && now.closed != "notMember" }
    if (compose) { compose.hidden = !context.isWritable; compose.show(context) }
    if (archive) archive.hidden = !atLeast(now.role, "moderator")
  }
  const draw = () => {
    readContext()
    const im = app.session?.secondaryIM
    if (!im) return
    more.hidden = im.lastItemsLoaded
    // The list of reports, which has no scope, shows no waiting messages: users cannot write in it. Waiting messages of
    // the group itself are in the list behind this dialog.
    const entries = scope ? app.outbox.list(userId, place, query) : []
    const loaded = [...im.reversedChatItems].reverse(), { rows, arrived } = waiting.sort(entries, loaded)
    const items = loaded.map(item => waiting.edited(entries, item))
    const made = row => (row.id ? make(QueuedItemView) : make(ChatItemView))
    keep(list, [...items, ...rows], row => row.id ?? row.meta.itemId, made, (child, row) => {
      if (row.id) child.show(row, context)
      else child.show(row, true, true, context, null)
    })
    if (isAtEnd) toEnd()
    app.outbox.shown(arrived)
    if (compose) {
      drawWith(list, [app.session.groupMembers], () => compose.membersChanged())
      compose.itemsChanged()
    }
    const unread = im.reversedChatItems
      .filter(item => item.meta.itemStatus.type == "rcvNew" && !asked.has(item.meta.itemId))
      .map(item => item.meta.itemId)
    for (const id of unread) asked.add(id)
    if (unread.length && scope) app.post(`${chatPath}/messages/read${query}`, { itemIds: unread }).catch(() => {})
  }
  for (const event of ["session", "outbox"]) app.on(event, draw, stops.signal)
  // The dialog stops following the model when the profile is left.
  app.on("leave", () => stops.abort(), stops.signal)
  const key = app.users + chatPath + query
  box.addEventListener("close", () => {
    if (!stops.signal.aborted) ended = app.delete(path).catch(() => {})
    stops.abort()
    if (!compose) return
    if (app.userId == userId) unsent.set(key, compose.unsent)
    compose.end()
  })
  if (compose) {
    takeDrops(box, () => context.isWritable && compose.takesFiles, files => compose.attach(files))
    readContext()
    const left = unsent.get(key)
    if (left) compose.restore(left)
  }
  draw()
}
