internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SimpleXCrypto
internal import SQLCipher

/// Handling of the messages by which contacts make and negotiate calls.
extension MessageReceiver {
    func handleCall(_ event: CallEvent, _ sharedID: SharedMessageID?, _ contact: inout ContactRecord) throws {
        if case .invitation(let id, let type, let key) = event {
            return try handleCallInvitation(id, type, key, sharedID, &contact)
        }
        guard var call = try CallRecord.find(with: contact, tx.db) else {
            return reportCallError(event, "no current call")
        }
        guard call.callID == event.callID else { return reportCallError(event, "wrong contact or callId") }
        switch (event, call.state) {
        case (.offer(_, let type, let session, let key), .invitationSent(let own, let privateKey)):
            let sharedKey = try CallKey.computeSharedKey(CallKey.decodePrivateKey(privateKey), key)
            call.state = .offerReceived(own: own, peer: type, peerSession: session, sharedKey: sharedKey)
            try emit(
                .callOffer(
                    user: user.api,
                    contact: contact.api(user),
                    callType: type,
                    offer: session,
                    sharedKey: sharedKey,
                    askConfirmation: call.state.asksConfirmation
                )
            )
            try call.showStatus(.accepted, in: contact, user, tx)
        case (.answer(_, let session), .offerSent(let own, let peer, let ownSession, let sharedKey)):
            call.state = .negotiated(
                own: own,
                peer: peer,
                ownSession: ownSession,
                peerSession: session,
                sharedKey: sharedKey
            )
            try emit(.callAnswer(user: user.api, contact: contact.api(user), answer: session))
            try call.showStatus(.negotiated, in: contact, user, tx)
        case (.extra(_, let info), .offerReceived), (.extra(_, let info), .negotiated):
            try emit(.callExtraInfo(user: user.api, contact: contact.api(user), extraInfo: info))
        case (.end, _):
            try emit(.callEnded(user: user.api, contact: contact.api(user)))
            try call.showMediaStatus(.disconnected, in: contact, user, tx)
            return try call.delete(tx)
        default: return reportCallError(event, "wrong call state \(call.state.errorName)")
        }
        try call.store(tx)
    }

    /// Handles a call of a contact. An allowed call ends an earlier call with the contact.
    private func handleCallInvitation(
        _ id: CallID,
        _ type: CallType,
        _ key: X25519.PublicKey?,
        _ sharedID: SharedMessageID?,
        _ contact: inout ContactRecord
    ) throws {
        guard try !isRepeated(sharedID, contact) else { return }
        var new = CallRecord.makeItem(isSent: false)
        let isAllowed = contact.feature(.calls, user: user).enabledSides.isEnabledForContact
        if !isAllowed {
            new = NewItem(
                isSent: false,
                content: .rcvChatFeatureRejected(feature: .calls),
                text: "\(DirectFeature.calls.name): received, prohibited",
                status: .rcvNew
            )
        }
        new.itemTs = brokerTs
        new.sharedID = sharedID
        // An unusable key of the contact is refused before this function writes to the database.
        let own = type.capabilities.encryption ? try X25519.PrivateKey() : nil
        let sharedKey = try CallKey.computeSharedKey(own, key)
        var before = isAllowed ? try CallRecord.find(with: contact, tx.db) : nil
        let shown = contact
        let item = try ItemWriter.create(new, in: &contact, movesChat: true, tx)
        guard isAllowed else { return try emitNewItem(new: item, contact) }
        try before?.endWithoutMessage(in: contact, user, tx)
        let publicKey = own.map { BytesText.base64URL($0.publicKey.rawRepresentation) }
        let call = CallRecord(
            with: contact,
            id,
            item: item,
            .invitationReceived(peer: type, publicKey: publicKey, sharedKey: sharedKey)
        )
        try call.store(tx)
        if let invitation = call.makeApiInvitation(shown, user) {
            try emit(.callInvitation(callInvitation: invitation))
        }
        try emitNewItem(new: item, contact)
    }

    private func emit(_ event: ChatEvent) throws { try tx.emit(event, user: user.userId) }

    private func reportCallError(_ event: CallEvent, _ error: String) {
        unhandledElements.recordError("\(event.tag): \(error)", isMessageError: true)
    }
}
