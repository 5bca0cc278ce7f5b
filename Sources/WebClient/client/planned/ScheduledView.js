// Messages that are sent later: choosing their time, and the list of waiting messages.
import {
  app, ask, button, chatTitle, dayName, dialog, drawWith, el, fill, form, menu, row, say, section, sure, text,
  timeOfDay, words,
} from "../elements/base.js"
import { presets, inputTime } from "../model/presets.js"
import {
  changeScheduled, deleteScheduled, readScheduled, schedule, scheduledIn, scheduledPlace, sendScheduled, withFiles,
} from "../model/scheduled.js"
import { whenReleased } from "../model/press.js"

const day = 86_400_000
/** The longest time, in days, for which the gateway keeps a message. */
const mostDays = 364

/** Returns a time as a day and a time of day. */
export const shownTime = time => `${dayName(time)}, ${timeOfDay(time)}`

/**
 * Asks for a time in the future.
 * @param {string} title
 * @param {Date | null} before the present time; null for a new message
 * @param {string} action
 * @param {(sendAt: string) => Promise<any>} choose the dialog stays open if it fails
 */
function askTime(title, before, action, choose) {
  const problem = el("p.problem", { role: "alert" })
  const take = async time => { await choose(time.toISOString()); box.close() }
  const rows = presets().map(([name, time]) =>
    row(words.later[name], async () => {
      problem.replaceChildren()
      try { await take(time) } catch (error) { problem.replaceChildren(error.message) }
    }, { sign: "clock", note: el("small", shownTime(time)) }))
  const now = Date.now(), soon = new Date(now + 60_000)
  const box = dialog(title, section({ rows }), problem, form([{
    name: "time", label: words.later.time, type: "datetime-local", required: true, autofocus: false,
    value: inputTime(before ?? soon), min: inputTime(new Date(now)), max: inputTime(new Date(now + mostDays * day)),
  }], action, ({ time }) => take(new Date(time))))
  rows[0].focus()
}

/**
 * Asks for the time of a written message, and schedules the message.
 * @param {any} body the request without the time
 * @param {import("../model/outbox.js").Part[]} parts the attachments, which are not uploaded yet
 * @param {() => void} done is called when the gateway keeps the message
 */
export function sendLater(body, parts, done) {
  const whole = withFiles(body, parts)
  askTime(words.later.send, null, words.later.schedule, async sendAt => {
    await schedule({ ...await whole(), sendAt })
    done()
    say(words.later.scheduled(shownTime(sendAt)))
  })
}

/** Returns the texts of messages, with the names of their files. */
const textOf = ({ composedMessages = [] }) => composedMessages.flatMap(({ msgContent, fileSource }) => [
  fileSource && `📎 ${fileSource.filePath}`, msgContent.text,
]).filter(Boolean).join("\n")

/** Shows the messages of a chat, or of all chats, that wait or were not sent. */
export async function showScheduled(/** @type {string | null} */ place = null) {
  const stops = new AbortController(), list = el("div")
  const box = dialog(words.later.title, list)
  box.addEventListener("close", () => stops.abort())
  const draw = () => {
    const messages = scheduledIn(place)
    drawWith(list, [messages.length, ...messages], () => whenReleased(() => fill(list, messages.length
      ? el("ul.profiles", messages.map(it => scheduledRow(it, place === null)))
      : el("p.empty", words.later.none))))
  }
  app.on("scheduled", draw, stops.signal)
  app.on("leave", () => stops.abort(), stops.signal)
  draw()
  await readScheduled()
}

function scheduledRow(message, isNamed) {
  const { scheduledId: id, state, sendAt, problem } = message, written = textOf(message)
  const info = app.chat(scheduledPlace(message))?.chatInfo, isWaiting = state == "waiting"
  const when = isWaiting
    ? el("small", sendAt ? shownTime(sendAt) : words.later.whenConnected)
    : el("small.problem", words.later.notSent, " ", problem?.detail ?? "")
  const actions = button(words.actions, event => menu({ at: event.currentTarget, label: words.actions, entries: [
    isWaiting && { name: words.later.now, run: () => sendScheduled(id) },
    isWaiting && {
      name: words.later.change,
      run: () => askTime(words.later.change, sendAt ? new Date(sendAt) : null, words.save, async time => {
        await changeScheduled(id, { sendAt: time })
      }),
    },
    isWaiting && message.composedMessages?.length == 1 && { name: words.edit, run: () => edit(message) },
    {
      name: words.delete, isDangerous: true,
      run: () => sure(words.later.remove, words.later.removeExplained, words.delete, () => deleteScheduled(id)),
    },
  ] }), { icon: "more", kind: "plain round", "aria-haspopup": "menu", id: `scheduled${id}` })
  return el("li.card.scheduled",
    el("div", isNamed && info && text(chatTitle(info), "b"), text(written, "p"), when), app.mayWrite && actions)
}

const edit = ({ scheduledId, composedMessages: [message] }) => ask(words.edit, [
  { name: "text", label: words.message, type: "long", value: message.msgContent.text, required: true },
], ({ text }) => changeScheduled(scheduledId, {
  composedMessages: [{ ...message, msgContent: { ...message.msgContent, text } }],
}))
