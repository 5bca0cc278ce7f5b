import { button, el, memberName, shortened, smallPicture, text, View, view, words } from "../elements/base.js"
import { hue } from "../elements/ProfileImage.js"
import { MsgContentView } from "./MsgContentView.js"

export class QuoteView extends View {
  draw(quote, context, go) {
    const content = quote.content, picture = smallPicture(content.image)
    const direction = quote.chatDir?.type
    const name =
      direction == "groupRcv"
        ? memberName(quote.chatDir.groupMember)
        : direction == "directRcv" || direction == "channelRcv"
          ? context.name
          : direction
            ? words.you
            : ""
    const isOther = direction?.endsWith("Rcv")
    this.setAttribute("role", "blockquote")
    const inner = content.text
      ? view(MsgContentView, ...shortened(content.text, quote.formattedText))
      : el("em", words.kind[content.type] ?? words.unknownItem)
    const inside = [
      name && el("span", { class: isOther ? `name ${hue(name)}` : "name" }, text(name)),
      inner,
      picture && el("img", { src: picture.address, alt: "", class: "thumb" }),
    ]
    if (!go || !quote.itemId) return inside
    // The quoted text can contain links, so a separate button leads to the quoted item.
    return [...inside, button(words.goToQuote, () => go(quote.itemId), { icon: "up", kind: "plain go" })]
  }
}
