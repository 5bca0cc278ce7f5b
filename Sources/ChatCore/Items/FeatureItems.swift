internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Chat items that show the features of a chat and their changes.
enum FeatureItems {
    enum Side {
        case user, contact
        /// The user, who changes a preference before the contact is connected. The items of this change are written as
        /// received and read items, like the initial items of a chat.
        case userBeforeConnecting
    }

    /// Writes a chat item for each feature when a contact is connected, and emits one event with all items.
    static func emitInitialItems(_ contact: inout ContactRecord, _ user: UserRecord, _ tx: Transaction) throws {
        try emitItems(writeInitialItems(&contact, user, tx), contact, user, tx)
    }

    /// Writes a chat item for each feature that chats with contacts show, and returns the items. Emits no events.
    static func writeInitialItems(
        _ contact: inout ContactRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> [ItemRecord] {
        try DirectFeature.shownFeatures.map { feature in
            let state = contact.feature(feature, user: user)
            var new = NewItem(
                isSent: false,
                content: .rcvChatFeature(
                    feature: feature.apiFeature,
                    enabled: state.enabledSides.api,
                    param: state.lifetimeSeconds.map { Int($0) }
                ),
                text: state.stateText,
                status: .rcvRead
            )
            new.itemTs = tx.now
            return try ItemWriter.create(new, in: &contact, movesChat: false, tx)
        }
    }

    /// Writes chat items for a change of preferences by the user or the contact, and emits an event. The event is
    /// emitted even without items, as the original program does.
    static func emitChangeItems(
        from before: ContactRecord,
        _ userBefore: UserRecord,
        to contact: inout ContactRecord,
        _ user: UserRecord,
        side: Side,
        _ tx: Transaction
    ) throws {
        try emitItems(writeChangeItems(from: before, userBefore, to: &contact, user, side: side, tx), contact, user, tx)
    }

    /// Writes chat items for features whose state has changed, and for changed preferences that leave the state of
    /// their feature unchanged. Returns the items, and emits no events.
    static func writeChangeItems(
        from before: ContactRecord,
        _ userBefore: UserRecord,
        to contact: inout ContactRecord,
        _ user: UserRecord,
        side: Side,
        _ tx: Transaction
    ) throws -> [ItemRecord] {
        var items: [ItemRecord] = []
        for feature in DirectFeature.shownFeatures {
            let old = before.feature(feature, user: userBefore)
            let new = contact.feature(feature, user: user)
            let (oldOffer, newOffer) =
                side != .contact
                ? (old.userPreference.comparableState, new.userPreference.comparableState)
                : (old.contactPreference.comparableState, new.contactPreference.comparableState)
            let content: CIContent
            let text: String
            if old.state != new.state {
                let (enabled, param) = (new.enabledSides.api, new.lifetimeSeconds.map { Int($0) })
                content =
                    side == .user
                    ? .sndChatFeature(feature: feature.apiFeature, enabled: enabled, param: param)
                    : .rcvChatFeature(feature: feature.apiFeature, enabled: enabled, param: param)
                text = new.stateText
            } else if oldOffer != newOffer {
                let (allow, param) = (newOffer.allow, newOffer.lifetimeSeconds.map { Int($0) })
                let offer = ContactFeature.offerText(feature, newOffer)
                content =
                    side == .user
                    ? .sndChatPreference(feature: feature.apiFeature, allowed: allow, param: param)
                    : .rcvChatPreference(feature: feature.apiFeature, allowed: allow, param: param)
                text = side == .user ? "you \(offer)" : offer
            } else {
                continue
            }
            let item = NewItem(
                isSent: side == .user,
                content: content,
                text: text,
                status: side == .user ? .sndNew : .rcvRead
            )
            items.append(try ItemWriter.create(item, in: &contact, movesChat: item.isSentOrUnread, tx))
        }
        return items
    }

    static func emitItems(_ items: [ItemRecord], _ contact: ContactRecord, _ user: UserRecord, _ tx: Transaction) throws
    {
        let apiContact = contact.api(user)
        try tx.emit(
            .newChatItems(user: user.api, chatItems: items.map { $0.api(in: apiContact, at: tx.now) }),
            user: user.userId
        )
    }
}
