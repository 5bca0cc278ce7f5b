import { app, button, el, set, text, View, withScheme, words } from "../elements/base.js"
import { link } from "./link.js"

export class MsgContentView extends View {
  draw(plain, formatted, isLive = false) {
    this.setAttribute("dir", "auto")
    return [
      formatted?.length ? formatted.map(part => formattedText(part)) : plain,
      isLive && el("span.live", { label: words.live }, " …"),
    ]
  }
}

function formattedText({ format, text: value }) {
  switch (format?.type) {
    case "bold": return el("strong", value)
    case "italic": return el("em", value)
    case "strikeThrough": return el("s", value)
    case "snippet": return el("code", value)
    case "small": return el("small", value)
    case "secret": return secret(value)
    case "colored":
      return el("span", { class: `color-${/^[a-z]+$/.test(format.color) ? format.color : "none"}` }, value)
    case "uri": return link(withScheme(value), value)
    case "hyperLink": return link(withScheme(format.linkUri), format.showText ?? format.linkUri)
    case "simplexLink": return link(format.simplexUri, format.showText ?? nameOfLink(format))
    case "simplexName": return button(value, () => app.connect(value), { kind: "command" })
    case "email": return link(`mailto:${value}`, value)
    case "phone": return link(`tel:${value.replace(/[^0-9+]/g, "")}`, value)
    case "command": return button(value, event => event.target.dispatchEvent(new CustomEvent("command", {
      detail: `/${format.commandStr}`, bubbles: true,
    })), { kind: "command" })
    case "mention": return el("b.mention", text(`@${format.memberName}`))
    // A format that this page does not know comes from a newer program. Its text is shown without a format.
    default: return value
  }
}

function nameOfLink({ linkType, smpHosts }) {
  const kind = words.linkKind[linkType] ?? words.link
  return words.simplexLink(smpHosts?.[0] ? `${kind} (${smpHosts[0]})` : kind)
}

/** Makes a hidden text, which is shown when the user presses it. */
function secret(value) {
  const element = button(value, () => {
    const isOpen = element.classList.toggle("open")
    set(element, { "aria-expanded": String(isOpen), label: isOpen ? value : words.secret })
  }, { kind: "secret", label: words.secret, "aria-expanded": "false" })
  return element
}
