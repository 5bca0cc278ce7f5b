import { CIEventView } from "./CIEventView.js"

const icons = {
  timedMessages: "⏱",
  fullDelete: "🗑",
  reactions: "☺",
  voice: "🎤",
  files: "📎",
  calls: "📞",
  directMessages: "✉",
  simplexLinks: "🔗",
  reports: "⚑",
  history: "🕘",
}

export class CIChatFeatureView extends CIEventView {
  draw(item) { return [icons[item.content.feature ?? item.content.groupFeature] ?? "⚙", " ", ...super.draw(item)] }
}
