// The setting of this browser whether the gateway reads linked pages for previews. The servers of these pages learn the
// address of the gateway.
const kept = "simplex-gateway.previews"

export const makesCards = () => localStorage.getItem(kept) == "yes"

export function makeCards(/** @type {boolean} */ isWanted) {
  if (isWanted) localStorage.setItem(kept, "yes")
  else localStorage.removeItem(kept)
}
