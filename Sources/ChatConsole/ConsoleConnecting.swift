internal import ChatAPI

/// Terminal commands that connect by a link. Before connecting, the commands check the connection plan, which is the
/// relation of the link to the user.
extension Console {
    /// Reads the connection plan of a link. Connects if the plan permits connecting without asking the user. Otherwise
    /// returns the plan.
    func connectAsPlanned(_ link: String, incognito: Bool, user: Engine.User) async throws -> ChatResponse {
        let planned = try await run(
            .contacts(.connectPlan(userId: user.userId, connLink: link, resolveMode: .unknown, linkOwnerSig: nil)),
            as: user.userId
        )
        guard case .connectionPlan(_, let found, let name, _, let plan) = planned, plan.mayConnectWithoutAsking else {
            return planned
        }
        if let name, case .contactAddress(.ok(let data?, _, _)) = plan {
            return try await connectByName(found, name.nameDomain, data, incognito: incognito, user)
        }
        if case .contactAddress(.contactViaAddress(let contact)) = plan {
            return try await run(
                .contacts(
                    .connectContactViaAddress(userId: user.userId, incognito: incognito, contactId: contact.contactId)
                ),
                as: user.userId
            )
        }
        if case .groupLink(.ok(let info?, let data?, _, _)) = plan, !info.direct {
            return try await joinChannel(found, name?.nameDomain, data, incognito: incognito, user)
        }
        return try await run(
            .contacts(.connect(userId: user.userId, incognito: incognito, connLink: found)),
            as: user.userId
        )
    }

    /// Connects to a contact or to a business by its SimpleX name. The prepared chat remains if the attempt fails.
    private func connectByName(
        _ link: CreatedConnLink,
        _ domain: SimplexDomain,
        _ data: ContactShortLinkData,
        incognito: Bool,
        _ user: Engine.User
    ) async throws -> ChatResponse {
        let prepared = try await run(
            .contacts(
                .prepareContact(
                    userId: user.userId,
                    connLink: link,
                    verifiedDomain: domain.text,
                    contactShortLinkData: data
                )
            ),
            as: user.userId
        )
        guard case .newPreparedChat(_, let chat) = prepared else { return prepared }
        switch chat.chatInfo {
        case .direct(let contact):
            return try await run(
                .contacts(
                    .connectPreparedContact(contactId: contact.contactId, incognito: incognito, msg: nil)
                ),
                as: user.userId
            )
        case .group(let group, _):
            return try await run(
                .groups(
                    .connectPreparedGroup(groupId: group.groupId, incognito: incognito, ownerContact: nil, msg: nil)
                ),
                as: user.userId
            )
        default: return prepared
        }
    }

    /// Joins a channel. If the joining fails, removes the group that was prepared for the channel.
    /// - Parameter domain: the SimpleX name by which the user has found the channel.
    private func joinChannel(
        _ link: CreatedConnLink,
        _ domain: SimplexDomain?,
        _ data: GroupShortLinkData,
        incognito: Bool,
        _ user: Engine.User
    ) async throws -> ChatResponse {
        let prepared = try await run(
            .groups(
                .prepareGroup(
                    userId: user.userId,
                    connLink: link,
                    directLink: false,
                    verifiedDomain: domain?.text,
                    groupShortLinkData: data
                )
            ),
            as: user.userId
        )
        guard case .newPreparedChat(_, let chat) = prepared, case .group(let group, _) = chat.chatInfo else {
            return prepared
        }
        do {
            return try await run(
                .groups(
                    .connectPreparedGroup(groupId: group.groupId, incognito: incognito, ownerContact: nil, msg: nil)
                ),
                as: user.userId
            )
        } catch {
            let chat = ChatRef(chatType: .group, chatId: group.groupId)
            _ = try await run(.contacts(.deleteChat(chat: chat, mode: .full(notify: false))), as: user.userId)
            throw error
        }
    }
}

extension ConnectionPlan {
    /// Whether the program may connect by a link with this plan without asking the user.
    var mayConnectWithoutAsking: Bool {
        switch self {
        case .invitationLink(.ok), .invitationLink(.ownLink), .error: true
        case .groupLink(.ok), .groupLink(.ownLink), .groupLink(.connectingConfirmReconnect): true
        case .contactAddress(.ok), .contactAddress(.ownLink), .contactAddress(.connectingConfirmReconnect),
            .contactAddress(.contactViaAddress):
            true
        default: false
        }
    }
}
