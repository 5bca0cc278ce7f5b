// Links in messages.
import { app, confirmed, el, host, isInvitation, isSafe, words } from "../elements/base.js"

/** A link to an address of a message; `shown` alone where the address is not safe. */
export function link(address, shown) {
  if (!isSafe(address)) return shown
  const click = event => {
    event.preventDefault()
    event.stopPropagation()
    open(address)
  }
  return el("a", { href: address, target: "_blank", rel: "noopener noreferrer", on: { click } }, shown)
}

/** Opens an address after the person has seen where it leads. */
async function open(address) {
  if (isInvitation(address)) return app.connect(address)
  const where = [el("p", words.linkLeadsTo), el("p", el("strong", host(address) || address)), el("p.address", address)]
  if (!await confirmed(words.openLink, where, words.open)) return
  el("a", { href: address, target: "_blank", rel: "noopener noreferrer" }).click()
}
