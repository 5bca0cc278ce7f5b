// The first item of a chat, with name, picture and description of the profile.
import { el, text, View, view, words } from "../elements/base.js"
import { ProfileImage } from "../elements/ProfileImage.js"

export class ChatBannerView extends View {
  draw({ name, image, icon, about, kind }) {
    return [
      view(ProfileImage, image, name, icon),
      text(name, "b"),
      about.filter(line => line && line != name).map(line => el("p", text(line))),
      el("small", words.bannerOf[kind] ?? ""),
    ]
  }
}
