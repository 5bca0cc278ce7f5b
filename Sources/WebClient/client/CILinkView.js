// The card of a link, as its sender has made it: the host is shown, since the card can say anything.
import { View, define, el, text } from "./dom.js"
import { host, isSafe } from "./links.js"
import { openLink } from "./dialogs.js"
import { connectTo } from "./NewChatView.js"
import { smallPicture } from "./pictures.js"

export class CILinkView extends View {
  /** @param {any} card */
  draw(card) {
    if (!isSafe(card.uri)) return text(card.title)
    const picture = smallPicture(card.image)
    return el("a", {
      href: card.uri, target: "_blank", rel: "noopener noreferrer",
      on: { click: event => { event.preventDefault(); openLink(card.uri, connectTo) } },
    }, picture && el("img", { src: picture, alt: "", class: "picture" }), el("span", { class: "title" }, text(card.title)),
      card.description && el("span", { class: "description" }, text(card.description)), el("span", { class: "host" }, host(card.uri)))
  }
}
define("ci-link-view", CILinkView)
