// Whether this browser lets the gateway read linked pages, for the previews of links in messages. The owners of the
// pages then learn the address of the gateway.
const kept = "simplex-gateway.previews"

export const makesCards = () => localStorage.getItem(kept) == "yes"

export function makeCards(/** @type {boolean} */ isWanted) {
  if (isWanted) localStorage.setItem(kept, "yes")
  else localStorage.removeItem(kept)
}
