internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// Chat items about the beginning of a group, and about changes of the group.
enum GroupItems {
    /// Writes the first items of a new group, and emits them in the same events as the original program.
    static func writeNewGroupItems(_ group: inout GroupRecord, _ user: UserRecord, _ tx: Transaction) throws {
        try createAndEmitItems([.banner], in: &group, user, tx)
        try writeFirstItems(&group, user, tx)
    }

    /// Writes and emits the items about encryption and features in a group that the user has created.
    static func writeFirstItems(_ group: inout GroupRecord, _ user: UserRecord, _ tx: Transaction) throws {
        // A channel is not end-to-end encrypted, because a relay can read every message that it forwards.
        let encryption = NewItem(
            isSent: true,
            content: .sndGroupE2EEInfo(e2eeInfo: E2EInfo(public: group.isChannel ? true : nil, pqEnabled: false)),
            text: group.isChannel
                ? "This channel or group is NOT end-to-end encrypted." : PostQuantumItems.encryptionText(false),
            status: .sndNew
        )
        try createAndEmitItems([encryption], in: &group, user, tx)
        let preferences = group.preferences
        try createAndEmitItems(
            GroupFeature.shownFeatures.map { makeFeatureItem(preferences.state($0), $0) },
            in: &group,
            user,
            tx
        )
    }

    /// Writes the items of a group that the user may join. Emits no event about these items, since the event about the
    /// new chat comes later.
    static func writePreparedGroupItems(_ group: inout GroupRecord, by host: MemberRecord?, _ tx: Transaction) throws {
        _ = try ItemWriter.create(.banner, in: &group, movesChat: false, tx)
        let preferences = group.preferences
        for shown in GroupFeature.shownFeatures {
            let state = preferences.state(shown)
            var item = NewItem(
                isSent: false,
                content: .rcvGroupFeature(
                    groupFeature: shown,
                    preference: state.preference,
                    param: state.durationSeconds,
                    memberRole_: state.lowestRole
                ),
                text: state.text(shown),
                status: .rcvRead
            )
            item.author = host
            item.showsGroupAsSender = true
            _ = try ItemWriter.create(item, in: &group, movesChat: false, tx)
        }
    }

    /// Writes and emits the items about the changes that the user has made to the profile of the group.
    /// - Parameter id: the id of the message that tells the members about the change.
    static func writeProfileChangeItems(
        from before: GroupRecord,
        to group: inout GroupRecord,
        id: SharedMessageID,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        if !group.profile.equalsIgnoringPreferences(before.profile) {
            try writeEventItems([(.groupUpdated(groupProfile: group.profile), id)], in: &group, user, tx)
        }
        let (old, new) = (before.preferences, group.preferences)
        for shown in GroupFeature.shownFeatures where old.state(shown) != new.state(shown) {
            try createAndEmitItems([makeFeatureItem(new.state(shown), shown)], in: &group, user, tx)
        }
    }

    private static func makeFeatureItem(
        _ state: GroupFeatureState,
        _ feature: GroupFeature,
        by member: MemberRecord? = nil
    ) -> NewItem {
        let content: CIContent =
            member == nil
            ? .sndGroupFeature(
                groupFeature: feature,
                preference: state.preference,
                param: state.durationSeconds,
                memberRole_: state.lowestRole
            )
            : .rcvGroupFeature(
                groupFeature: feature,
                preference: state.preference,
                param: state.durationSeconds,
                memberRole_: state.lowestRole
            )
        var item = NewItem(
            isSent: member == nil,
            content: content,
            text: state.text(feature),
            status: member == nil ? .sndNew : .rcvRead
        )
        item.author = member
        return item
    }

    /// Writes and emits the items about encryption and features in a group that the user has joined.
    static func writeJoinedGroupItems(
        _ group: inout GroupRecord,
        by host: MemberRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        // A channel is not end-to-end encrypted, because a relay can read every message that it forwards.
        var encryption = NewItem(
            isSent: false,
            content: .rcvGroupE2EEInfo(e2eeInfo: E2EInfo(public: group.isChannel ? true : nil, pqEnabled: false)),
            text: group.isChannel
                ? "This channel or group is NOT end-to-end encrypted." : PostQuantumItems.encryptionText(false),
            status: .rcvRead
        )
        encryption.author = host
        try createAndEmitItems([encryption], in: &group, user, tx)
        // The chat of a prepared group already has the items about features.
        guard group.preparation == nil else { return }
        let preferences = group.preferences
        try createAndEmitItems(
            GroupFeature.shownFeatures.map { makeFeatureItem(preferences.state($0), $0, by: host) },
            in: &group,
            user,
            tx
        )
    }

    /// Writes and emits the description of a group that the user has joined. Nothing is written if the history contains
    /// the description, or if the user has read the description in the data of the link.
    static func writeDescription(
        in group: inout GroupRecord,
        by member: MemberRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        let versions = member.connection?.peerVersions ?? member.versions
        guard let description = group.profile.description, group.preparation?.chatPreparation.welcomeID == nil,
            !(group.preferences.history.enable == .on
                && versions.maximum >= ChatVersionRange.historyWithDescriptionVersion)
        else { return }
        var item = NewItem(isSent: false, MarkedContent(.text(text: description)), status: .rcvNew)
        item.author = member
        try createAndEmitItems([item], in: &group, user, tx)
    }

    /// Writes and emits an item for each preference of the group that a member has changed.
    static func writeFeatureChangeItems(
        from before: GroupRecord,
        in group: inout GroupRecord,
        by member: MemberRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        let (old, new) = (before.preferences, group.preferences)
        for shown in GroupFeature.shownFeatures where old.state(shown) != new.state(shown) {
            try createAndEmitItems([makeFeatureItem(new.state(shown), shown, by: member)], in: &group, user, tx)
        }
    }

    /// Writes and emits the item about an action of a member, or about a change of the member.
    /// - Parameter message: the properties of the message that reports the action or the change; nil if no message
    ///   reports it, for example if the member is now connected.
    static func writeEventItem(
        _ event: RcvGroupEvent,
        by member: MemberRecord,
        _ message: GroupReceiver.ItemProperties?,
        in group: inout GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        var item = NewItem(
            isSent: false,
            content: .rcvGroupEvent(rcvGroupEvent: event),
            text: event.text,
            status: event.isUnreadAtFirst ? .rcvNew : .rcvRead
        )
        item.author = member
        item.sharedID = message?.messageID
        item.itemTs = message?.receivedAt
        item.signatureStatus = message?.signatureStatus
        item.forwarderId = message?.forwardedByMemberId
        try createAndEmitItems([item], in: &group, user, tx)
    }

    /// Writes and emits the items about actions of the user.
    static func writeEventItems(
        _ events: [(event: SndGroupEvent, id: SharedMessageID)],
        in group: inout GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        guard !events.isEmpty else { return }
        try createAndEmitItems(
            events.map { event, id in
                var item = NewItem(
                    isSent: true,
                    content: .sndGroupEvent(sndGroupEvent: event),
                    text: event.text,
                    status: .sndNew
                )
                item.sharedID = id
                // In a channel, every message that changes the group is signed, so the item shows a signature.
                if group.isChannel { item.signatureStatus = .verified }
                return item
            },
            in: &group,
            user,
            tx
        )
    }

    static func createAndEmitItems(
        _ new: [NewItem],
        in group: inout GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        // The event shows the group as it was before the new items moved the group to the top of the chat list.
        let info = group.chatInfo(user)
        let items = try new.map { try ItemWriter.create($0, in: &group, movesChat: $0.isSentOrUnread, tx) }
        try tx.emit(
            .newChatItems(user: user.api, chatItems: items.map { $0.api(in: info, at: tx.now) }),
            user: user.userId
        )
    }
}

extension RcvGroupEvent {
    var text: String {
        switch self {
        case .memberAdded(_, let profile): "added \(profile.shownName)"
        case .memberConnected: "connected"
        case .memberAccepted(_, let profile): "accepted \(profile.shownName)"
        case .userAccepted: "accepted you"
        case .memberLeft: "left"
        case .memberRole(_, let profile, let role): "changed role of \(profile.shownName) to \(role.rawValue)"
        case .memberBlocked(_, let profile, let blocked): "\(blocked ? "blocked" : "unblocked") \(profile.shownName)"
        case .userRole(let role): "changed your role to \(role.rawValue)"
        case .memberDeleted(_, let profile): "removed \(profile.shownName)"
        case .userDeleted: "removed you"
        case .groupDeleted: "deleted group"
        case .groupUpdated: "group profile updated"
        case .invitedViaGroupLink: "invited via your group link"
        case .memberCreatedContact: "started direct connection with you"
        case .memberProfileUpdated: "updated profile"
        case .newMemberPendingReview: "new member wants to join the group"
        case .msgBadSignature: "message rejected: bad signature"
        case .unrecognized: ""
        }
    }

    /// Whether the chat item of the event is unread when it is written. The items of other events count as read at
    /// once.
    fileprivate var isUnreadAtFirst: Bool {
        switch self {
        case .userRole, .userDeleted, .groupDeleted, .newMemberPendingReview: true
        default: false
        }
    }
}

extension SndGroupEvent {
    var text: String {
        switch self {
        case .memberRole(_, let profile, let role): "changed role of \(profile.shownName) to \(role.rawValue)"
        case .memberBlocked(_, let profile, let blocked): "\(blocked ? "blocked" : "unblocked") \(profile.shownName)"
        case .userRole(let role): "changed role for yourself to \(role.rawValue)"
        case .memberDeleted(_, let profile): "removed \(profile.shownName)"
        case .userLeft: "left"
        case .groupUpdated: "group profile updated"
        case .memberAccepted: "you accepted this member"
        case .userPendingReview: "please wait for group moderators to review your request to join the group"
        case .unrecognized: ""
        }
    }
}

extension Profile {
    /// The display name. If the full name differs, the full name follows in parentheses.
    var shownName: String { fullName.isEmpty || fullName == displayName ? displayName : "\(displayName) (\(fullName))" }
}

extension GroupProfile {
    /// Whether two profiles are equal except for their preferences.
    func equalsIgnoringPreferences(_ other: GroupProfile) -> Bool {
        var (own, other) = (self, other)
        own.groupPreferences = nil
        other.groupPreferences = nil
        return own == other
    }
}
