// The menu of an item, each entry with its condition (chat view, section 7).
import { app, atLeast, button, confirmed, el, isHere, isSent, menu, message, save, say, sure, words } from "./base.js"
import { react } from "./ChatItemView.js"
import { forwardItems } from "./ForwardView.js"
import { showItemInfo } from "./ChatItemInfoView.js"

/** Those that the protocol has. */
const emojis = ["👍", "👎", "😀", "😂", "😢", "❤", "🚀", "✅"]

export function itemMenu(item, context, at) {
  const content = message(item), { meta } = item
  const own = isSent(item), isAlive = content && !meta.itemDeleted, { mayWrite } = app
  const isGone = Boolean(meta.itemDeleted)
  const moderated = context.type == "group" && !own && !isGone && content && member(item) && atLeast(context.role, "moderator") && atLeast(context.role, item.chatDir.groupMember.memberRole)
  const reported = context.type == "group" && !own && isAlive && member(item) && context.allows.reports && !atLeast(context.role, "moderator") && content.type != "report"
  const top = isAlive && mayWrite && context.allows.reactions && !meta.itemLive && context.type != "local" && el("div.emojis", { role: "group", label: words.react },
    emojis.map(emoji => {
      const mine = item.reactions?.some(({ reaction, userReacted }) => userReacted && reaction.emoji == emoji) ?? false
      return button(emoji, () => { close(); react(item, emoji, !mine) }, { role: "menuitemcheckbox", tabindex: -1, "aria-checked": String(mine), label: words.reactWith(emoji) })
    }))
  const close = menu({
    at, label: words.actions, top: top || undefined,
    entries: [
      isAlive && mayWrite && context.isWritable && !meta.itemLive && context.type != "local" && { name: words.reply, run: () => context.reply(item) },
      isAlive && mayWrite && !meta.itemLive && content.type != "report" && { name: words.forward, run: () => forwardItems([meta.itemId]) },
      isAlive && content.text && { name: words.copy, run: () => copy(content.text) },
      isAlive && content.text && navigator.share && { name: words.share, run: () => navigator.share({ text: content.text }).catch(() => {}) },
      isAlive && isHere(item.file) && { name: words.save, run: () => save(item.file) },
      isAlive && mayWrite && own && meta.editable && !meta.itemLive && context.isWritable && { name: words.edit, run: () => context.edit(item) },
      { name: words.info, run: () => showItemInfo(item, context) },
      mayWrite && content && { name: words.select, run: () => context.select(meta.itemId) },
      reported && mayWrite && { name: words.report, run: () => report(item, context) },
      moderated && mayWrite && { name: words.moderate, isDangerous: true, run: () => moderate(item, context) },
      mayWrite && { name: words.deleteForMe, isDangerous: true, run: () => remove([item], "internal") },
      isAlive && mayWrite && own && meta.deletable && context.type != "local" && { name: words.deleteForAll, isDangerous: true, run: () => remove([item], "broadcast") },
    ],
  })
}

const member = item => item.chatDir.type == "groupRcv"

export async function copy(value) {
  // Plain HTTP has no clipboard for pages, but the old way still works there.
  try { await navigator.clipboard.writeText(value) } catch {
    const field = el("textarea.offscreen", value)
    document.body.append(field)
    field.select()
    document.execCommand("copy")
    field.remove()
  }
  say(words.copied)
}

export async function remove(items, mode) {
  const isForAll = mode == "broadcast"
  if (!await confirmed(words.deleteItems(items.length), isForAll ? words.deleteForAllExplained : words.deleteForMeExplained, words.delete, true)) return false
  await app.delete(`${app.chatPath}/items`, { itemIds: items.map(item => item.meta.itemId), mode })
  return true
}

const moderate = (item, context) => sure(words.moderate, words.moderateExplained, words.delete,
  () => app.post(`/groups/${context.chatId}/moderations`, { itemIds: [item.meta.itemId] }))

async function report(item, context) {
  const reason = el("select", { label: words.report }, Object.entries(words.reason).map(([name, label]) => el("option", { value: name }, label)))
  if (!await confirmed(words.report, [el("p", words.reportExplained), reason], words.send)) return
  await app.post(`/groups/${context.chatId}/items/${item.meta.itemId}/reports`, { reportReason: reason.value, reportText: "" })
  say(words.reportSent)
}
