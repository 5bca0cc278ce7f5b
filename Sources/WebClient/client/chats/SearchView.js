// A dialog that finds items of the open chat by their text or their kind of content, and scrolls to a found item.
import {
  app, button, dialog, el, isSent, itemText, marked, memberName, searchField, shortTime, text, words,
} from "../elements/base.js"

/** Returns items of the open chat with this text or kind of content, the oldest first, and the cursor of older ones. */
export async function itemsWith({ search = "", tag = "", cursor = "", limit = 50 }) {
  const query = new URLSearchParams({
    limit: `${limit}`,
    ...(cursor ? { cursor } : {}),
    ...(search ? { search } : {}),
    ...(tag ? { contentType: tag } : {}),
  })
  const { chat, next } = await app.get(`${app.chatPath}?${query}`)
  return { items: chat.chatItems, next }
}

export function showSearch(goTo, tag = "") {
  let older = "", asked = 0
  const field = searchField(words.searchMessages, () => find(), { autofocus: true })
  const list = el("ul.profiles.found"), tags = el("div.filters", { role: "toolbar", label: words.filters })
  const more = button(words.loadMore, () => find(older), { kind: "plain", hidden: true })
  const none = el("p.empty", { role: "status" })
  const box = dialog(words.searchMessages, field, tags, list, none, more)
  const find = async (cursor = "") => {
    const number = ++asked, search = field.value.trim()
    const { items, next } = search || tag ? await itemsWith({ search, tag, cursor }) : { items: [], next: null }
    // The answer to an earlier search is ignored if a later search was started.
    if (number != asked) return
    if (!cursor) list.replaceChildren()
    list.append(...[...items].reverse().map(item => el("li", button([
      el("small",
        text(isSent(item) ? words.you : memberName(item.chatDir.groupMember)),
        " ",
        shortTime(item.meta.itemTs)),
      marked(itemText(item), search),
    ], () => { box.close(); goTo(item.meta.itemId) }, { kind: "plain" }))))
    older = next
    more.hidden = !next
    none.textContent = (search || tag) && !list.firstChild ? words.nothingFound : ""
  }
  app.get(`${app.chatPath}/content-types`).then(({ contentTypes }) =>
    tags.append(
      ...contentTypes
        .filter(name => words.kind[name])
        .map(name =>
          button(words.kind[name], event => {
            tag = tag == name ? "" : name
            for (const chip of tags.children)
              chip.setAttribute("aria-pressed", String(chip == event.currentTarget && Boolean(tag)))
            find()
          }, { kind: "chip", "aria-pressed": String(tag == name) }))
    ))
  if (tag) find()
}
