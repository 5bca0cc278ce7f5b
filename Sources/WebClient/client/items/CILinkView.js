// The card of a link, as its sender has made it: the host is shown, since the card can say anything.
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
