internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// A failure to invite a relay.
struct RelayInvitationFailure: Sendable {
    let failure: ChatFailure
    /// Whether a later attempt may succeed.
    let isTemporary: Bool
}

extension [UserChatRelay] {
    /// Returns the result of the invitation of each relay.
    /// - Parameter failures: the failures, by the ids of the relays.
    func makeAddRelayResults(_ failures: [Int64: RelayInvitationFailure]) -> [AddRelayResult] {
        map { relay in
            AddRelayResult(relay: relay, relayError: relay.chatRelayId.flatMap { failures[$0] }?.failure.error)
        }
    }
}

/// Commands for the relays of the user's own channels.
extension RunningCommand {
    /// `/_get relays #`: lists the relays of a channel.
    func listGroupRelays(_ groupId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.read { db in
            let group = try GroupRecord.get(groupId, user: user, in: db)
            return .groupRelays(
                user: user.api,
                groupInfo: group.api(user),
                groupRelays: try GroupRelayRecord.all(of: group, in: db).map(\.api)
            )
        }
    }

    /// `/_add relays #`: invites relays to the channel. Invited relays are added even if other invitations fail.
    /// - Throws: `groupUserRole`, `groupLinkNotFound`, `userChatRelayNotFound`.
    func addGroupRelays(_ groupId: Int64, relays relayIds: [Int64], user: UserRecord) async throws -> ChatResponse {
        let group = try await store.read { db in
            let group = try GroupRecord.get(groupId, user: user, in: db)
            try group.requireRole(.owner, user)
            guard group.isChannel else { throw ChatFailure.commandError("only channels have relays") }
            let present = Set(try GroupRelayRecord.all(of: group, in: db).compactMap(\.relay.chatRelayId))
            guard present.isDisjoint(with: relayIds) else {
                throw ChatFailure.commandError("some relays are already in the group")
            }
            guard present.count + Set(relayIds).count <= ChannelRelays.maxRelays else {
                throw ChatFailure.commandError("more than \(ChannelRelays.maxRelays) relays")
            }
            guard try GroupLinkRecord.get(of: group, user, in: db).shortLink != nil else {
                throw ChatFailure(ChatErrorType.exception(message: "the channel has no short link"))
            }
            return group
        }
        let relays = try await findRelays(relayIds, user)
        let failures = try await inviteRelays(relays, to: group, user)
        if !failures.isEmpty {
            if failures.values.allSatisfy(\.isTemporary),
                let first = relays.lazy.compactMap({ $0.chatRelayId.flatMap { failures[$0] } }).first
            {
                throw first.failure
            }
            return .groupRelaysAddFailed(user: user.api, addRelayResults: relays.makeAddRelayResults(failures))
        }
        return try await store.writeAndAnswer { tx in
            let now = try GroupRecord.get(groupId, user: user, in: tx.db)
            return .groupRelaysAdded(
                user: user.api,
                groupInfo: now.api(user),
                groupLink: try GroupLinkRecord.get(of: now, user, in: tx.db).api,
                groupRelays: try GroupRelayRecord.all(of: now, in: tx.db).map(\.api)
            )
        }
    }

    /// Invites all relays at the same time. A relay whose invitation fails is deleted from the channel.
    /// - Returns: the failures, by the ids of the relays.
    func inviteRelays(
        _ relays: [UserChatRelay],
        to group: GroupRecord,
        _ user: UserRecord
    ) async throws -> [Int64: RelayInvitationFailure] {
        try await withThrowingTaskGroup(of: (Int64?, RelayInvitationFailure?).self) { tasks in
            for relay in relays {
                tasks.addTask {
                    do {
                        try await self.inviteRelay(relay, to: group, user)
                        return (relay.chatRelayId, nil)
                    } catch let error as AgentError {
                        return (
                            relay.chatRelayId,
                            RelayInvitationFailure(
                                failure: ChatFailure(ChatError.agentError(error.apiError)),
                                isTemporary: error.isTemporary
                            )
                        )
                    } catch let failure as ChatFailure {
                        return (relay.chatRelayId, RelayInvitationFailure(failure: failure, isTemporary: false))
                    }
                }
            }
            var failures: [Int64: RelayInvitationFailure] = [:]
            for try await case (let id?, let failure?) in tasks { failures[id] = failure }
            return failures
        }
    }

    private func inviteRelay(_ relay: UserChatRelay, to group: GroupRecord, _ user: UserRecord) async throws {
        guard let address = ChatRelays.parseLink(relay.address), let link = group.profile.publicGroup?.groupLink else {
            throw ChatFailure(ChatErrorType.invalidConnReq)
        }
        let (request, id) = try await services.withAgent { agent in
            let (request, _, _) = try await agent.fetchLinkData(user: user.agentUserId, address, patience: .interactive)
            return (request, try await agent.prepareJoin(user: user.agentUserId, request: request, pqSupport: false))
        }
        let (member, connection) = try await storeAgentConnection(id, user) { tx in
            let now = try GroupRecord.get(group.groupId, user: user, in: tx.db)
            try now.requireRole(.owner, user)
            let present = try GroupRelayRecord.all(of: now, in: tx.db)
            guard !present.contains(where: { $0.relay.chatRelayId == relay.chatRelayId }) else {
                throw ChatFailure.commandError("some relays are already in the group")
            }
            let member = try GroupRelayRecord.create(relay, in: now, user, tx)
            let connection = try ConnectionRecord.create(
                agent: id,
                user: user,
                status: .prepared,
                initiated: true,
                fullLink: request.uri,
                shortLink: address.uri,
                owner: .member(member.memberId),
                incognitoProfileId: now.membership.incognitoProfileId,
                pqSupport: false,
                chatVersion: ChatVersionRange.initial.maximum,
                at: tx.now,
                in: tx.db
            )
            return (member, connection)
        }
        do {
            let invitation = RelayInvitation(
                from: MemberIdRole(id: group.membership.sharedID, role: group.membership.role),
                fromProfile: try group.ownProfile(user),
                relay: member.sharedID,
                groupLink: link
            )
            let info = try ChatMessage(event: .relay(.invitation(invitation))).encodeConnectionInfo(for: connection)
            let isSecured = try await services.withAgent {
                try await $0.join(connection: id, request: request, connInfo: info, patience: .interactive)
            }
            try await recordInvitation(of: member, over: connection, isSecured: isSecured, user)
        } catch {
            try await store.write { tx in
                guard var now = try MemberRecord.find(member.memberId, user: user.userId, in: tx.db) else { return }
                try now.disconnect(afterDelivery: false, tx)
                try now.delete(tx)
            }
            throw error
        }
    }

    /// Marks a relay as invited, after the agent has sent the invitation.
    private func recordInvitation(
        of member: MemberRecord,
        over connection: ConnectionRecord,
        isSecured: Bool,
        _ user: UserRecord
    ) async throws {
        try await store.write { tx in
            if let now = try ConnectionRecord.find(connection.connectionId, in: tx.db), now.status == .prepared {
                try now.setStatus(isSecured ? .sndReady : .joined, at: tx.now, in: tx.db)
            }
            // If the relay has already answered, its status may be later than `invited`. A later status is kept.
            if var relay = try GroupRelayRecord.find(member: member.memberId, user: user.userId, in: tx.db),
                relay.status == .new
            {
                try relay.setStatus(.invited, tx)
            }
        }
    }

    /// Runs `body`, which stores a new connection of the agent. When `body` fails, the agent deletes the connection.
    private func storeAgentConnection<T: Sendable>(
        _ id: ConnectionID,
        _ user: UserRecord,
        _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> T {
        do { return try await store.write(body) } catch {
            try await store.write { tx in try tx.requestDeletionInAgent(of: id.text, user: user.userId) }
            throw error
        }
    }
}
