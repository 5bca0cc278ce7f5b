internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// The relays that a user may choose for channels. Deleted relays keep their rows, because channels refer to them.
enum ChatRelays {
    /// The SQL columns of a relay, which ``decodeRelay(_:)`` reads.
    static let columns = """
        cr.chat_relay_id, cr.address, cr.relay_profile, cr.domains, cr.preset, cr.tested, cr.enabled, cr.deleted
        """

    static func decodeRelay(_ row: Row) throws -> UserChatRelay {
        UserChatRelay(
            chatRelayId: try row.int64("chat_relay_id"),
            address: try row.string("address"),
            relayProfile: try StoredJSON.decode(RelayProfile.self, row.string("relay_profile")),
            domains: try row.string("domains").split(separator: ",", omittingEmptySubsequences: false).map(String.init),
            preset: try row.bool("preset"),
            tested: try row.int64OrNil("tested").map { $0 != 0 },
            enabled: try row.bool("enabled"),
            deleted: try row.bool("deleted")
        )
    }

    /// Parses the address of a relay, which is a short contact link; nil for any other text.
    static func parseLink(_ address: String) -> ShortLink? {
        guard let link = try? ShortLink(atServer: address), case .contact = link.kind else { return nil }
        return link
    }

    static func findAll(user userId: Int64, in db: StoreConnection) throws -> [UserChatRelay] {
        try db.query(
            "SELECT \(columns) FROM chat_relays cr WHERE cr.user_id = ? AND cr.deleted = 0 ORDER BY cr.chat_relay_id",
            [userId]
        ).map(decodeRelay)
    }

    /// - Throws: `userChatRelayNotFound` if the user has no relay with this id.
    static func get(_ id: Int64, user: UserRecord, in db: StoreConnection) throws -> UserChatRelay {
        let row = try db.firstRow(
            """
            SELECT \(columns) FROM chat_relays cr
            WHERE cr.user_id = :user_id AND cr.chat_relay_id = :chat_relay_id AND cr.deleted = 0
            """,
            ["user_id": user.userId, "chat_relay_id": id]
        )
        guard let row else { throw ChatFailure(StoreError.userChatRelayNotFound(chatRelayId: id)) }
        return try decodeRelay(row)
    }

    /// Stores the settings of a relay. A relay without an id updates the stored relay with the same address, if one
    /// exists.
    /// - Throws: `userChatRelayNotFound`, and `commandError` when another relay has the address.
    static func store(_ relay: UserChatRelay, user userId: Int64, in db: StoreConnection) throws {
        let known = try db.firstRow(
            "SELECT chat_relay_id FROM chat_relays WHERE user_id = :user_id AND address = :address",
            ["user_id": userId, "address": relay.address]
        )?.int64("chat_relay_id")
        guard let id = relay.chatRelayId ?? known else {
            guard !relay.deleted else { return }
            return try db.insert(
                into: "chat_relays",
                [
                    "user_id": userId, "address": relay.address,
                    "relay_profile": try StoredJSON.encode(relay.relayProfile),
                    "domains": relay.domains.joined(separator: ","), "preset": false, "tested": relay.tested,
                    "enabled": relay.enabled,
                ]
            )
        }
        guard known == nil || known == id else {
            throw ChatFailure.commandError("another chat relay already has the address \(relay.address)")
        }
        try db.update(
            "chat_relays",
            set: [
                "address": relay.address, "relay_profile": try StoredJSON.encode(relay.relayProfile),
                "domains": relay.domains.joined(separator: ","), "tested": relay.tested, "enabled": relay.enabled,
                "deleted": relay.deleted,
            ],
            where: ["user_id": userId, "chat_relay_id": id]
        )
        guard db.changeCount > 0 else { throw ChatFailure(StoreError.userChatRelayNotFound(chatRelayId: id)) }
    }

    /// Stores the preset relays that the profile does not have.
    /// - Parameter areUsed: true if new channels use some of the added relays, false if they use none of them.
    static func addPresets(
        _ operators: [PresetOperator],
        areUsed: Bool,
        user userId: Int64,
        in db: StoreConnection
    ) throws {
        for one in operators {
            let used = Set(one.chatRelays.map { $0.address }.shuffled().prefix(areUsed ? one.enabledChatRelayCount : 0))
            for relay in one.chatRelays {
                guard
                    try db.firstRow(
                        "SELECT 1 FROM chat_relays WHERE user_id = :user_id AND address = :address",
                        ["user_id": userId, "address": relay.address]
                    ) == nil
                else { continue }
                try db.insert(
                    into: "chat_relays",
                    [
                        "user_id": userId, "address": relay.address,
                        "relay_profile": try StoredJSON.encode(RelayProfile(displayName: relay.name, fullName: "")),
                        "domains": one.domains.joined(separator: ","), "preset": true, "tested": nil,
                        "enabled": used.contains(relay.address),
                    ]
                )
            }
        }
    }

    /// Returns errors for relays that are listed more than once: one error for each of their entries.
    static func findDuplicateErrors(_ lists: [UserOperatorServers]) -> [UserServersError] {
        let relays = lists.flatMap { $0.chatRelays ?? [] }.filter { !$0.deleted }
        var counts: [String: Int] = [:]
        for relay in relays { counts[relay.normalizedAddress, default: 0] += 1 }
        return relays.filter { counts[$0.normalizedAddress, default: 0] > 1 }.map {
            .duplicateChatRelayAddress(duplicateChatRelay: $0.relayProfile.displayName, duplicateAddress: $0.address)
        }
    }
}

extension UserChatRelay {
    /// The address in a form that is the same for all spellings of the link.
    fileprivate var normalizedAddress: String { ChatRelays.parseLink(address)?.uri ?? address }

    /// Returns the operator of the relay: the first operator with a domain that is the end of a domain of the relay.
    func `operator`(among operators: [ServerOperator]) -> ServerOperator? {
        operators.first { one in domains.contains { domain in one.serverDomains.contains { domain.hasSuffix($0) } } }
    }
}
