import { dialog, words } from "../elements/base.js"
import { memberLists } from "./GroupMemberInfoView.js"

export function showChannelMembers(info) {
  dialog(words.members, memberLists(info))
}
