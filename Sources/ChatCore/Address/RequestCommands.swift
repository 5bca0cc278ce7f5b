internal import Agent
internal import ChatAPI
internal import JSON
internal import SQLCipher

/// Commands about contact requests.
extension RunningCommand {
    /// `/_accept`: accepts a contact request, and creates a connection for the contact. The agent completes the
    /// acceptance, even after a crash. The command waits briefly for the relay, and the response contains the state of
    /// the connection after this wait.
    func acceptContact(_ requestId: Int64, incognito: Bool, user: UserRecord) async throws -> ChatResponse {
        if incognito {
            // A request to an address with a short link cannot be accepted incognito. The sender may have read the
            // user's profile behind the link, so an incognito profile would not hide the user.
            let address = try await store.read { db in
                let request = try ContactRequestRecord.get(requestId, user: user, in: db)
                return request.linkId == nil ? nil : try AddressRecord.find(user: user.userId, in: db)
            }
            guard let address else {
                throw ChatFailure.commandError("the address is not known, so its requests cannot be accepted incognito")
            }
            guard address.shortLink == nil else {
                throw ChatFailure.commandError("incognito not allowed for address with short link data")
            }
        }
        let joining = services.joinWaiters.expectCompletion(requestId)
        defer { services.joinWaiters.reportCompletion(requestId) }
        let accepted = try await services.acceptContactRequest(
            requestId,
            incognito: incognito,
            user: user,
            automatically: false,
            in: store
        )
        let isNew = try await store.read { db in
            try accepted.connectionId.flatMap { try ConnectionRecord.find($0, in: db) }?.status == .new
        }
        if isNew {
            await services.joinWaiters.waitForCompletion(for: joining, of: requestId, atMost: Self.maxAcceptanceWait)
        }
        return try await store.read { db in
            .acceptingContactRequest(
                user: user.api,
                contact: try ContactRecord.get(accepted.contactId, user: user, in: db).api(user)
            )
        }
    }

    private static let maxAcceptanceWait = Duration.seconds(3)

    /// `/_reject`: deletes the request and its contact, with the chat and the connection, even if the request was
    /// accepted. The sender is not notified.
    func rejectContact(_ requestId: Int64, user: UserRecord) async throws -> ChatResponse {
        // The agent deletes the request first. For the agent an unknown request counts as deleted, so the command can
        // be repeated.
        let invitation = try await store.read { db in
            try ContactRequestRecord.get(requestId, user: user, in: db).invitationID
        }
        try await services.withAgent { try await $0.rejectRequest(invitation) }
        return try await store.writeAndAnswer { tx in
            let request = try ContactRequestRecord.get(requestId, user: user, in: tx.db)
            let contact = try ContactRecord.get(request.contactId, user: user, in: tx.db)
            // If the contact of the request was merged into another contact, the other contact is kept.
            let isOwn = contact.requestId == requestId
            if isOwn { try Self.deleteEntirely(contact, notify: false, user, tx) }
            try tx.db.execute("DELETE FROM contact_requests WHERE contact_request_id = ?", [requestId])
            return .contactRequestRejected(
                user: user.api,
                contactRequest: request.api(contact),
                contact_: isOwn ? contact.api(user) : nil
            )
        }
    }
}
