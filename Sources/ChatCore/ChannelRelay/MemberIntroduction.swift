internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

extension MemberHandshake {
    /// Handles the event that the connection to an owner or a subscriber of a served channel is ready.
    mutating func handleConnectedAtRelay() throws {
        guard group.isServedNow else { return try member.disconnect(afterDelivery: false, tx) }
        let before = member
        try member.setStatus(.connected, tx)
        let isHost = member.category == .host
        if isHost, group.membership.status == .accepted { try group.membership.setStatus(.connected, tx) }
        try group.updateMemberCount(user, tx)
        member = try MemberRecord.get(member.memberId, in: group, tx.db)
        guard !isHost else {
            try tx.emit(
                .userJoinedGroup(user: user.api, groupInfo: group.api(user), hostMember: member.api),
                user: user.userId
            )
            return try GroupItems.writeEventItem(.memberConnected, by: member, nil, in: &group, user, tx)
        }
        try GroupItems.writeEventItem(.memberConnected, by: before, nil, in: &group, user, tx)
        try tx.emit(
            .joinedGroupMember(user: user.api, groupInfo: group.api(user), member: member.api),
            user: user.userId
        )
        try MemberIntroduction(group: group, user: user, tx: tx).introduceNewcomer(member)
    }
}

/// Announces members of a served channel to other members, and sends the first messages to a newcomer.
struct MemberIntroduction {
    let group: GroupRecord
    let user: UserRecord
    let tx: Transaction

    /// Announces the newcomer to the moderators. Sends the introductions of the moderators, the roster and the history
    /// to the newcomer. The relay announces each other member to the newcomer with the first message of that member.
    func introduceNewcomer(_ newcomer: MemberRecord) throws {
        guard let connection = newcomer.connection else { return }
        let moderators = try MemberRecord.findModerators(in: group, tx.db).filter {
            $0.memberId != newcomer.memberId && $0.status.isCurrent
        }
        let reachable = moderators.filter(\.isReachable)
        let announcement = try BinaryBatch.encodeElements([encodeAnnouncement(of: newcomer)])
        try tx.enqueueRelayedBody(announcement, to: reachable.compactMap { $0.connection.map { RelayRecipient($0) } })
        try MemberAnnouncements(of: newcomer, tx.db).addAndStore(reachable.map(\.indexInGroup), tx)
        let profile = ChatMessage(sharedID: .random(), event: .group(.linkMember(profile: try group.ownProfile(user))))
        let owners = moderators.filter { $0.role == .owner }, others = moderators.filter { $0.role != .owner }
        try sendElements([profile.encoded()] + owners.map(encodeIntroduction), to: connection)
        try ServedRoster.sendRoster(to: newcomer, in: group, tx)
        try sendElements(
            others.map(encodeIntroduction) + GroupHistory.makeHistoryElements(for: newcomer, in: group, tx),
            to: connection
        )
        for known in moderators { try MemberAnnouncements(of: known, tx.db).addAndStore([newcomer.indexInGroup], tx) }
    }

    /// Sends encoded messages (elements) to a member, joined into as few bodies as their lengths allow.
    private func sendElements(_ elements: [[UInt8]], to connection: ConnectionRecord) throws {
        for batch in BinaryBatch.splitIntoBatches(sizes: elements.map(\.count)).batches {
            try tx.enqueueRelayedBody(
                BinaryBatch.encodeElements(Array(elements[batch])),
                to: [RelayRecipient(connection)]
            )
        }
    }

    private func makeMemberInfo(of member: MemberRecord) throws -> MemberInfo {
        var info = try member.introductionInfo(in: group)
        info.key = member.signatureKey.map { .string(MemberKey($0).text) }
        return info
    }

    func encodeAnnouncement(of member: MemberRecord) throws -> [UInt8] {
        try ChatMessage(event: .group(.memberNew(makeMemberInfo(of: member), scope: nil))).encoded()
    }

    private func encodeIntroduction(of member: MemberRecord) throws -> [UInt8] {
        try ChatMessage(
            sharedID: .random(),
            event: .group(.memberIntro(makeMemberInfo(of: member), isBlocked: member.isBlockedByAdmin))
        ).encoded()
    }
}

/// The set of members to whom a relay has announced one member. The set has a bit for each member, at the member's
/// index in the group.
struct MemberAnnouncements {
    private let userId: Int64
    private let memberId: Int64
    private var bits: [UInt8]

    init(of member: MemberRecord, _ db: StoreConnection) throws {
        userId = member.userId
        memberId = member.memberId
        bits =
            try db.firstRow(
                """
                SELECT known_to FROM member_announcements
                WHERE user_id = :user_id AND group_member_id = :group_member_id
                """,
                ["user_id": userId, "group_member_id": memberId]
            )?.blob("known_to") ?? []
    }

    func contains(_ index: Int64) -> Bool {
        let byte = Int(clamping: index / 8)
        return index >= 0 && byte < bits.count && bits[byte] & 1 << UInt8(index % 8) != 0
    }

    mutating func insert(_ index: Int64) {
        // The members of a channel have the indexes 0, 1, 2, …, so every valid index is far below this bound.
        guard index >= 0, index < 1 << 24 else { return }
        let byte = Int(index / 8)
        if byte >= bits.count { bits += Array(repeating: 0, count: byte + 1 - bits.count) }
        bits[byte] |= 1 << UInt8(index % 8)
    }

    func addAndStore(_ indexes: [Int64], _ tx: Transaction) throws {
        guard !indexes.isEmpty else { return }
        var added = self
        for index in indexes { added.insert(index) }
        try added.store(tx)
    }

    func store(_ tx: Transaction) throws {
        try tx.db.insert(
            into: "member_announcements",
            or: .replace,
            ["user_id": userId, "group_member_id": memberId, "known_to": bits]
        )
    }
}

/// Signed roster of a channel, which a relay stores for members who join.
enum ServedRoster {
    /// Number of bytes of the roster that go into one message.
    private static let chunkSize = 15_780

    /// Begins the transfer of a roster, and stores the signed message that announced it.
    static func beginTransfer(
        _ header: RosterHeader,
        _ received: GroupReceiver.ReceivedMessage,
        in group: GroupRecord,
        _ tx: Transaction
    ) throws {
        guard let signed = received.signedMessage, let id = received.message.sharedID else { return }
        try ChannelRosters.beginTransfer(header, id, by: received.author, from: received.author, in: group, tx)
        try tx.db.update(
            "roster_transfers",
            set: ["message": signed.element, "sent_at": received.brokerTs.nanoseconds],
            where: ["user_id": group.userId, "group_member_id": received.author.memberId, "shared_msg_id": id.bytes]
        )
    }

    /// Adds a chunk to a roster. After the last chunk, stores the roster with its signed message, and acknowledges the
    /// roster.
    static func addChunk(
        _ chunk: InlineFileChunk,
        from owner: MemberRecord,
        in group: inout GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> ChannelRosters.ChunkResult {
        let query =
            "SELECT roster_version, author_member_id, bytes, message, sent_at FROM roster_transfers WHERE user_id = ? AND group_member_id = ?"
        let before = try tx.db.queryFirst(query, [user.userId, owner.memberId])
        let outcome = try ChannelRosters.addChunk(chunk, from: owner, in: &group, user, tx)
        let isApplied: Bool
        switch outcome {
        case .unknown, .kept: return outcome
        case .applied: isApplied = true
        case .refused: isApplied = false
        }
        guard let before else { return outcome }
        let version = try before.int64("roster_version")
        if isApplied {
            let roster = try before.blob("bytes") + chunk.bytes
            try tx.db.update(
                "served_channels",
                set: [
                    "roster_version": version, "roster": roster, "roster_message": try before.blobOrNil("message"),
                    "roster_sent_at": try before.int64OrNil("sent_at"),
                    "roster_member_id": try before.int64("author_member_id"),
                ],
                where: ["user_id": group.userId, "group_id": group.groupId]
            )
        }
        guard let status = group.relayStatus, [.accepted, .acknowledgedRoster].contains(status),
            let connection = owner.connection, owner.isReachable
        else { return outcome }
        let error = isApplied ? nil : "the roster is not valid"
        try tx.enqueue(
            ChatMessage(sharedID: .random(), event: .relay(.rosterReceived(version: version, error: error))),
            to: connection
        )
        if isApplied, status == .accepted {
            try group.setRelayStatus(.acknowledgedRoster, tx)
            group.relayStatus = .acknowledgedRoster
        }
        return outcome
    }

    /// Handles a member's request for the roster: sends the stored roster if it is newer than the member's version.
    static func handleRequest(
        _ version: Int64?,
        by member: MemberRecord,
        in group: GroupRecord,
        _ tx: Transaction
    ) throws {
        let stored = try tx.db.firstRow(
            "SELECT roster_version FROM served_channels WHERE user_id = :user_id AND group_id = :group_id",
            ["user_id": group.userId, "group_id": group.groupId]
        )?.int64OrNil("roster_version")
        let served = try tx.db.firstRow(
            "SELECT roster_served FROM group_members WHERE user_id = :user_id AND group_member_id = :group_member_id",
            ["user_id": member.userId, "group_member_id": member.memberId]
        )?.int64OrNil("roster_served")
        // A member gets each version of the roster only once.
        guard let stored, version.map({ stored > $0 }) ?? true, served.map({ stored > $0 }) ?? true else { return }
        try sendRoster(to: member, in: group, tx)
    }

    static func sendRoster(to member: MemberRecord, in group: GroupRecord, _ tx: Transaction) throws {
        guard member.versions.maximum >= ChatVersionRange.rostersVersion, let connection = member.connection,
            let row = try tx.db.firstRow(
                "SELECT * FROM served_channels WHERE user_id = :user_id AND group_id = :group_id",
                ["user_id": group.userId, "group_id": group.groupId]
            ),
            let version = try row.int64OrNil("roster_version"), let message = try row.blobOrNil("roster_message"),
            let roster = try row.blobOrNil("roster"),
            let owner = try row.int64OrNil("roster_member_id").flatMap({
                try MemberRecord.find($0, user: group.userId, in: tx.db)
            }),
            let signed = try? SignedMessage(message),
            let json = try? JSONValue(parsing: signed.body, limits: .forPeerText),
            let id = (try? ChatMessage(json: json))?.sharedID
        else { return }
        let recipient = [RelayRecipient(connection)]
        let sentAt = Timestamp(nanoseconds: try row.int64OrNil("roster_sent_at") ?? 0)
        try tx.enqueueRelayedBody(
            BinaryBatch.encodeElements([
                ForwardedMessage.encodeElement(by: owner.sharedID, named: owner.shortName, at: sentAt, message)
            ]),
            to: recipient
        )
        for (index, chunk) in roster.chunks(of: chunkSize).enumerated() {
            try tx.enqueueRelayedBody(
                InlineFileChunk(messageID: id, chunkNumber: UInt8(clamping: index + 1), bytes: Array(chunk)).element,
                to: recipient
            )
        }
        try tx.db.update(
            "group_members",
            set: ["roster_served": version],
            where: ["user_id": member.userId, "group_member_id": member.memberId]
        )
    }
}
