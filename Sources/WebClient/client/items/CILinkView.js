// The preview of a linked page, as made by the sender. The host is shown too, since the sender can write any text into
// the preview.
import { el, host, isSafe, smallPicture, text, View } from "../elements/base.js"
import { drawnPicture } from "./ImageView.js"
import { link } from "./link.js"

export class CILinkView extends View {
  draw(card) {
    if (!isSafe(card.uri)) return text(card.title)
    const picture = smallPicture(card.image)
    return link(card.uri, [picture && drawnPicture(picture, ""), el("span.title", text(card.title)),
      card.description && el("span.description", text(card.description)), el("span.host", host(card.uri))])
  }
}
