import { app, button, el, isSent, sure, text, View, view, words } from "../elements/base.js"
import { CIMetaView } from "./CIMetaView.js"
import { ProfileImage } from "../elements/ProfileImage.js"

/** Makes buttons that accept and reject an invitation to a group. Rejecting the invitation deletes the group. */
export const invitationButtons = groupId => [
  button(words.join, () => app.post(`/groups/${groupId}/join`), { kind: "primary" }),
  button(words.reject, () =>
    sure(words.reject, words.rejectGroupExplained, words.reject, () => app.delete(`/chats/group/${groupId}`)), {
    kind: "danger",
  }),
]

export class CIGroupInvitationView extends View {
  draw(item) {
    const { groupInvitation, memberRole } = item.content
    const { groupProfile, status, groupId } = groupInvitation
    const joins = !isSent(item) && status == "pending" && app.mayWrite
    return [
      el("div.card",
        view(ProfileImage, groupProfile.image, groupProfile.displayName),
        text(groupProfile.displayName, "b")),
      el("span",
        isSent(item) ? words.groupInvitationSent : words.groupInvitation(words.role[memberRole] ?? memberRole)),
      joins ? el("footer", invitationButtons(groupId))
        : status != "pending" && el("em", words.invitationStatus[status] ?? ""),
      view(CIMetaView, item.meta),
    ]
  }
}
