// The menu of an item. Each entry has a condition, as in section 7 of the specification of the chat view.
import {
  app, atLeast, button, cancel, confirmed, copy, el, isHere, isSent, menu, message, progress, save, say, share, words,
} from "../elements/base.js"
import { deleteItems, react } from "../model/changes.js"
import { forwardItems, showItemInfo } from "../shell/parts.js"

/** The reactions that the protocol defines. */
const emojis = ["👍", "👎", "😀", "😂", "😢", "❤", "🚀", "✅"]

export function itemMenu(item, context, at) {
  const content = message(item), { meta } = item
  const own = isSent(item), isAlive = content && !meta.itemDeleted, { mayWrite } = app
  const reported =
    context.type == "group"
    && !own
    && isAlive
    && member(item)
    && context.allows.reports
    && !atLeast(context.role, "moderator")
    && content.type != "report"
  const isReport =
    mayWrite && isAlive && content.type == "report" && context.type == "group" && atLeast(context.role, "moderator")
  const top =
    isAlive
    && mayWrite
    && context.allows.reactions
    && !meta.itemLive
    && context.type != "local"
    && el("div.emojis",
      { role: "group", label: words.react },
      emojis.map(emoji => {
        const mine =
          item.reactions?.some(({ reaction, userReacted }) => userReacted && reaction.emoji == emoji) ?? false
        return button(emoji, () => {
          close()
          react(item, emoji, !mine, context)
        }, { role: "menuitemcheckbox", tabindex: -1, "aria-checked": String(mine), label: words.reactWith(emoji) })
      }))
  const close = menu({
    at, label: words.actions, top: top || undefined,
    entries: [
      isAlive
        && mayWrite
        && context.isWritable
        && !meta.itemLive
        && context.type != "local"
        && { name: words.reply, run: () => context.reply(item) },
      isAlive
        && mayWrite
        && !meta.itemLive
        && content.type != "report"
        && { name: words.forward, run: () => forwardItems([meta.itemId]) },
      isAlive && content.text && { name: words.copy, run: () => copy(content.text) },
      isAlive && "share" in navigator && (isHere(item.file) ? { name: words.share, run: () => share(item.file) }
        : content.text && { name: words.share, run: () => navigator.share({ text: content.text }).catch(() => {}) }),
      isAlive && isHere(item.file) && { name: words.save, run: () => save(item.file) },
      isAlive
        && mayWrite
        && own
        && meta.editable
        && !meta.itemLive
        && context.isWritable
        && { name: words.edit, run: () => context.edit(item) },
      { name: words.info, run: () => showItemInfo(item, context) },
      mayWrite && content && context.select && { name: words.select, run: () => context.select(item) },
      mayWrite && item.file && progress(item.file) !== null && { name: words.cancelFile, run: () => cancel(item.file) },
      isReport && {
        name: words.archiveReport,
        run: () => app.delete(`/groups/${context.chatId}/reports?itemIds=${meta.itemId}&mode=internalMark`),
      },
      reported && mayWrite && { name: words.report, run: () => report(item, context) },
      ...deletions([item], context),
    ],
  })
}

const member = item => item.chatDir.type == "groupRcv"

/**
 * Whether a deletion also changes the channel's history. A moderator of a channel cannot delete an item only for the
 * user: relays would still send it to new subscribers.
 */
const editsHistory = context => context.isChannel && atLeast(context.role, "moderator")

/**
 * The ways to delete an item: name, explanation, and a function that returns whether the way is possible for an item.
 */
const ways = {
  moderate: [
    words.moderate,
    words.moderateExplained,
    (item, context) =>
      !isSent(item)
      && !item.meta.itemDeleted
      && context.type == "group"
      && message(item)
      && member(item)
      && atLeast(context.role, "moderator")
      && atLeast(context.role, item.chatDir.groupMember.memberRole),
  ],
  internal: [words.deleteForMe, words.deleteForMeExplained, (item, context) => !editsHistory(context)],
  history: [
    words.deleteFromHistory,
    words.deleteFromHistoryExplained,
    (item, context) => isSent(item) && message(item) && !item.meta.itemDeleted && editsHistory(context),
  ],
  broadcast: [
    words.deleteForAll,
    words.deleteForAllExplained,
    (item, context) =>
      isSent(item) && message(item) && !item.meta.itemDeleted && item.meta.deletable && context.type != "local",
  ],
}

/** Makes menu entries for the ways in which all of the items can be deleted. */
export const deletions = (/** @type {any[]} */ items, context, done = () => {}) =>
  Object.entries(ways)
    .filter(([, [, , allows]]) => app.mayWrite && items.every(item => allows(item, context)))
    .map(([mode, [name, explained]]) => ({
      name,
      isDangerous: true,
      run: async () => {
        if (!(await confirmed(words.deleteItems(items.length), explained, words.delete, true))) return
        deleteItems(items.map(item => item.meta.itemId), mode, context)
        done()
      },
    }))

async function report(item, context) {
  const reason = el("select",
    { label: words.report },
    Object.entries(words.reason).map(([name, label]) => el("option", { value: name }, label)))
  if (!await confirmed(words.report, [el("p", words.reportExplained), reason], words.send)) return
  await app.post(`/groups/${context.chatId}/messages/${item.meta.itemId}/reports`, {
    reportReason: reason.value,
    reportText: "",
  })
  say(words.reportSent)
}
