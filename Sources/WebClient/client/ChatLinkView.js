// The card of a contact or a group, to connect to.
import { View, define, el, button, text, view } from "./dom.js"
import { words } from "./words.js"
import { connectTo } from "./NewChatView.js"
import { ProfileImage } from "./ProfileImage.js"

export class ChatLinkView extends View {
  /** @param {any} chatLink */
  draw(chatLink) {
    const profile = chatLink.profile ?? chatLink.groupProfile, address = chatLink.connLink ?? chatLink.invLink
    if (!profile || !address) return words.unknownItem
    return [view(ProfileImage, profile.image, profile.displayName), el("span", { class: "name" }, text(profile.displayName, "b"), el("small", null, words.chatLink[chatLink.type] ?? "")),
      button(words.connect, () => connectTo(address))]
  }
}
define("chat-link-view", ChatLinkView)
