internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SimpleXCrypto
internal import SQLCipher

extension RunningCommand {
    /// `/_call invite`: calls a contact. An earlier call with the contact ends, and the contact sees the new call
    /// instead of the earlier call.
    func sendCallInvitation(_ contactId: Int64, _ type: CallType, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            var contact = try ContactRecord.get(contactId, user: user, in: tx.db)
            guard contact.feature(.calls, user: user).enabledSides.isEnabledForUser else {
                throw ChatFailure.commandError("feature not allowed \(DirectFeature.calls.name)")
            }
            let connection = try contact.requireSendableConnection(user)
            let key = type.capabilities.encryption ? try X25519.PrivateKey() : nil
            let id = CallID.random()
            var new = CallRecord.makeItem(isSent: true)
            new.sharedID = .random()
            var before = try CallRecord.find(with: contact, tx.db)
            let item = try ItemWriter.create(new, in: &contact, movesChat: true, tx)
            let message = ChatMessage(sharedID: new.sharedID, event: .call(.invitation(id, type, key: key?.publicKey)))
            try tx.enqueue(message, to: connection, item: item.itemId)
            try before?.endWithoutMessage(in: contact, user, tx)
            try CallRecord(
                with: contact,
                id,
                item: item,
                .invitationSent(own: type, privateKey: key.map { BytesText.base64URL($0.rawRepresentation) })
            ).store(tx)
            try tx.emit(
                .newChatItems(user: user.api, chatItems: [item.api(in: contact.chatInfo(user), at: tx.now)]),
                user: user.userId
            )
            return .cmdOk(user_: user.api)
        }
    }

    /// `/_call reject`: rejects a call. The contact is not notified, as in the original.
    func rejectCall(_ contactId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await withCall(contactId, user) { call, contact, tx in
            guard case .invitationReceived = call.state else {
                throw ChatFailure(ChatErrorType.callState(currentCallState: call.state.tag))
            }
            try call.showStatus(.rejected, read: true, in: contact, user, tx)
            return .ended
        }
    }

    /// `/_call offer`: accepts a call and sends an offer. If several programs of the user ring, the first program that
    /// sends an offer gets the call.
    func sendCallOffer(_ contactId: Int64, _ offer: WebRTCCallOffer, user: UserRecord) async throws -> ChatResponse {
        try await withCall(contactId, user) { call, contact, tx in
            guard case .invitationReceived(let peer, let publicKey, let sharedKey) = call.state else {
                throw ChatFailure(ChatErrorType.callState(currentCallState: call.state.tag))
            }
            let key = offer.callType.capabilities.encryption ? try CallKey.decodePublicKey(publicKey) : nil
            try tx.sendCallEvent(.offer(call.callID, offer.callType, offer.rtcSession, key: key), to: contact, user)
            call.state = .offerSent(own: offer.callType, peer: peer, ownSession: offer.rtcSession, sharedKey: sharedKey)
            try call.showStatus(.accepted, read: true, in: contact, user, tx)
            return .continues
        }
    }

    /// `/_call answer`: accepts the contact's offer.
    func sendCallAnswer(_ contactId: Int64, _ session: WebRTCSession, user: UserRecord) async throws -> ChatResponse {
        try await withCall(contactId, user) { call, contact, tx in
            guard case .offerReceived(let own, let peer, let peerSession, let sharedKey) = call.state else {
                throw ChatFailure(ChatErrorType.callState(currentCallState: call.state.tag))
            }
            try tx.sendCallEvent(.answer(call.callID, session), to: contact, user)
            call.state = .negotiated(
                own: own,
                peer: peer,
                ownSession: session,
                peerSession: peerSession,
                sharedKey: sharedKey
            )
            try call.showStatus(.negotiated, in: contact, user, tx)
            return .continues
        }
    }

    /// `/_call extra`: sends more network addresses of the user's program.
    func sendCallExtraInfo(_ contactId: Int64, _ info: WebRTCExtraInfo, user: UserRecord) async throws -> ChatResponse {
        try await withCall(contactId, user) { call, contact, tx in
            switch call.state {
            case .offerSent, .negotiated: try tx.sendCallEvent(.extra(call.callID, info), to: contact, user)
            case .invitationSent, .invitationReceived, .offerReceived:
                throw ChatFailure(ChatErrorType.callState(currentCallState: call.state.tag))
            }
            return .continues
        }
    }

    /// `/_call end`: ends the call on both sides.
    func endCall(_ contactId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await withCall(contactId, user) { call, contact, tx in
            try tx.sendCallEvent(.end(call.callID), to: contact, user)
            try call.showMediaStatus(.disconnected, in: contact, user, tx)
            return .ended
        }
    }

    /// `/_call status`: records the state of the media in the user's program.
    func recordCallStatus(_ contactId: Int64, _ media: WebRTCCallStatus, user: UserRecord) async throws -> ChatResponse
    {
        try await withCall(contactId, user) { call, contact, tx in
            try call.showMediaStatus(media, in: contact, user, tx)
            return .continues
        }
    }

    /// `/_call get`: returns the unanswered calls of one user, or of all users except inactive hidden users.
    func getCallInvitations(of userId: Int64?) async throws -> ChatResponse {
        try await store.readCalls { db in
            let users =
                try userId.map { [try Self.findUserOrActive($0, db)] }
                ?? UserRecord.all(in: db).filter { $0.isActive || !$0.isHidden }
            var read = CallsSnapshot()
            for user in users {
                for call in try CallRecord.all(user: user.userId, db) {
                    guard let contact = try ContactRecord.find(call.contactId, user: user.userId, in: db) else {
                        continue
                    }
                    if let invitation = call.makeApiInvitation(contact, user) { read.invitations.append(invitation) }
                    if let active = call.makeApiActiveCall(contact, user) { read.activeCalls.append(active) }
                }
            }
            return read
        }
    }

    private enum CallOutcome { case continues, ended }

    /// Runs `body` on the current call with a contact, and then stores the changed call or deletes the ended call.
    /// - Throws: `userNotFoundByContactId`, `noCurrentCall`.
    private func withCall(
        _ contactId: Int64,
        _ user: UserRecord,
        _ body: @escaping @Sendable (inout CallRecord, ContactRecord, Transaction) throws -> CallOutcome
    ) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            guard let contact = try ContactRecord.find(contactId, user: user.userId, in: tx.db) else {
                throw ChatFailure(StoreError.userNotFoundByContactId(contactId: contactId))
            }
            guard var call = try CallRecord.find(with: contact, tx.db) else {
                throw ChatFailure(ChatErrorType.noCurrentCall)
            }
            switch try body(&call, contact, tx) {
            case .continues: try call.store(tx)
            case .ended: try call.delete(tx)
            }
            return .cmdOk(user_: user.api)
        }
    }
}

extension Transaction {
    fileprivate func sendCallEvent(_ event: CallEvent, to contact: ContactRecord, _ user: UserRecord) throws {
        try enqueue(ChatMessage(sharedID: .random(), event: .call(event)), to: contact.requireSendableConnection(user))
    }
}
