// The message that another one answers.
import { View, define, el, text, view } from "./dom.js"
import { icon } from "./icons.js"
import { words } from "./words.js"
import { memberName } from "./chats.js"
import { smallPicture } from "./pictures.js"
import { MsgContentView } from "./MsgContentView.js"

export class QuoteView extends View {
  /** @param {any} quote @param {any} context @param {(itemId: number) => void} [go] */
  draw(quote, context, go) {
    const content = quote.content, picture = smallPicture(content.image)
    const direction = quote.chatDir?.type
    const name = direction == "groupRcv" ? memberName(quote.chatDir.groupMember) : direction == "directRcv" || direction == "channelRcv" ? context.name : direction ? words.you : ""
    this.setAttribute("role", "blockquote")
    const inner = content.text ? view(MsgContentView, content.text, quote.formattedText) : el("em", null, words.kind[content.type] ?? words.unknownItem)
    const inside = [name && el("span", { class: "name" }, text(name)), inner, picture && el("img", { src: picture, alt: "", class: "thumb" })]
    if (!go || !quote.itemId) return inside
    // Links inside stay links: the way there is a button beside them.
    return [...inside, el("button", { type: "button", class: "plain go", title: words.goToQuote, "aria-label": words.goToQuote, on: { click: () => go(quote.itemId) } }, icon("up"))]
  }
}
define("quote-view", QuoteView)
