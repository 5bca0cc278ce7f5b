// Chooses the view for an item, and adds the parts that all items have: the sender's picture, reactions, the menu, and
// the checkbox of a selection.
import {
  app, button, el, fill, isOnlyEmoji, isSent, memberName, menu, message, set, View, view, viewAgain, words,
} from "../elements/base.js"
import { ChatBannerView } from "./ChatBannerView.js"
import { CICallItemView } from "./CICallItemView.js"
import { CIChatFeatureView } from "./CIChatFeatureView.js"
import { CIEventView } from "./CIEventView.js"
import { CIFeaturePreferenceView } from "./CIFeaturePreferenceView.js"
import { CIGroupInvitationView } from "./CIGroupInvitationView.js"
import { CIInvalidJSONView } from "./CIInvalidJSONView.js"
import { CIMemberCreatedContactView } from "./CIMemberCreatedContactView.js"
import { CIRcvDecryptionError } from "./CIRcvDecryptionError.js"
import { CIUnknownItemView } from "./CIUnknownItemView.js"
import { CIVoiceView } from "./CIVoiceView.js"
import { DeletedItemView } from "./DeletedItemView.js"
import { EmojiItemView } from "./EmojiItemView.js"
import { FramedItemView, senderName } from "./FramedItemView.js"
import { IntegrityErrorItemView } from "./IntegrityErrorItemView.js"
import { MarkedDeletedItemView } from "./MarkedDeletedItemView.js"
import { ProfileImage } from "../elements/ProfileImage.js"
import { itemMenu } from "./itemMenu.js"
import { react } from "../model/changes.js"

/**
 * The view of each kind of content, without the `snd` or `rcv` at the beginning of its name. Other kinds are unknown.
 */
const renderers = {
  MsgContent: FramedItemView,
  Deleted: DeletedItemView,
  Moderated: DeletedItemView,
  Blocked: DeletedItemView,
  Call: CICallItemView,
  IntegrityError: IntegrityErrorItemView,
  MsgError: IntegrityErrorItemView,
  DecryptionError: CIRcvDecryptionError,
  GroupInvitation: CIGroupInvitationView,
  DirectEvent: CIEventView,
  GroupEvent: CIEventView,
  ConnEvent: CIEventView,
  DirectE2EEInfo: CIEventView,
  GroupE2EEInfo: CIEventView,
  ChatFeature: CIChatFeatureView,
  GroupFeature: CIChatFeatureView,
  ChatFeatureRejected: CIChatFeatureView,
  GroupFeatureRejected: CIChatFeatureView,
  ChatPreference: CIFeaturePreferenceView, invalidJSON: CIInvalidJSONView, chatBanner: ChatBannerView,
}

export function renderer(item) {
  const content = item.content?.type, name = content?.replace(/^(snd|rcv)(?=[A-Z])/, "")
  const kind = Object.hasOwn(renderers, name) ? renderers[name] : CIUnknownItemView
  if (content == "rcvGroupEvent" && item.content.rcvGroupEvent?.type == "memberCreatedContact")
    return CIMemberCreatedContactView
  if (kind === FramedItemView) {
    if (!message(item)) return CIUnknownItemView
    if (item.meta.itemDeleted) return MarkedDeletedItemView
    const { type, text } = item.content.msgContent
    if (item.quotedItem || item.meta.itemForwarded) return kind
    if (type == "text" && isOnlyEmoji(text)) return EmojiItemView
    if (type == "voice" && !text) return CIVoiceView
  }
  return kind
}

const bubbles = new Set([
  FramedItemView,
  EmojiItemView,
  CIVoiceView,
  DeletedItemView,
  MarkedDeletedItemView,
  CIGroupInvitationView,
  IntegrityErrorItemView,
  CIRcvDecryptionError,
  CIInvalidJSONView,
])

export class ChatItemView extends View {
  #content = el("div.content")
  /** @type {View | null} */ #inner = null
  /** @type {any} */ #name = null

  draw(item, ...more) {
    // An item with unexpected data is shown as unknown, so that the other items are still shown.
    try { return this.#row(item, ...more) } catch { return view(CIUnknownItemView, item) }
  }

  #row(item, showsName, isLast, context, isSelected, isInAlbum = false) {
    set(this, { id: `item${item.meta.itemId}`, role: "listitem", tabindex: -1 })
    const kind = renderer(item), isBubble = bubbles.has(kind)
    const hasFace = context.isGroup && !isSent(item) && isBubble && !isInAlbum
    this.className = [
      isBubble ? (isSent(item) ? "sent" : "received") : "event",
      isLast ? "last" : "",
      isInAlbum && message(item).text ? "wide" : "",
      hasFace ? "withFace" : "",
      isSelected ? "selected" : "",
    ].join(" ")
    // The banner has no sender and no actions.
    if (kind === ChatBannerView) { this.className = "banner"; return view(kind, context) }
    const nameHasFocus = this.#name?.contains(document.activeElement)
    const inner = this.#inner = viewAgain(this.#inner, kind, item, context, showsName)
    this.#name?.remove()
    this.#name = showsName && isBubble && kind !== FramedItemView ? senderName(item, context) : null
    if (this.#name) inner.prepend(this.#name)
    if (nameHasFocus) this.#name?.focus({ preventScroll: true })
    if (isBubble) inner.classList.add(isSent(item) ? "sent" : "received")
    // While the user selects items, pressing anywhere in a row selects its item.
    this.onclick = isSelected === null ? null : event => { if (event.target.tagName != "INPUT") context.select(item) }
    const open = at => itemMenu(item, context, at)
    this.oncontextmenu = event => {
      // On a link, a video or selected text, the browser's own menu is more useful.
      if (event.target.closest("a, input, video") || String(getSelection())) return
      event.preventDefault()
      open(event.clientX || event.clientY ? { x: event.clientX, y: event.clientY } : this)
    }
    fill(this.#content, inner, reactions(item, context))
    const face = hasFace && (isLast ? senderFace(item, context) : el("span.face"))
    return [
      isSelected !== null
        && el("input", {
          type: "checkbox",
          label: words.select,
          checked: isSelected,
          on: { change: () => context.select(item) },
        }),
      face, this.#content,
      isSelected === null
        && button(words.actions, event => open(event.currentTarget), {
          icon: "more",
          kind: "plain more",
          "aria-haspopup": "menu",
        }),
    ]
  }
}

/** Makes the picture of the sender. It cannot be focused with the keyboard, since the sender's name above can. */
export function senderFace(item, context) {
  const { type, groupMember } = item.chatDir, isOfChannel = type == "channelRcv"
  const name = isOfChannel ? context.name : memberName(groupMember)
  const image = isOfChannel ? context.image : groupMember?.memberProfile?.image
  const picture = view(ProfileImage, image, name, isOfChannel ? "📣" : "")
  const more = { kind: "plain face", label: words.aboutSender(name), tabindex: -1 }
  return button(picture, () => context.showSender(item), more)
}

/** Makes the row of reactions below a message. */
function reactions(item, context) {
  if (!item.reactions?.length || item.meta.itemDeleted) return null
  return el("div.reactions",
    { role: "group", label: words.reactions },
    item.reactions.map(({ reaction, userReacted, totalReacted }) => {
      if (reaction.type != "emoji") return el("span", { title: words.unknownKind }, `? ${totalReacted}`)
      const isFixed = !context.allows.reactions || !app.mayWrite
      const { emoji } = reaction
      const ask = () => showReactions(item, emoji, context, chip)
      const chip = button(
        totalReacted > 1 || context.isGroup ? `${emoji} ${totalReacted}` : emoji,
        isFixed ? ask : () => react(item, emoji, !userReacted, context),
        {
          kind: "chip",
          id: `reaction${item.meta.itemId}${emoji}`,
          "aria-pressed": String(userReacted),
          label: words.reacted(emoji, totalReacted),
          disabled: isFixed && !context.isGroup,
        }
      )
      if (context.isGroup)
        chip.addEventListener("contextmenu", event => {
          event.preventDefault()
          event.stopPropagation()
          ask()
        })
      return chip
    }))
}

/** Shows the members who have reacted with this emoji (ReactionContextMenu). */
async function showReactions(item, emoji, context, at) {
  const own = app.session?.chatInfo?.groupInfo?.membership.groupMemberId
  const path = `${app.users}/groups/${context.chatId}/messages/${item.meta.itemId}/reactions`
  const memberReactions = await app.api.all(`${path}?emoji=${encodeURIComponent(emoji)}`, "memberReactions")
  const entries = memberReactions.map(({ groupMember }) => ({
    name: groupMember.groupMemberId == own ? words.you : memberName(groupMember),
    run: () => context.showSender({ chatDir: { type: "groupRcv", groupMember } }),
  }))
  menu({ at, label: words.reacted(emoji, memberReactions.length), entries })
}
