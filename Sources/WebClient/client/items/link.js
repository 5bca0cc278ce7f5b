// Links in messages.
import { app, confirmed, el, host, isInvitation, isSafe, words } from "../elements/base.js"

/** Makes a link to an address in a message. If the address is not safe, returns only the text `shown`. */
export function link(address, shown) {
  if (!isSafe(address)) return shown
  const click = event => {
    event.preventDefault()
    event.stopPropagation()
    open(address)
  }
  return el("a", { href: address, target: "_blank", rel: "noopener noreferrer", on: { click } }, shown)
}

/** Opens an address after the user has confirmed the host to which it leads. */
async function open(address) {
  if (isInvitation(address)) return app.connect(address)
  const where = [el("p", words.linkLeadsTo), el("p", el("strong", host(address) || address)), el("p.address", address)]
  if (!await confirmed(words.openLink, where, words.open)) return
  el("a", { href: address, target: "_blank", rel: "noopener noreferrer" }).click()
}
