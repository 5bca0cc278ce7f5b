import { el, View, view } from "../elements/base.js"
import { eventText } from "./CIEventView.js"
import { CIMetaView } from "./CIMetaView.js"

export class IntegrityErrorItemView extends View {
  draw(item, context) {
    this.className = "problem"
    return [el("em", eventText(item)), view(CIMetaView, item.meta)]
  }
}
