import { app, button, words } from "../elements/base.js"
import { CIEventView } from "./CIEventView.js"

export class CIFeaturePreferenceView extends CIEventView {
  draw(item, context) {
    const { type, feature, allowed, param } = item.content
    const offers =
      type == "rcvChatPreference"
      && ["yes", "always"].includes(allowed)
      && context.type == "direct"
      && !context.allows[feature]
      && app.mayWrite
    return [...super.draw(item), offers && button(words.allow, async () => {
      const ttl = feature == "timedMessages" && param ? { ttl: param } : {}
      await app.patch(`/contacts/${context.chatId}`, { preferences: { [feature]: { allow: "yes", ...ttl } } })
    }, { kind: "plain" })]
  }
}
