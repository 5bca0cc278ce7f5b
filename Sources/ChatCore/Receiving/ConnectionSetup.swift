internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

/// The steps by which a connection to a peer becomes ready.
extension AgentEventHandler {
    /// Handles the answer to an invitation or a request: creates the contact, and confirms the connection with the
    /// profile of the user.
    func handleConfirmation(_ id: ConnectionID, _ confirmation: ConfirmationID, _ info: [UInt8]) async throws {
        if services.relayTestRegistry.passAnswerToTest(id, info) { return }
        let isSupported = try await services.agent.fetchPostQuantumState(of: id).isSupported
        let answer: [UInt8]? = try await store.write { tx in
            guard let peer = try ConnectionPeer.find(agent: id, in: tx.db) else { return nil }
            if let membership = peer.member {
                var handshake = MemberHandshake(peer, membership, tx)
                return try handshake.handleConfirmation(info, confirmation)
            }
            guard peer.connection.status != .deleted, peer.connection.owner.memberId == nil else { return nil }
            let user = peer.user
            var connection = peer.connection
            if let answer = try Self.handleGroupAnswer(to: &connection, info, user, tx) {
                return try ChatMessage(event: answer).encodeConnectionInfo(for: connection)
            }
            if ![.requested, .accepted, .ready].contains(connection.status) {
                guard let json = try Self.readPeerProfile(in: info, &connection, tx) else { return nil }
                if connection.postQuantumState.isSupported, !isSupported {
                    connection.postQuantumState = ConnectionPostQuantum(isSupported: false)
                    try connection.postQuantumState.store(connection.connectionId, tx.db)
                }
                connection.status = .requested
                try Self.storePeerProfile(json, &connection, showsItems: false, user, tx)
            }
            let preferences = try ConnectionPeer(connection, in: tx.db)?.contact?.userPreferences
            let profile = try user.profileWithBadge(over: connection, preferences: preferences, in: tx.db)
            return try ChatMessage(event: .info(profile: JSONEncoder().encodeValue(profile))).encodeConnectionInfo(
                for: connection
            )
        }
        guard let answer else { return }
        try await services.agent.allow(connection: id, confirmation: confirmation, connInfo: answer)
        try await withPeer(id) { peer, tx in
            if peer.connection.status == .requested { try peer.connection.setStatus(.accepted, at: tx.now, in: tx.db) }
        }
    }

    /// Handles the answer of a group. The answered request was sent to the link of the group, or to the address of a
    /// business.
    /// - Returns: the message for the confirmation; nil if the received information is not an answer of a group.
    private static func handleGroupAnswer(
        to connection: inout ConnectionRecord,
        _ info: [UInt8],
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> ChatMessageEvent? {
        guard case .success(.message(let message)) = MessageBody.parseFirst(of: info),
            JoinAnswerHandler.mayAnswerRequest(message.event, to: connection),
            let version = ChatVersionRange.supported.compatibleVersion(with: message.versions)
        else { return nil }
        connection.peerVersions = message.versions
        connection.chatVersion = version
        try connection.storeVersions(in: tx.db)
        return try JoinAnswerHandler(user: user, connection: connection, tx: tx).handleAnswer(message.event)
    }

    /// Handles the profile that the inviter has sent.
    func handlePeerInfo(_ id: ConnectionID, _ info: [UInt8]) async throws {
        try await store.write { tx in
            guard let peer = try ConnectionPeer.find(agent: id, in: tx.db), peer.connection.status != .ready else {
                return
            }
            if let membership = peer.member {
                var handshake = MemberHandshake(peer, membership, tx)
                return try handshake.handleConnectionInfo(info)
            }
            guard peer.connection.status != .deleted, peer.connection.owner.memberId == nil else { return }
            let user = peer.user
            var connection = peer.connection
            guard let json = try Self.readPeerProfile(in: info, &connection, tx) else { return }
            connection.status = .sndReady
            try Self.storePeerProfile(json, &connection, showsItems: true, user, tx)
        }
    }

    /// Creates a contact with the received profile of the peer, or updates the contact that was prepared or accepted
    /// before.
    private static func storePeerProfile(
        _ json: JSONValue,
        _ connection: inout ConnectionRecord,
        showsItems: Bool,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        guard case .contact(let contactId) = connection.owner else {
            return try createContact(try JSONDecoder().decode(Profile.self, from: json), for: &connection, user, tx)
        }
        try tx.db.update(
            "connections",
            set: [
                "conn_status": connection.status.storedText, "chat_version": Int64(connection.chatVersion),
                "peer_min_version": Int64(connection.peerVersions.minimum),
                "peer_max_version": Int64(connection.peerVersions.maximum), "updated_at": tx.now.nanoseconds,
            ],
            where: ["connection_id": connection.connectionId]
        )
        var contact = try ContactRecord.get(contactId, user: user, in: tx.db)
        let isExpected = contact.preparation != nil || contact.requestId != nil
        try contact.receiveProfile(profile: json, showsItems: showsItems && isExpected, user, tx)
    }

    /// Completes a connection whose two directions are established.
    func handleConnectionReady(_ id: ConnectionID) async throws {
        let isPostQuantum = try await services.agent.fetchPostQuantumState(of: id).isSending
        try await store.write { tx in
            guard let peer = try ConnectionPeer.find(agent: id, in: tx.db), peer.connection.status != .ready else {
                return
            }
            if let membership = peer.member {
                var handshake = MemberHandshake(peer, membership, tx)
                return try handshake.handleConnected()
            }
            guard peer.connection.status != .deleted, peer.connection.owner.memberId == nil else { return }
            let user = peer.user
            var connection = peer.connection
            try connection.setStatus(.ready, at: tx.now, in: tx.db)
            connection.postQuantumState.protectsSent = isPostQuantum
            connection.postQuantumState.protectsReceived = isPostQuantum
            try connection.postQuantumState.store(connection.connectionId, tx.db)
            guard var contact = try ConnectionPeer(connection, in: tx.db)?.contact else { return }
            let incognito = try IncognitoProfile.find(connection.incognitoProfileId, in: tx.db)
            // The contact is connected now, so the user's invitation to a direct chat is no longer needed.
            if contact.memberContact?.isReceived == false { try contact.setMemberContact(nil, tx) }
            try tx.emit(
                .contactConnected(user: user.api, contact: contact.api(user), userCustomProfile: incognito),
                user: user.userId
            )
            try InitialItems.writeMissingItems(&contact, postQuantum: isPostQuantum, user, tx)
            try Self.sendAutoReply(to: &contact, user, tx)
            if connection.isInitiated { try Probes.sendProbe(to: .contact(contact), over: connection, user, tx) }
            // The connection is established, so it no longer matters which side has sent the invitation.
            try tx.db.execute(
                "UPDATE connections SET conn_initiated = 0 WHERE connection_id = ?",
                [connection.connectionId]
            )
        }
    }

    /// Reads the profile in a confirmation, and records the peer's versions.
    private static func readPeerProfile(
        in info: [UInt8],
        _ connection: inout ConnectionRecord,
        _ tx: Transaction
    ) throws -> JSONValue? {
        guard case .success(.message(let message)) = MessageBody.parseFirst(of: info),
            case .info(let json) = message.event,
            (try? JSONDecoder().decode(Profile.self, from: json)) != nil,
            let version = ChatVersionRange.supported.compatibleVersion(with: message.versions)
        else {
            try tx.emit(
                .chatError(chatError: .error(errorType: .exception(message: "the message cannot be read"))),
                user: connection.userId
            )
            return nil
        }
        connection.peerVersions = message.versions
        connection.chatVersion = version
        return json
    }

    private static func createContact(
        _ profile: Profile,
        for connection: inout ConnectionRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        let contactId = try ContactRecord.create(profile, alias: connection.localAlias, user, tx)
        try tx.db.update(
            "connections",
            set: [
                "contact_id": contactId, "conn_status": connection.status.storedText,
                "chat_version": Int64(connection.chatVersion),
                "peer_min_version": Int64(connection.peerVersions.minimum),
                "peer_max_version": Int64(connection.peerVersions.maximum), "updated_at": tx.now.nanoseconds,
            ],
            where: ["connection_id": connection.connectionId]
        )
        connection.owner = .contact(contactId)
        let contact = try ContactRecord.get(contactId, user: user, in: tx.db)
        try tx.emit(.contactConnecting(user: user.api, contact: contact.api(user)), user: user.userId)
    }
}
