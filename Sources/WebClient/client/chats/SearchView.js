// A dialog that finds items of the open chat by their text or their kind of content, and scrolls to a found item.
import {
  app, button, dialog, el, isSent, itemText, memberName, searchField, shortTime, text, words,
} from "../elements/base.js"

/** Returns items of the open chat with this text or kind of content, the oldest first. */
export async function itemsWith({ search = "", tag = "", before = 0, count = 50 }) {
  const query = new URLSearchParams({
    count: `${count}`,
    ...(before ? { before: `${before}` } : {}),
    ...(search ? { search } : {}),
    ...(tag ? { contentTag: tag } : {}),
  })
  return (await app.get(`${app.chatPath}?${query}`)).chat.chatItems
}

export function showSearch(goTo, tag = "") {
  let oldest = 0, asked = 0
  const field = searchField(words.searchMessages, () => find(), { autofocus: true })
  const list = el("ul.profiles.found"), tags = el("div.filters", { role: "toolbar", label: words.filters })
  const more = button(words.loadMore, () => find(oldest), { kind: "plain", hidden: true })
  const none = el("p.empty", { role: "status" })
  const box = dialog(words.searchMessages, field, tags, list, none, more)
  const find = async (before = 0) => {
    const number = ++asked, search = field.value.trim()
    const items = search || tag ? await itemsWith({ search, tag, before }) : []
    // The answer to an earlier search is ignored.
    if (number != asked) return
    if (!before) list.replaceChildren()
    list.append(...[...items].reverse().map(item => el("li", button([
      el("small",
        text(isSent(item) ? words.you : memberName(item.chatDir.groupMember)),
        " ",
        shortTime(item.meta.itemTs)),
      text(itemText(item)),
    ], () => { box.close(); goTo(item.meta.itemId) }, { kind: "plain" }))))
    oldest = items[0]?.meta.itemId
    more.hidden = items.length < 50
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
