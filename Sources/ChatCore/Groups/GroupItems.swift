internal import ChatAPI
internal import SQLCipher

/// The items by which a group shows its beginning and its changes.
enum GroupItems {
    /// The items of a new group, each emitted as the original does.
    static func created(_ group: inout GroupRecord, _ user: UserRecord, _ tx: Transaction) throws {
        var banner = NewItem(isSent: true, content: .chatBanner, text: "chat banner", status: .sndNew)
        banner.itemTs = .epoch
        try emit([banner], in: &group, user, tx)
        let encryption = NewItem(
            isSent: true, content: .sndGroupE2EEInfo(e2eeInfo: E2EInfo(pqEnabled: false)), text: PostQuantumNews.text(false), status: .sndNew)
        try emit([encryption], in: &group, user, tx)
        let preferences = group.preferences
        try emit(GroupFeature.shown.map { feature(preferences.state($0), $0) }, in: &group, user, tx)
    }

    /// The user has changed the profile.
    static func updated(from before: GroupRecord, to group: inout GroupRecord, _ user: UserRecord, _ tx: Transaction) throws {
        if !group.profile.looksLike(before.profile) {
            let change = NewItem(
                isSent: true, content: .sndGroupEvent(sndGroupEvent: .groupUpdated(groupProfile: group.profile)), text: "group profile updated",
                status: .sndNew)
            try emit([change.shared], in: &group, user, tx)
        }
        let (old, new) = (before.preferences, group.preferences)
        for shown in GroupFeature.shown where old.state(shown) != new.state(shown) { try emit([feature(new.state(shown), shown)], in: &group, user, tx) }
    }

    static func left(_ group: inout GroupRecord, _ user: UserRecord, _ tx: Transaction) throws {
        let left = NewItem(isSent: true, content: .sndGroupEvent(sndGroupEvent: .userLeft), text: "left", status: .sndNew)
        try emit([left.shared], in: &group, user, tx)
    }

    private static func feature(_ state: GroupFeatureState, _ feature: GroupFeature) -> NewItem {
        NewItem(
            isSent: true,
            content: .sndGroupFeature(groupFeature: feature, preference: state.preference, param: state.seconds, memberRole_: state.role),
            text: state.text(feature), status: .sndNew)
    }

    private static func emit(_ new: [NewItem], in group: inout GroupRecord, _ user: UserRecord, _ tx: Transaction) throws {
        // The event shows the group as it was before it came to the top of the list.
        let info = group.info(user)
        let items = try new.map { try ItemWriter.create($0, in: &group, movesChat: $0.asksForAttention, tx) }
        try tx.emit(.newChatItems(user: user.api, chatItems: items.map { $0.api(in: info, at: tx.now) }), user: user.userId)
    }
}

extension NewItem {
    /// With an id that members know it by.
    fileprivate var shared: NewItem {
        var item = self
        item.sharedID = .random()
        return item
    }
}

extension GroupProfile {
    /// Whether they differ in nothing but the preferences.
    fileprivate func looksLike(_ other: GroupProfile) -> Bool {
        var (own, other) = (self, other)
        own.groupPreferences = nil
        other.groupPreferences = nil
        return own == other
    }
}
