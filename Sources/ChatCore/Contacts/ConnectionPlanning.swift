internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SQLCipher

extension RunningCommand {
    /// `/_connect plan`: returns the result that connecting by a link or a SimpleX name would have. Fetches the data of
    /// an unknown short link first.
    /// - Parameter signature: the signature of the link's owner, if the message with the link contains one.
    func planConnection(
        link: String,
        _ mode: PlanResolveMode = .unknown,
        signature: LinkOwnerSig? = nil,
        user: UserRecord
    ) async throws -> ChatResponse {
        if let name = try SimplexName.parse(link) {
            return try await planConnection(name, mode, signature: signature, user: user)
        }
        if let group = try await planJoining(link, mode, signature: signature, user: user) { return group }
        if let known = try await planPreparedContact(link, user: user) { return known }
        if mode == .never, let short = try? ShortLink(atServer: link), !short.isInvitation {
            throw ChatFailure(ChatErrorType.notResolvedLocally)
        }
        let resolved = try await resolveLink(link, user: user)
        return try await planResolvedLink(resolved, resolved.verifyOwnerSignature(signature), user: user)
    }

    /// Returns the connection plan for a resolved invitation or address: the result that connecting would have.
    /// - Parameter verification: the result of checking the owner's signature; nil for a link without a signature.
    func planResolvedLink(
        _ resolved: ResolvedLink,
        _ verification: OwnerVerification?,
        user: UserRecord
    ) async throws -> ChatResponse {
        let request = resolved.request
        return try await store.read { db in
            let business = try GroupRecord.find(viaLink: request.uri, user, in: db).flatMap {
                Self.planJoinedGroup($0, verification, user)
            }
            let plan: ConnectionPlan =
                if let business { .groupLink(groupLinkPlan: business) } else if request.isInvitation {
                    .invitationLink(
                        invitationLinkPlan: try Self.planInvitation(request.uri, resolved.data, verification, user, db)
                    )
                } else {
                    .contactAddress(contactAddressPlan: try Self.planAddress(address: resolved, verification, user, db))
                }
            return .connectionPlan(
                user: user.api,
                connLink: resolved.link,
                planSimplexName: nil,
                otherSimplexName: nil,
                connectionPlan: plan
            )
        }
    }

    /// Returns the connection plan for a short link by which a contact was prepared; nil for other links, for an
    /// invitation with a stored connection, and for the address of a deleted contact. Does not fetch the data of the
    /// link.
    func planPreparedContact(_ link: String, user: UserRecord) async throws -> ChatResponse? {
        guard let short = try? ShortLink(atServer: link) else { return nil }
        return try await store.read { db in
            if short.isInvitation, try ConnectionRecord.find(shortLink: short.uri, user: user.userId, in: db) != nil {
                return nil
            }
            guard let contact = try ContactRecord.findPrepared(short.uri, user: user, in: db),
                let prepared = contact.preparation,
                // An invitation cannot be used again, even if its contact was deleted.
                short.isInvitation || contact.isActive
            else { return nil }
            return .connectionPlan(
                user: user.api,
                connLink: prepared.link,
                planSimplexName: nil,
                otherSimplexName: nil,
                connectionPlan: short.isInvitation
                    ? .invitationLink(invitationLinkPlan: .known(contact: contact.api(user)))
                    : .contactAddress(contactAddressPlan: .known(contact: contact.api(user)))
            )
        }
    }

    private static func planInvitation(
        _ link: String,
        _ data: ContactShortLinkData?,
        _ verification: OwnerVerification?,
        _ user: UserRecord,
        _ db: StoreConnection
    ) throws -> InvitationLinkPlan {
        let ok = InvitationLinkPlan.ok(contactSLinkData_: data, ownerVerification: verification)
        guard let connection = try ConnectionRecord.find(link: link, user: user.userId, in: db) else { return ok }
        if case .contact(let contactId) = connection.owner {
            guard let contact = try ContactRecord.find(contactId, user: user.userId, in: db), contact.isActive else {
                return ok
            }
            return .known(contact: contact.api(user))
        }
        if connection.status == .new, connection.isInitiated { return .ownLink }
        return connection.status == .prepared ? ok : .connecting(contact_: nil)
    }

    /// Returns the connection plan for a contact address: the result that connecting would have.
    private static func planAddress(
        address: ResolvedLink,
        _ verification: OwnerVerification?,
        _ user: UserRecord,
        _ db: StoreConnection
    ) throws -> ContactAddressPlan {
        let uri = address.request.uri
        if let own = try AddressRecord.find(user: user.userId, in: db), own.fullLink == uri { return .ownLink }
        let ok = ContactAddressPlan.ok(
            contactSLinkData_: address.data,
            ownerVerification: verification,
            verifiedDomain: nil
        )
        guard let connection = try ConnectionRecord.find(link: uri, user: user.userId, in: db) else {
            return try ContactRecord.findUnconnected(withAddress: [uri, address.shortLink?.uri], user: user, in: db)
                .map { .contactViaAddress(contact: $0.api(user)) } ?? ok
        }
        guard case .contact(let contactId) = connection.owner else {
            return connection.status == .prepared ? ok : .connectingConfirmReconnect
        }
        guard let contact = try ContactRecord.find(contactId, user: user.userId, in: db), contact.isActive else {
            return ok
        }
        return contact.isReady ? .known(contact: contact.api(user)) : .connectingProhibit(contact: contact.api(user))
    }
}

extension ContactRecord {
    /// Finds the newest contact that was prepared with a short link.
    static func findPrepared(_ shortLink: String, user: UserRecord, in db: StoreConnection) throws -> ContactRecord? {
        let row = try db.firstRow(
            """
            SELECT contact_id FROM contacts
            WHERE user_id = :user_id AND conn_short_link_to_connect = :conn_short_link_to_connect
            ORDER BY contact_id DESC LIMIT 1
            """,
            ["user_id": user.userId, "conn_short_link_to_connect": shortLink]
        )
        return try row.flatMap { try find($0.int64("contact_id"), user: user.userId, in: db) }
    }

    /// Finds a contact without a connection whose profile contains one of these addresses.
    static func findUnconnected(
        withAddress links: [String?],
        user: UserRecord,
        in db: StoreConnection
    ) throws -> ContactRecord? {
        let rows = try db.query(
            """
            SELECT c.contact_id FROM contacts c WHERE c.user_id = ? AND c.contact_status = 'active' AND NOT EXISTS
              (SELECT 1 FROM connections cn WHERE cn.user_id = c.user_id AND cn.contact_id = c.contact_id) ORDER BY c.contact_id
            """,
            [user.userId]
        )
        for row in rows {
            guard let contact = try find(row.int64("contact_id"), user: user.userId, in: db),
                let link = contact.profile.contactLink
            else { continue }
            let uri = (try? ConnectionRequest(parsing: link).uri) ?? (try? ShortLink(atServer: link).uri)
            if let uri, links.contains(uri) { return contact }
        }
        return nil
    }
}
