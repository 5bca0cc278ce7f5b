// Parts that the details of contacts, groups and members share.
import {
  app, ask, button, choice, dialog, el, fact, fill, icon, isChannel, itemText, row, section, settings, smallPicture,
  sure, text, view, words,
} from "../elements/base.js"
import { badgeLine } from "../elements/badges.js"
import { ProfileImage } from "../elements/ProfileImage.js"
import { setChat } from "../model/changes.js"
import { timeChoice } from "../settings/profileForms.js"
import { editWallpaper } from "../shell/parts.js"
import { editTheme } from "../shell/themes.js"
import { amountOf, deleteFiles } from "./chatFiles.js"
import { uncoverChat } from "./panel.js"
import { itemsWith, showSearch } from "./SearchView.js"

/** Makes the part with the picture, the name and the descriptions. */
export const head = (image, title, profile, state = "") =>
  el("div.profile",
    view(ProfileImage, image, title),
    el("h2", text(title)),
    state && el("small", state),
    badgeLine(profile),
    ["fullName", "shortDescr", "description"].map(name =>
      profile?.[name] && profile[name] != title && el("p", text(profile[name]))))

const chatView = () => /** @type {any} */ (document.querySelector("chat-view"))

/** Scrolls the open chat to an item. */
const goTo = id => { uncoverChat(); chatView().goTo(id) }

/** Makes the buttons below the picture of a chat: search, mute, favourite, and `own`. */
export function quickActions(info, ...own) {
  const { enableNtfs = "all", favorite } = settings(info) ?? {}, { place } = app
  const quick = (sign, name, press) => button([icon(sign), el("span", name)], press, { kind: "plain" })
  return el("div.quick",
    own.map(it => it && quick(...it)),
    quick("search", words.search, () => showSearch(goTo)),
    app.mayWrite && [
      enableNtfs == "all"
        ? quick("bellOff", words.mute, () => setChat(place, { enableNtfs: "none" }))
        : quick("bell", words.unmute, () => setChat(place, { enableNtfs: "all" })),
      quick("star", favorite ? words.notFavorite : words.makeFavorite, () =>
        setChat(place, { favorite: !favorite })),
    ])
}

/**
 * Whether the security code of a contact or a member was verified, by its path. The models do not contain this fact.
 * @type {Map<string, boolean>}
 */
const verified = new Map()
app.on("leave", () => verified.clear())

/** Makes the section with the security code, and with rows that repair a connection. */
export function security(peer, path) {
  const connection = peer.activeConn, place = el("div.place")
  if (!connection) return null
  const isVerified = () => verified.get(path) ?? Boolean(connection.connectionCode)
  const showCode = async () => {
    const { connectionCode } = await app.get(`${path}/code`), wasVerified = isVerified()
    const box = dialog(words.securityCode, el("output.address", connectionCode), app.mayWrite && el("footer",
      button(wasVerified ? words.clearVerification : words.verify, async () => {
        await app.post(`${path}/verify`, wasVerified ? {} : { connectionCode })
        verified.set(path, !wasVerified)
        draw()
        box.close()
      }, { kind: wasVerified ? "danger" : "primary" })))
  }
  const draw = () => fill(place, section({ title: words.security, rows: [
    fact(words.encryption, connection.pqRcvEnabled && connection.pqSndEnabled ? words.quantum : words.endToEnd),
    row(isVerified() ? words.viewCode : words.verifyCode, showCode, {
      id: "securityCode",
      note: isVerified() && el("small", words.verified),
    }),
    app.mayWrite && [
      row(words.switchAddress, () =>
        sure(words.switchAddress, words.switchExplained, words.switchAddress, () => app.post(`${path}/switch`))),
      row(words.fixConnection, () =>
        sure(words.fixConnection, words.fixExplained, words.fix, () => app.post(`${path}/sync`))),
    ],
  ] }))
  draw()
  return place
}

export const deleteChat = async (query = "") => {
  const { chatPath } = app
  app.go(null)
  await app.delete(chatPath + query)
}

/** Makes a row of an action that cannot be undone. */
export const danger = (name, explained, action, run) =>
  row(name, () => sure(name, explained, action, run), { kind: "danger" })

/** Makes the section with the settings that every chat has, and with `own`, the settings of this kind of chat. */
export function chatSettings(info, path, ...own) {
  const { contact, groupInfo } = info, { chatPath, place } = app, it = contact ?? groupInfo
  const { sendRcpts } = settings(info) ?? {}, alias = contact ? words.setContactName : words.setChatName
  const rename = () =>
    ask(alias,
      [{ name: "localAlias", label: words.aliasHint, value: it.profile?.localAlias ?? it.localAlias }],
      ({ localAlias }) => app.patch(path, { alias: localAlias }))
  // Without a setting for this chat, the setting of the profile applies.
  const receipts = choice(words.receiptsOf, String(sendRcpts ?? ""), Object.entries(words.receiptChoices), send =>
    app.setChat(place, { sendRcpts: send ? send == "true" : null }))
  return section({ rows: [
    own,
    row(alias, rename),
    row(words.tags, editTags),
    row(words.chatTheme, () =>
      editTheme(words.chatTheme, it.uiThemes ?? {}, themes => app.patch(chatPath, { themes }), chatView())),
    row(words.wallpaper, () => editWallpaper(it.uiThemes ?? {}, themes => app.patch(chatPath, { themes }), true)),
    !isChannel(info) && receipts,
    timeChoice(it.chatItemTTL, ttlSeconds => app.patch(chatPath, { ttlSeconds }), [["", words.asForAll]]),
  ] })
}

/** Makes the row that deletes all items of the open chat. */
export const clearRow = () => {
  const { chatPath } = app
  return danger(words.clearChat, words.clearExplained, words.clear, () => app.post(`${chatPath}/clear`))
}

/**
 * Makes the section with the latest pictures of the chat, with rows that list media, links and files, and with the size
 * of the files.
 */
export function media() {
  const { place: chat, chatPath } = app, place = el("div.place"), pictures = el("div.pictures")
  /** @type {any[]} */
  let amount = []
  // The gateway reads the sizes of all files, which takes time, so the sum is added last. If the request fails, the sum
  // is left out.
  const readSize = async (/** @type {any} */ whole) => {
    const use = await app.get(`${chatPath}/files`).catch(() => ({ files: 0 }))
    for (const shown of amount) shown.remove()
    const clean = () => deleteFiles(chat, use, () => readSize(whole))
    amount = use.files > 0 ? [
      fact(words.filesHere, amountOf(use)),
      app.mayWrite && row(words.deleteChatFiles, clean, { kind: "danger" }),
    ].filter(Boolean) : []
    whole.querySelector("div").append(...amount)
    if (amount.length && !whole.isConnected) fill(place, whole)
  }
  const read = async () => {
    const { contentTypes } = await app.get(`${chatPath}/content-types`)
    const kinds = Object.keys(words.kinds).filter(kind => contentTypes.includes(kind))
    const rows = [pictures, kinds.map(kind => row(words.kinds[kind], () => showSearch(goTo, kind)))]
    const whole = section({ title: words.media, rows })
    if (kinds.length) fill(place, whole)
    readSize(whole)
    if (!kinds.includes("image")) return
    const { items } = await itemsWith({ tag: "image", limit: 6 })
    pictures.replaceChildren(...items.reverse().map(item => {
      const picture = smallPicture(item.content.msgContent?.image)
      return picture && button(el("img", { src: picture.address, alt: "" }), () => goTo(item.meta.itemId), {
        label: itemText(item),
      })
    }).filter(Boolean))
  }
  read()
  return place
}

/** Edits the tags of the chat, and creates a tag. */
function editTags() {
  const { contact, groupInfo } = app.chat(app.place).chatInfo
  const has = (contact ?? groupInfo).chatTags ?? []
  const known = app.model.chatTagsModel.userTags
  const { chatPath } = app
  const inputs = known.map(tag => ({
    name: `${tag.chatTagId}`,
    label: `${tag.chatTagEmoji ?? ""} ${tag.chatTagText}`,
    type: "checkbox",
    value: has.includes(tag.chatTagId),
  }))
  ask(words.tags, [...inputs, { name: "text", label: words.newTag, maxlength: 30 }], async ({ text, ...given }) => {
    const before = new Set(known.map(tag => tag.chatTagId))
    const made = text ? (await app.post("/tags", { text })).userTags.filter(tag => !before.has(tag.chatTagId)) : []
    await app.patch(chatPath, {
      tagIds: [
        ...Object.keys(given)
          .filter(id => given[id])
          .map(Number),
        ...made.map(tag => tag.chatTagId),
      ],
    })
  })
}
