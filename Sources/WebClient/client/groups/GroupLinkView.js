// The link of a group, which admins can create and delete, and the link of a channel, which always exists.
import { app, button, choice, confirmed, section, sure, words } from "../elements/base.js"
import { showLink } from "../chats/showLink.js"
import { roleOptions } from "./GroupMemberInfoView.js"

export const showChannelLink = ({ groupId, groupProfile }) =>
  showLink(words.channelLink, words.channelLinkShow,
    { connShortLink: groupProfile.publicGroup.groupLink },
    `/groups/${groupId}/link/qr.svg`)

export const showGroupLink = async (group, path) => {
  let link = (await app.find(`${path}/link`))?.groupLink
  if (!link) {
    if (!await confirmed(words.groupLink, words.groupLinkNone, words.createAddress)) return
    link = (await app.post(`${path}/link`, { memberRole: "member" })).groupLink
  }
  const remove = () => sure(words.groupLink, words.groupLinkDelete, words.delete, async () => {
    await app.delete(`${path}/link`)
    box.close()
  })
  const role = choice(words.roleOfNew, link.acceptMemberRole, roleOptions("member"), memberRole =>
    app.patch(`${path}/link`, { memberRole }))
  const box = await showLink(words.groupLink, words.groupLinkShow, link.connLinkContact,
    `${path}/link/qr.svg`,
    button(words.delete, remove, { kind: "danger" }))
  box.querySelector("footer")?.before(section({ rows: [role] }) || "")
}
