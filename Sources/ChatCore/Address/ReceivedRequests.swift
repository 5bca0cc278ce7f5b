internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// Handling of requests to a user's address. ``handleJoinRequest(by:_:_:)`` handles requests to a group link.
extension AgentEventHandler {
    /// Handles a request to an address. If the address accepts requests automatically, this function returns after the
    /// acceptance. After a crash before the return, the agent emits the request again.
    func handleContactRequest(_ id: ConnectionID, _ invitation: InvitationID, _ info: [UInt8]) async throws {
        if try await handleRelayRequest(id, invitation, info) { return }
        let received = ReceivedRequest(info)
        if try await requestCreatesMember(id, invitation, received) {
            return try await handleJoinRequest(by: id, invitation, received)
        }
        let outcome = try await store.write { [limit = services.configuration.maxContactRequests] tx in
            try Self.receiveRequest(to: id, invitation, received, limit: limit, tx)
        }
        switch outcome {
        case .isStored: services.overloadedAddressIDs.withLock { _ = $0.remove(id) }
        case .refusesFullAddress(let user):
            try await reportTooManyRequests(id, of: user)
            try await services.agent.rejectRequest(invitation)
        case .dropsInvitations(let invitations):
            services.logger.notice("request to an address rejected", metadata: ["count": "\(invitations.count)"])
            for dropped in invitations { try await services.agent.rejectRequest(dropped) }
        case .replacesInvitation(let old): try await services.agent.rejectRequest(old)
        }
        let accepts = try await store.read { db -> (UserRecord, Int64, Bool)? in
            guard let address = try AddressRecord.find(agent: id, in: db), let settings = address.settings.autoAccept,
                let request = try ContactRequestRecord.find(invitation: invitation, in: db),
                request.connectionId == nil,
                let user = try UserRecord.find(address.userId, in: db)
            else { return nil }
            return (user, request.requestId, settings.acceptIncognito && address.shortLink == nil)
        }
        guard let (user, requestId, incognito) = accepts else { return }
        try await services.acceptContactRequest(
            requestId,
            incognito: incognito,
            user: user,
            automatically: true,
            in: store
        )
    }

    /// Reports once that an address is full. A second report is possible only after the address had space for a
    /// request.
    func reportTooManyRequests(_ id: ConnectionID, of userId: Int64) async throws {
        guard !services.overloadedAddressIDs.withLock({ $0.contains(id) }) else { return }
        let message = "contact requests are dropped: \(services.configuration.maxContactRequests) wait for an answer"
        services.logger.warning("\(message)", metadata: ["user": "\(userId)"])
        try await store.write { tx in
            try tx.emit(.chatError(chatError: .error(errorType: .exception(message: message))), user: userId)
        }
        services.overloadedAddressIDs.withLock { _ = $0.insert(id) }
    }

    private enum RequestOutcome: Sendable {
        case isStored
        case refusesFullAddress(user: Int64)
        case dropsInvitations([InvitationID])
        case replacesInvitation(InvitationID)
    }

    private static func receiveRequest(
        to id: ConnectionID,
        _ invitation: InvitationID,
        _ received: ReceivedRequest?,
        limit: Int,
        _ tx: Transaction
    ) throws -> RequestOutcome {
        guard let address = try AddressRecord.find(agent: id, in: tx.db),
            let user = try UserRecord.find(address.userId, in: tx.db)
        else {
            return .dropsInvitations([invitation])
        }
        if try ContactRequestRecord.find(invitation: invitation, in: tx.db) != nil { return .isStored }
        guard let received, ChatVersionRange.supported.compatibleVersion(with: received.peerVersions) != nil,
            var profile = received.profile
        else {
            try tx.emit(
                .chatError(chatError: .error(errorType: .exception(message: "the message cannot be read"))),
                user: user.userId
            )
            return .dropsInvitations([invitation])
        }
        let request = received.request
        profile.replaceUnshowableValues()
        if let requestID = request.requestID,
            let earlier = try ContactRequestRecord.find(requestID: requestID, user: user.userId, in: tx.db)
        {
            return try handleRepeatedRequest(earlier, invitation, profile, received, address, user, tx)
        }
        guard try ContactRequestRecord.countPending(of: address.linkId, in: tx.db) < limit else {
            return .refusesFullAddress(user: user.userId)
        }
        let contactId = try ContactRecord.create(profile, alias: "", user, tx)
        let requestId = try insertRequest(received, invitation, from: contactId, to: address, tx)
        var contact = try ContactRecord.get(contactId, user: user, in: tx.db)
        let stored = try ContactRequestRecord.get(requestId, user: user, in: tx.db)
        try InitialItems.write(&contact, postQuantum: stored.supportsPostQuantum, user, tx)
        if let welcome = address.settings.autoReply, let welcomeID = request.welcomeMessageID {
            try writeWelcomeMessage(welcome, id: welcomeID, in: &contact, tx)
        }
        let items = try storeRequestMessage(received.message, in: &contact, user, tx).map { [$0] } ?? []
        if address.settings.autoAccept == nil { try emitContactRequest(stored, contact, items, user, tx) }
        return .isStored
    }

    /// Inserts the row of a request, and stores the id of the request in the row of the new contact.
    /// - Returns: the id of the request.
    private static func insertRequest(
        _ received: ReceivedRequest,
        _ invitation: InvitationID,
        from contactId: Int64,
        to address: AddressRecord,
        _ tx: Transaction
    ) throws -> Int64 {
        let request = received.request
        try tx.db.insert(
            into: "contact_requests",
            [
                "user_id": address.userId, "contact_id": contactId, "user_contact_link_id": address.linkId,
                "agent_invitation_id": invitation, "peer_min_version": Int64(received.peerVersions.minimum),
                "peer_max_version": Int64(received.peerVersions.maximum), "x_contact_id": request.requestID?.bytes,
                "welcome_shared_msg_id": request.welcomeMessageID?.bytes,
                "request_shared_msg_id": request.content?.0.bytes, "created_at": tx.now.nanoseconds,
                "updated_at": tx.now.nanoseconds,
            ]
        )
        let requestId = tx.db.lastInsertRowID
        try tx.db.update(
            "contacts",
            set: ["contact_request_id": requestId],
            where: ["user_id": address.userId, "contact_id": contactId]
        )
        return requestId
    }

    /// Writes the welcome message of the address into the chat. The sender has already read this message in the data of
    /// the link, and refers to the message by `id`.
    private static func writeWelcomeMessage(
        _ welcome: MsgContent,
        id: SharedMessageID,
        in contact: inout ContactRecord,
        _ tx: Transaction
    ) throws {
        var new = NewItem(
            isSent: true,
            content: .sndMsgContent(msgContent: welcome),
            text: welcome.text,
            status: .sndNew
        )
        new.sharedID = id
        _ = try ItemWriter.create(new, in: &contact, movesChat: true, tx)
    }

    /// Stores the message of a request as the sender's first message. A repeated request can change or remove this
    /// message.
    private static func storeRequestMessage(
        _ said: (SharedMessageID, MarkedContent)?,
        before: SharedMessageID? = nil,
        in contact: inout ContactRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> ItemRecord? {
        if let before, before != said?.0, let old = try ItemQueries.find(shared: before, in: contact, tx.db),
            !old.isSent
        {
            let deletions =
                contact.feature(.fullDelete, user: user).enabledSides.isEnabledForContact
                ? try ItemDeletion.deleteItems([old], in: contact, user, tx)
                : try ItemDeletion.markItemsDeleted([old], in: contact, user, at: tx.now, tx)
            try tx.emit(
                .chatItemsDeleted(user: user.api, chatItemDeletions: deletions, byUser: false, timed: false),
                user: user.userId
            )
        }
        guard let (sharedID, marked) = said else { return nil }
        let content = marked.content
        if var item = try ItemQueries.find(shared: sharedID, in: contact, tx.db) {
            guard case .rcvMsgContent(let old) = item.content, content.differs(from: old) else { return item }
            try ItemWriter.addVersion(of: item, old: old, new: content, at: tx.now, tx)
            try ItemWriter.replaceContent(
                &item,
                content: .rcvMsgContent(msgContent: content),
                text: content.text,
                markup: marked.markup,
                edited: true,
                live: nil,
                tx
            )
            try tx.emit(
                .chatItemUpdated(user: user.api, chatItem: item.api(in: contact.api(user), at: tx.now)),
                user: user.userId
            )
            return item
        }
        var new = NewItem(isSent: false, marked, status: .rcvNew)
        new.sharedID = sharedID
        let item = try ItemWriter.create(new, in: &contact, movesChat: true, tx)
        try tx.emit(
            .newChatItems(user: user.api, chatItems: [item.api(in: contact.api(user), at: tx.now)]),
            user: user.userId
        )
        return item
    }

    /// Handles a repeated request of the same sender: the new data replaces the earlier data. If the sender was
    /// accepted before, only an event is emitted.
    private static func handleRepeatedRequest(
        _ earlier: ContactRequestRecord,
        _ invitation: InvitationID,
        _ profile: Profile,
        _ received: ReceivedRequest,
        _ address: AddressRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> RequestOutcome {
        let (request, versions) = (received.request, received.peerVersions)
        let contact = try ContactRecord.get(earlier.contactId, user: user, in: tx.db)
        // The sender was accepted before if the contact has a connection, or is a deleted contact whose chat the user
        // has kept.
        guard earlier.connectionId == nil, contact.isActive else {
            try tx.emit(.contactRequestAlreadyAccepted(user: user.api, contact: contact.api(user)), user: user.userId)
            return .dropsInvitations([invitation])
        }
        try tx.db.update(
            "contact_requests",
            set: [
                "agent_invitation_id": invitation, "user_contact_link_id": address.linkId,
                "peer_min_version": Int64(versions.minimum), "peer_max_version": Int64(versions.maximum),
                "welcome_shared_msg_id": request.welcomeMessageID?.bytes,
                "request_shared_msg_id": request.content?.0.bytes, "updated_at": tx.now.nanoseconds,
            ],
            where: ["contact_request_id": earlier.requestId]
        )
        var profile = profile
        let check = try tx.checkProfileBadge(
            &profile,
            instead: contact.profile,
            contact.badgeStatus,
            in: contact.profileId
        )
        try tx.storeProfile(profile, check, in: contact.profileId)
        if profile.displayName != contact.profile.displayName {
            try LocalDisplayNames.delete(contact.localDisplayName, user: user.userId, in: tx.db)
            let name = try LocalDisplayNames.create(profile.displayName, user: user.userId, in: tx.db)
            try tx.db.update(
                "contacts",
                set: ["local_display_name": name, "updated_at": tx.now.nanoseconds],
                where: ["user_id": user.userId, "contact_id": contact.contactId]
            )
        }
        var updated = try ContactRecord.get(earlier.contactId, user: user, in: tx.db)
        let stored = try ContactRequestRecord.get(earlier.requestId, user: user, in: tx.db)
        let items =
            try storeRequestMessage(received.message, before: earlier.requestMessageID, in: &updated, user, tx).map {
                [$0]
            }
            ?? []
        if address.settings.autoAccept == nil { try emitContactRequest(stored, updated, items, user, tx) }
        return .replacesInvitation(earlier.invitationID)
    }

    private static func emitContactRequest(
        _ request: ContactRequestRecord,
        _ contact: ContactRecord,
        _ items: [ItemRecord],
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        try tx.emit(
            .receivedContactRequest(
                user: user.api,
                contactRequest: request.api(contact),
                chat_: AChat(contact, items, user, at: tx.now)
            ),
            user: user.userId
        )
    }
}
