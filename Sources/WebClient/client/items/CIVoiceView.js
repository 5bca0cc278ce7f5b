// A voice message without text and quote, which is shown without a bubble.
import { message, View, view, viewAgain } from "../elements/base.js"
import { CIMetaView } from "./CIMetaView.js"
import { FramedCIVoiceView } from "./FramedCIVoiceView.js"

export class CIVoiceView extends View {
  /** @type {FramedCIVoiceView | null} */ #voice = null

  draw(item, context) {
    this.#voice = viewAgain(this.#voice, FramedCIVoiceView, message(item).duration, item.file)
    return [this.#voice, view(CIMetaView, item.meta, context.type == "local")]
  }
}
