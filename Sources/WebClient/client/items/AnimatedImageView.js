// An animated picture with a button that stops it. For users who prefer reduced motion, the picture does not move at
// first.
import { button, el, fill, icon, set, View, words } from "../elements/base.js"
import { showFullScreen } from "./FullScreenMediaView.js"

export class AnimatedImageView extends View {
  draw(picture, file) {
    const still = el("canvas.picture", { width: picture.naturalWidth, height: picture.naturalHeight })
    still.style.width = picture.style.width
    still.getContext("2d").drawImage(picture, 0, 0)
    const shown = button(picture, () => showFullScreen(picture.cloneNode(), file), {
      kind: "picture plain",
      label: words.enlarge,
    })
    const control = button("", () => move(!shown.contains(picture)), { kind: "over" })
    const move = moves => {
      fill(shown, moves ? picture : still)
      fill(control, icon(moves ? "pause" : "play"))
      set(control, { label: moves ? words.pause : words.play })
    }
    move(!matchMedia("(prefers-reduced-motion: reduce)").matches)
    return [shown, control]
  }
}
