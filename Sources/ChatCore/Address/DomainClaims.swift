internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import SMP
internal import SQLCipher
internal import SimpleXCrypto

/// Claims of SimpleX names by the user, and checks of the claims of contacts and groups.
extension RunningCommand {
    /// `/_set domain`: adds a SimpleX name to the profile of the user, or removes it. The name must lead to the short
    /// link of the user's address. The data behind the link shows the name, too.
    func setUserDomain(_ text: String?, user: UserRecord) async throws -> ChatResponse {
        let name = try Self.parseName(text)
        guard user.profile.contactDomain?.name != name else { return .userProfileNoChange(user: user.api) }
        var profile = user.profile
        var address: AddressRecord?
        if let name {
            let own = try await store.read { db in try AddressRecord.get(user: user, in: db) }
            address = own
            guard let short = own.shortLink, let link = try? ShortLink(atServer: short) else {
                throw ChatFailure.commandError("create the short link of the address, and add it to the name")
            }
            guard try await resolveName(name, user: user).leads(to: link, .contact) else {
                throw ChatFailure.nameNotReady(name, .noValidLink)
            }
            profile.contactLink = short
        }
        profile.contactDomain = name.map { SimplexDomainClaim(domain: $0.text) }
        let answer = try await updateProfile(profile, user: user)
        if let address {
            // The data behind the link gets the name immediately, so that people can connect by the name. If this write
            // fails, the background worker repeats the write later.
            let updated = try await store.read { db in try Self.getUser(user.userId, db) }
            _ = try? await refreshLinkData(address, updated)
        }
        return answer
    }

    /// Checks a new claim of a SimpleX name by a channel: the name must lead to the link of the channel.
    func checkChannelDomain(
        _ claim: SimplexDomainClaim,
        of group: GroupRecord,
        user: UserRecord
    ) async throws -> DomainCheck {
        guard let name = try Self.parseName(claim.domain) else { throw ChatFailure(ChatErrorType.invalidConnReq) }
        guard let link = try await findShortLink(of: group),
            try await resolveName(name, user: user).leads(to: link, .publicGroup)
        else { throw ChatFailure.nameNotReady(name, .noValidLink) }
        return DomainCheck(name, isVerified: true)
    }

    /// `/_verify domain @`: checks whether the name in the contact's profile leads to the address by which the user has
    /// connected to the contact, and whether the owner of the address has signed the proof of the name.
    func verifyContactDomain(_ contactId: Int64, user: UserRecord) async throws -> ChatResponse {
        let contact = try await store.read { db in try ContactRecord.get(contactId, user: user, in: db) }
        guard let claim = contact.profile.contactDomain else {
            throw ChatFailure.commandError("contact has no name to verify")
        }
        // A link in the profile proves nothing: anybody can put the address of another person into a profile.
        let link = contact.connectedLink?.connShortLink.flatMap { try? ShortLink(atServer: $0) }
        let (check, reason) = try await verifyDomainClaim(claim, .contact, at: link, user: user)
        return try await store.writeAndAnswer { tx in
            let contact = try ContactRecord.get(contactId, user: user, in: tx.db)
            try check?.store(in: contact, tx)
            let now = try ContactRecord.get(contactId, user: user, in: tx.db)
            return .contactDomainVerified(user: user.api, contact: now.api(user), verificationFailure: reason)
        }
    }

    /// `/_verify domain #`: checks whether the name of a channel or of a business chat leads to the link of the chat,
    /// and whether the owner of the link has signed the proof of the name.
    func verifyGroupDomain(_ groupId: Int64, user: UserRecord) async throws -> ChatResponse {
        let group = try await store.read { db in try GroupRecord.get(groupId, user: user, in: db) }
        guard let claim = group.domainClaim else { throw ChatFailure.commandError("group has no name to verify") }
        let type = group.businessInfo == nil ? SimplexNameType.publicGroup : .contact
        let (check, reason) = try await verifyDomainClaim(claim, type, at: findShortLink(of: group), user: user)
        return try await store.writeAndAnswer { tx in
            let group = try GroupRecord.get(groupId, user: user, in: tx.db)
            try check?.store(in: group, tx)
            let now = try GroupRecord.get(groupId, user: user, in: tx.db)
            return .groupDomainVerified(user: user.api, groupInfo: now.api(user), verificationFailure: reason)
        }
    }

    /// Finds the short link of a channel or of a business chat: the link that the user has made, or by which the user
    /// has joined. The link in the profile of the group is not used, since the owner of the group can put any link into
    /// the profile.
    private func findShortLink(of group: GroupRecord) async throws -> ShortLink? {
        let own = try await store.read { db in try GroupLinkRecord.find(of: group, in: db)?.shortLink }
        return (own ?? group.preparation?.chatPreparation.link.connShortLink).flatMap { try? ShortLink(atServer: $0) }
    }

    /// Checks the claim of a SimpleX name at the relays that resolve names.
    /// - Returns: the result of the check, and the reason if the claim was not verified. If the proof or the link is
    ///   missing, the result is nil, and the result of an earlier check is kept.
    private func verifyDomainClaim(
        _ claim: SimplexDomainClaim,
        _ type: SimplexNameType,
        at link: ShortLink?,
        user: UserRecord
    ) async throws -> (DomainCheck?, reason: String?) {
        guard let proof = claim.proof else { return (nil, "no name proof to verify") }
        guard let link else { return (nil, "no connection link to check the name against") }
        guard let name = claim.name else { return (nil, "the name is malformed") }
        guard try await resolveName(name, user: user).leads(to: link, type) else {
            return (DomainCheck(name, isVerified: false), "the name does not resolve to this address")
        }
        let signers = try await services.withAgent {
            try await $0.fetchLinkData(user: user.agentUserId, link, patience: .interactive).2
        }
        guard proof.isSigned(by: signers, name, link) else {
            return (DomainCheck(name, isVerified: false), "the name proof was not signed by this address's owner")
        }
        return (DomainCheck(name, isVerified: true), nil)
    }
}

extension SimplexDomainProof {
    /// Whether an owner of the link has signed that the name belongs to the link.
    func isSigned(by signers: LinkSigners, _ name: NameDomain, _ link: ShortLink) -> Bool {
        guard let signature = try? Base64URL.decode(signature), case .contact(let type) = link.kind else {
            return false
        }
        let owner = linkOwnerId.map { try? Base64URL.decode($0) }
        // A claim with an owner id that cannot be decoded is refused, because no owner has such an id.
        if case .some(.none) = owner { return false }
        let signed = [
            "simplex_domain_v1", presHeader, name.text, String(UnicodeScalar(type.rawValue)),
            link.server.withoutPassword.str, Base64URL.encode(link.linkKey),
        ].joined(separator: " ")
        return signers.findKey(of: owner ?? nil)?.isValidSignature(signature, for: Array(signed.utf8)) ?? false
    }
}
