// Broadcasts: messages to all contacts, or to the chats of a list.
import {
  app, ask, button, chatTitle, dialog, el, fill, pause, sure, text, words,
} from "../elements/base.js"
import { inputTime } from "../model/presets.js"
import { whenReleased } from "../model/press.js"
import { shownTime } from "./ScheduledView.js"

const path = "/broadcasts"

export async function showBroadcasts() {
  const list = el("div", { role: "status" })
  const box = dialog(words.broadcast.title, el("p", words.broadcast.explained), list,
    app.mayWrite && button(words.broadcast.make, make, { kind: "primary" }))
  const { users } = app
  for (let drawn = ""; box.isConnected && users == app.users; await pause(1500)) {
    const { broadcasts } = await app.get(`${path}?limit=100`)
    const written = JSON.stringify(broadcasts)
    // The dialog is drawn again only after a change, so that the focus stays where it is.
    if (written != drawn) whenReleased(() => fill(list, broadcasts.length
      ? el("ul.profiles", broadcasts.map(broadcastRow))
      : el("p.empty", words.broadcast.none)))
    drawn = written
  }
}

function broadcastRow(broadcast) {
  const { broadcastId: id, state, waiting, sent, failed, cancelled, sendAt, createdAt, composedMessages } = broadcast
  const all = waiting + sent + failed + cancelled, isFuture = sendAt && Date.parse(sendAt) > Date.now()
  const written = composedMessages?.map(({ msgContent }) => msgContent.text).join("\n")
  const stop = () => app.post(`${path}/${id}/cancel`)
  return el("li.card.scheduled",
    el("div",
      written && text(written, "p"),
      el("small", shownTime(isFuture ? sendAt : createdAt), " · ", words.broadcast.state[state] ?? state, " · ",
        words.broadcast.sent(sent, all)),
      state == "sending" && el("progress", { max: all, value: all - waiting, label: words.broadcast.sent(sent, all) }),
      failed > 0
        && button(words.broadcast.failed(failed), () => showFailed(id), { kind: "plain danger", id: `failed${id}` })),
    state == "sending" && app.mayWrite
      && button(words.stop, () => sure(words.broadcast.stop, words.broadcast.stopExplained, words.stop, stop), {
        kind: "danger",
      }))
}

/** Shows the chats that did not get the messages, with the reasons. */
async function showFailed(/** @type {number} */ id) {
  const { results } = await app.get(`${path}/${id}/results?state=failed&limit=100`)
  dialog(words.broadcast.notReached, el("ul.profiles", results.map(({ chat: { chatType, chatId }, problem }) => {
    const info = app.chat(`${chatType}/${chatId}`)?.chatInfo
    return el("li.card.scheduled",
      el("div", text(info ? chatTitle(info) : words.chatGone, "b"), el("small", problem?.detail ?? "")))
  })))
}

function make() {
  const tags = app.model.chatTagsModel.userTags
  const named = ({ chatTagEmoji, chatTagText }) => `${chatTagEmoji ?? ""} ${chatTagText}`.trim()
  const now = inputTime(new Date())
  ask(words.broadcast.make, [
    { name: "text", label: words.message, type: "long", required: true },
    {
      name: "to",
      label: words.broadcast.to,
      options: [["", words.broadcast.all], ...tags.map(tag => [tag.chatTagId, named(tag)])],
    },
    { name: "time", label: words.later.time, hint: words.broadcast.timeHint, type: "datetime-local", min: now },
  ], async ({ text, to, time }) => {
    await app.post(path, {
      text, to: to ? { tagId: Number(to) } : { allContacts: true },
      ...(time ? { sendAt: new Date(time).toISOString() } : {}),
    })
  }, words.send)
}
