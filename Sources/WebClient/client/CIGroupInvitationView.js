// An invitation to a group, to be accepted here.
import { View, define, el, button, text, view } from "./dom.js"
import { app } from "./app.js"
import { attempt } from "./dialogs.js"
import { words } from "./words.js"
import { isSent } from "./chats.js"
import { CIMetaView } from "./CIMetaView.js"
import { ProfileImage } from "./ProfileImage.js"

export class CIGroupInvitationView extends View {
  /** @param {any} item */
  draw(item) {
    const { groupInvitation, memberRole } = item.content
    const { groupProfile, status, groupId } = groupInvitation
    this.className = isSent(item) ? "sent" : "received"
    const joins = !isSent(item) && status == "pending" && app.mayWrite
    return [
      el("div", { class: "card" }, view(ProfileImage, groupProfile.image, groupProfile.displayName), text(groupProfile.displayName, "b")),
      el("span", null, isSent(item) ? words.groupInvitationSent : words.groupInvitation(words.role[memberRole] ?? memberRole)),
      joins ? button(words.join, () => attempt(() => app.api.post(`${app.users}/groups/${groupId}/join`)), { kind: "primary" })
        : status != "pending" && el("em", null, words.invitationStatus[status] ?? ""),
      view(CIMetaView, item.meta),
    ]
  }
}
define("ci-group-invitation-view", CIGroupInvitationView)
