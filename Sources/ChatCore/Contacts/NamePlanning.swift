internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SMP
internal import SQLCipher

/// Finds the result that connecting by a SimpleX name would have.
extension RunningCommand {
    /// Returns the connection plan for a SimpleX name: the plan for the chat that has the verified name, or the plan
    /// for the link to which the name leads. The profile behind the link must claim the name.
    ///
    /// For a name without a type, the function first tries the name of a channel. If no channel has the name, or the
    /// channel cannot be used, the function tries the name of a contact.
    func planConnection(
        _ name: SimplexName,
        _ mode: PlanResolveMode,
        signature: LinkOwnerSig?,
        user: UserRecord
    ) async throws -> ChatResponse {
        let request = NamePlanRequest(name: name.domain, mode: mode, signature: signature, user: user)
        guard let type = name.type else { return try await planNameOfAnyType(request) }
        if let known = try await planKnownName(request, type), mode != .allGroups { return known }
        guard mode != .never else { throw ChatFailure(ChatErrorType.notResolvedLocally) }
        guard let link = try await resolveName(name.domain, user: user).findFirstLink(ofType: type) else {
            throw ChatFailure.nameNotReady(name.domain, .noValidLink)
        }
        return try await planLink(request, type, at: link)
    }

    private func planNameOfAnyType(_ request: NamePlanRequest) async throws -> ChatResponse {
        let channel = try await planKnownName(request, .publicGroup)
        let known = if let channel { channel } else { try await planKnownName(request, .contact) }
        guard request.mode != .never else {
            guard let known else { throw ChatFailure(ChatErrorType.notResolvedLocally) }
            return known
        }
        let record: NameRecord
        do {
            record = try await resolveName(request.name, user: request.user)
        } catch let failure as ChatFailure {
            guard let known else { throw failure }
            return known
        }
        let contact = record.findFirstLink(ofType: .contact)
        var failure: ChatFailure?
        if let link = record.findFirstLink(ofType: .publicGroup) {
            do {
                let planned = try await planLink(request, .publicGroup, at: link)
                return contact == nil ? planned : planned.addingOtherName(request.nameInfo(.contact))
            } catch let error as ChatFailure {
                failure = error
            }
        }
        if let contact {
            do {
                let planned = try await planLink(request, .contact, at: contact)
                return failure == nil ? planned : planned.addingOtherName(request.nameInfo(.publicGroup))
            } catch let error as ChatFailure {
                failure = failure ?? error
            }
        }
        if let known { return known }
        throw failure ?? ChatFailure.nameNotReady(request.name, .noValidLink)
    }

    /// Returns the connection plan for the link to which a SimpleX name leads.
    private func planLink(
        _ request: NamePlanRequest,
        _ type: SimplexNameType,
        at link: ShortLink
    ) async throws -> ChatResponse {
        type == .contact ? try await planContact(request, link) : try await planChannel(request, link)
    }

    private func planContact(_ request: NamePlanRequest, _ link: ShortLink) async throws -> ChatResponse {
        let user = request.user
        let resolved = try await resolveLink(link.uri, user: user)
        guard let claim = resolved.data?.profile.contactDomain, claim.name == request.name else {
            throw ChatFailure.nameNotReady(request.name, .unknownDomain)
        }
        let planned =
            if let business = try await planJoining(link.uri, user: user) {
                business
            } else if let prepared = try await planPreparedContact(link.uri, user: user) { prepared } else {
                try await planResolvedLink(resolved, resolved.verifyOwnerSignature(request.signature), user: user)
            }
        guard case .connectionPlan(let shown, let found, _, _, let plan) = planned else { return planned }
        let named: ConnectionPlan
        switch plan {
        case .contactAddress(.ok(let data, let verification, _)):
            named = .contactAddress(
                contactAddressPlan: .ok(
                    contactSLinkData_: data,
                    ownerVerification: verification,
                    verifiedDomain: SimplexDomain(request.name)
                )
            )
        case .contactAddress(.known(let contact)):
            named = .contactAddress(
                contactAddressPlan: .known(contact: try await claim.storeVerifiedName(to: contact, store, user))
            )
        case .contactAddress(.contactViaAddress(let contact)):
            named = .contactAddress(
                contactAddressPlan: .contactViaAddress(
                    contact: try await claim.storeVerifiedName(to: contact, store, user)
                )
            )
        default: named = plan
        }
        return .connectionPlan(
            user: shown,
            connLink: found,
            planSimplexName: request.nameInfo(.contact),
            otherSimplexName: nil,
            connectionPlan: named
        )
    }

    private func planChannel(_ request: NamePlanRequest, _ link: ShortLink) async throws -> ChatResponse {
        let (user, name) = (request.user, request.name)
        guard
            let planned = try await planJoining(link.uri, request.mode, signature: request.signature, user: user),
            case .connectionPlan(let shown, let found, _, _, .groupLink(let plan)) = planned
        else { throw ChatFailure(ChatErrorType.invalidConnReq) }
        var named = plan
        switch plan {
        // In these cases, the user cannot join the channel now, so the channel's claim of the name is not checked.
        case .noRelays, .updateRequired, .connectingConfirmReconnect, .unrecognized: break
        default:
            guard plan.groupProfile?.publicGroup?.publicGroupAccess?.groupDomainClaim?.name == name else {
                throw ChatFailure.nameNotReady(name, .unknownDomain)
            }
        }
        if case .ok(let info, let data, let verification, _) = plan {
            named = .ok(
                groupSLinkInfo_: info,
                groupSLinkData_: data,
                ownerVerification: verification,
                verifiedDomain: SimplexDomain(name)
            )
        }
        if case .known(let group, let isUpdated, let verification, let owners) = plan,
            group.groupDomainVerified != true
        {
            let verified = try await store.write { tx in
                let group = try GroupRecord.get(group.groupId, user: user, in: tx.db)
                try DomainCheck(name, isVerified: true).store(in: group, tx)
                let now = try GroupRecord.get(group.groupId, user: user, in: tx.db).api(user)
                try tx.emit(
                    .groupUpdated(
                        user: user.api,
                        fromGroup: group.api(user),
                        toGroup: now,
                        member_: nil,
                        msgSigned: nil
                    ),
                    user: user.userId
                )
                return now
            }
            named = .known(
                groupInfo: verified,
                groupUpdated: isUpdated,
                ownerVerification: verification,
                linkOwners: owners
            )
        }
        return .connectionPlan(
            user: shown,
            connLink: found,
            planSimplexName: request.nameInfo(.publicGroup),
            otherSimplexName: nil,
            connectionPlan: .groupLink(groupLinkPlan: named)
        )
    }

    /// Finds a chat, or the user's own address or channel, whose verified name is the given name. Does not use the
    /// network.
    /// - Returns: the connection plan; nil if nothing has this name.
    private func planKnownName(_ request: NamePlanRequest, _ type: SimplexNameType) async throws -> ChatResponse? {
        let (user, name) = (request.user, request.name)
        let found: (link: CreatedConnLink, plan: ConnectionPlan)? = try await store.read { db in
            if type == .contact, user.profile.contactDomain?.name == name,
                let own = try AddressRecord.find(user: user.userId, in: db), own.shortLink != nil
            {
                return (own.link, .contactAddress(contactAddressPlan: .ownLink))
            }
            if type == .contact {
                for contact in try ContactRecord.findVerified(name, user: user, in: db) {
                    guard let link = contact.connectedLink else { continue }
                    return (link, .contactAddress(contactAddressPlan: .known(contact: contact.api(user))))
                }
            }
            for group in try GroupRecord.findVerified(name, user: user, in: db)
            where (group.businessInfo != nil) == (type == .contact) {
                if let own = try GroupLinkRecord.find(of: group, in: db) {
                    return (own.link, .groupLink(groupLinkPlan: .ownLink(groupInfo: group.api(user))))
                }
                guard let link = group.preparation?.chatPreparation.link else { continue }
                let known = GroupLinkPlan.known(
                    groupInfo: group.api(user),
                    groupUpdated: false,
                    ownerVerification: nil,
                    linkOwners: []
                )
                return (link, .groupLink(groupLinkPlan: known))
            }
            return nil
        }
        return found.map {
            .connectionPlan(
                user: user.api,
                connLink: $0.link,
                planSimplexName: request.nameInfo(type),
                otherSimplexName: nil,
                connectionPlan: $0.plan
            )
        }
    }
}

/// The input for a plan to connect by a SimpleX name.
private struct NamePlanRequest: Sendable {
    let name: NameDomain
    let mode: PlanResolveMode
    let signature: LinkOwnerSig?
    let user: UserRecord

    func nameInfo(_ type: SimplexNameType) -> SimplexNameInfo {
        SimplexNameInfo(nameType: type, nameDomain: SimplexDomain(name))
    }
}

extension SimplexDomainClaim {
    /// Stores a SimpleX name in the profile of a contact, and marks the name as verified, because the name leads to the
    /// address of the contact.
    /// - Returns: the changed contact.
    fileprivate func storeVerifiedName(
        to contact: Contact,
        _ store: CommandStore,
        _ user: UserRecord
    ) async throws -> Contact {
        guard let name, contact.profile.contactDomain?.name != name || contact.profile.contactDomainVerified != true
        else { return contact }
        return try await store.write { tx in
            let before = try ContactRecord.get(contact.contactId, user: user, in: tx.db)
            var profile = before.profile
            // Only the name is from the public profile. The other parts come in messages of the contact, and may differ.
            profile.contactDomain = normalized
            try tx.db.update(
                "contact_profiles",
                set: ["profile": try StoredJSON.encode(profile), "updated_at": tx.now.nanoseconds],
                where: ["contact_profile_id": before.profileId]
            )
            try DomainCheck(name, isVerified: true).store(in: before, tx)
            let now = try ContactRecord.get(contact.contactId, user: user, in: tx.db).api(user)
            try tx.emit(
                .contactUpdated(user: user.api, fromContact: before.api(user), toContact: now),
                user: user.userId
            )
            return now
        }
    }
}

extension ContactRecord {
    /// The link by which the user has connected, or wants to connect, to the contact. The owner of the link is the
    /// contact.
    var connectedLink: CreatedConnLink? {
        if let preparation { return preparation.link }
        guard let connection, connection.isViaContactUri, let full = connection.fullLink else { return nil }
        return CreatedConnLink(connFullLink: full, connShortLink: connection.shortLink)
    }
}

extension GroupLinkPlan {
    /// The profile of the group, if the plan contains it.
    fileprivate var groupProfile: GroupProfile? {
        switch self {
        case .ok(_, let data, _, _), .noRelays(let data), .updateRequired(let data): data?.groupProfile
        case .known(let group, _, _, _), .ownLink(let group): group.groupProfile
        case .connectingProhibit(let group): group?.groupProfile
        case .connectingConfirmReconnect, .unrecognized: nil
        }
    }
}

extension ChatResponse {
    /// Returns the plan with the name of the other type (contact or channel), which the user can choose instead.
    fileprivate func addingOtherName(_ other: SimplexNameInfo) -> ChatResponse {
        guard case .connectionPlan(let user, let link, let name, _, let plan) = self else { return self }
        return .connectionPlan(
            user: user,
            connLink: link,
            planSimplexName: name,
            otherSimplexName: other,
            connectionPlan: plan
        )
    }
}
