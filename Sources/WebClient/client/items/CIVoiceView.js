// A voice message that comes with nothing else: it needs no bubble.
import { message, View, view } from "../elements/base.js"
import { CIMetaView } from "./CIMetaView.js"
import { FramedCIVoiceView } from "./FramedCIVoiceView.js"

export class CIVoiceView extends View {
  draw(item, context) { return [view(FramedCIVoiceView, message(item).duration, item.file), view(CIMetaView, item.meta, context.type == "local")] }
}
