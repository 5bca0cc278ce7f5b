// Parts that the dialogs about contacts, groups and members share.
import {
  app, ask, button, dangerous, el, fill, isChannel, leading, say, settings, sure, text, view, words,
} from "../elements/base.js"
import { ProfileImage } from "../elements/ProfileImage.js"
import { editTime } from "../settings/profileForms.js"
import { editTheme } from "../shell/themes.js"

export const head = (image, title, profile) =>
  el("div.profile",
    view(ProfileImage, image, title),
    el("h3", text(title)),
    ["fullName", "shortDescr", "description"].map(name => profile?.[name] && el("p", text(profile[name]))))

/** Makes the part with the security code, and with buttons that repair a connection. */
export function security(peer, path) {
  const code = el("output.address"), connection = peer.activeConn
  if (!connection) return null
  const show = async () => {
    const { connectionCode } = await app.get(`${path}/code`), isVerified = Boolean(connection.connectionCode)
    fill(code, connectionCode, app.mayWrite && button(isVerified ? words.notVerified : words.verify, async () => {
      await app.post(`${path}/verify`, isVerified ? {} : { connectionCode })
      say(isVerified ? words.notVerified : words.verified)
    }, { kind: "plain" }))
  }
  return [
    el("dl",
      el("dt", words.encryption),
      el("dd", connection.pqRcvEnabled && connection.pqSndEnabled ? words.quantum : words.endToEnd),
      el("dt", words.securityCode),
      el("dd", connection.connectionCode ? `${words.verified} ` : "", button(words.show, show, { kind: "plain" }), code)
    ),
    app.mayWrite
      && el("footer.actions",
        button(words.switchAddress, () =>
          sure(words.switchAddress, words.switchExplained, words.switchAddress, () => app.post(`${path}/switch`))),
        button(words.fixConnection, () =>
          sure(words.fixConnection, words.fixExplained, words.fix, () => app.post(`${path}/sync`)))),
  ]
}

export const deleteChat = async (query = "") => {
  const { chatPath } = app
  app.go(null)
  await app.delete(chatPath + query)
}

/** Makes the buttons of the actions that every chat has, and adds `own`, the actions of this kind of chat. */
export function actions(info, path, close, own, last) {
  const { contact, groupInfo } = info, { chatPath, place } = app, it = contact ?? groupInfo
  const { enableNtfs = "all", favorite, sendRcpts } = settings(info) ?? {}
  const set = async change => {
    await app.setChat(place, change)
    close()
  }
  const open = leading(close), notify = (name, enableNtfs) => button(name, () => set({ enableNtfs }))
  const rename = () =>
    ask(words.alias,
      [{ name: "localAlias", label: words.aliasHint, value: it.profile?.localAlias ?? it.localAlias }],
      ({ localAlias }) => app.patch(path, { alias: localAlias }))
  // Without a setting for this chat, the setting of the profile applies.
  const editReceipts = () =>
    ask(words.receiptsOf, [{
      name: "send",
      label: words.receiptsOf,
      value: String(sendRcpts ?? ""),
      options: Object.entries(words.receiptChoices),
    }], ({ send }) => set({ sendRcpts: send ? send == "true" : null }))
  return el("footer.actions",
    button(favorite ? words.notFavorite : words.makeFavorite, () => set({ favorite: !favorite })),
    enableNtfs == "all" ? notify(words.mute, "none") : notify(words.unmute, "all"),
    groupInfo && enableNtfs != "mentions" && notify(words.onlyMentions, "mentions"),
    open(words.alias, rename), open(words.tags, editTags),
    open(words.theme, () =>
      editTheme(
        it.uiThemes ?? {},
        themes => app.patch(chatPath, { themes }),
        /** @type {any} */ (document.querySelector("chat-view"))
      )),
    open(words.keepItems, () =>
      editTime(it.chatItemTTL, ttlSeconds => app.patch(chatPath, { ttlSeconds }), [["", words.asForAll]])),
    !isChannel(info) && open(words.receiptsOf, editReceipts), own,
    dangerous(close)(words.clearChat, words.clearExplained, words.clear, () => app.post(`${chatPath}/clear`)), last)
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
