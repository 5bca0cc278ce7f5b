// The card of a link, as its sender has made it: the host is shown, since the card can say anything.
import { el, host, isSafe, openLink, smallPicture, text, View } from "./base.js"
import { connectTo } from "./NewChatView.js"

export class CILinkView extends View {
  draw(card) {
    if (!isSafe(card.uri)) return text(card.title)
    const picture = smallPicture(card.image)
    return el("a", {
      href: card.uri, target: "_blank", rel: "noopener noreferrer",
      on: { click: event => { event.preventDefault(); openLink(card.uri, connectTo) } },
    }, picture && el("img", { src: picture, alt: "", class: "picture" }), el("span.title", text(card.title)),
      card.description && el("span.description", text(card.description)), el("span.host", host(card.uri)))
  }
}
