// A feature that the other side has offered, and that can be allowed here.
import { define, button } from "./dom.js"
import { app } from "./app.js"
import { attempt } from "./dialogs.js"
import { words } from "./words.js"
import { CIEventView } from "./CIEventView.js"

export class CIFeaturePreferenceView extends CIEventView {
  /** @param {any} item @param {any} context */
  draw(item, context) {
    const { type, feature, allowed, param } = item.content
    const offers = type == "rcvChatPreference" && ["yes", "always"].includes(allowed) && context.type == "direct" && !context.allows[feature] && app.mayWrite
    return [...super.draw(item), offers && button(words.allow, () => attempt(async () => {
      const contact = app.session.chatInfo.contact
      const preferences = { ...contact.userPreferences, [feature]: { allow: "yes", ...(feature == "timedMessages" && param ? { ttl: param } : {}) } }
      await app.api.put(`${app.users}/contacts/${contact.contactId}/preferences`, { preferences })
    }), { kind: "plain" })]
  }
}
define("ci-feature-preference-view", CIFeaturePreferenceView)
