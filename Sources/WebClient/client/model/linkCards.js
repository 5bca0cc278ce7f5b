// Whether this browser asks the gateway to read linked pages, for cards in messages. The owners of the pages learn the
// address of the gateway then.
const kept = "simplex-gateway.previews"

export const makesCards = () => localStorage.getItem(kept) == "yes"

export function makeCards(/** @type {boolean} */ isWanted) {
  if (isWanted) localStorage.setItem(kept, "yes")
  else localStorage.removeItem(kept)
}
