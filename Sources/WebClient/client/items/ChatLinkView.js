import { app, button, el, text, View, view, words } from "../elements/base.js"
import { ProfileImage } from "../elements/ProfileImage.js"

export class ChatLinkView extends View {
  draw(chatLink) {
    const profile = chatLink.profile ?? chatLink.groupProfile, address = chatLink.connLink ?? chatLink.invLink
    if (!profile || !address) return words.unknownItem
    return [
      view(ProfileImage, profile.image, profile.displayName),
      el("span.name", text(profile.displayName, "b"), el("small", words.chatLink[chatLink.type] ?? "")),
      button(words.connect, () => app.connect(address)),
    ]
  }
}
