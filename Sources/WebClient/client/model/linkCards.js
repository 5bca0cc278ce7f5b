// The setting of this browser whether the gateway reads linked pages for previews. The servers of these pages learn the
// address of the gateway.
import { browserStorage } from "./storage.js"

const kept = "simplex-gateway.previews"

export const makesCards = () => browserStorage.getItem(kept) == "yes"

export function makeCards(/** @type {boolean} */ isWanted) {
  if (isWanted) browserStorage.setItem(kept, "yes")
  else browserStorage.removeItem(kept)
}
