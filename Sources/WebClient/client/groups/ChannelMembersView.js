import { dialog, words } from "../elements/base.js"
import { memberLists } from "./GroupMemberInfoView.js"

export function showChannelMembers(info) {
  const box = dialog(words.members, memberLists(info, () => box.close()))
}
