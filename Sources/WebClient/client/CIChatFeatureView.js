// A feature that was switched on or off.
import { define } from "./dom.js"
import { CIEventView } from "./CIEventView.js"

const icons = { timedMessages: "⏱", fullDelete: "🗑", reactions: "☺", voice: "🎤", files: "📎", calls: "📞", directMessages: "✉", simplexLinks: "🔗", reports: "⚑", history: "🕘" }

export class CIChatFeatureView extends CIEventView {
  /** @param {any} item */
  draw(item) { return [icons[item.content.feature ?? item.content.groupFeature] ?? "⚙", " ", ...super.draw(item)] }
}
define("ci-chat-feature-view", CIChatFeatureView)
