internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

/// Acceptance of a relay that serves a channel of the user:
/// 1. The relay answers the invitation with a link of its own.
/// 2. The owner reads the link. The link must have the member id that the owner has chosen for the relay.
/// 3. The owner answers the relay, and sends the roster when the relay is connected.
/// 4. The relay acknowledges the roster, and the owner adds the relay to the link of the channel.
extension MemberHandshake {
    /// Handles the relay's answer to the invitation.
    /// - Returns: the reply to a relay that has rejected the invitation; nil for an unexpected answer, and for an
    ///   acceptance. The reply to an acceptance follows after the link of the relay is read.
    mutating func handleRelayAnswer(_ answer: RelayEvent, _ confirmation: ConfirmationID) throws -> [UInt8]? {
        guard group.membership.role == .owner,
            var relay = try GroupRelayRecord.find(member: member.memberId, user: user.userId, in: tx.db)
        else {
            try reportMessageError("\(answer.tag): only an owner can add a relay")
            return nil
        }
        switch answer {
        case .acceptance(let link, let capabilities):
            guard [.new, .invited].contains(relay.status) else { return nil }
            try relay.storeAcceptance(link, confirmation, tx)
            try relay.setCapabilities(capabilities, tx)
            if [.prepared, .joined].contains(connection.status) {
                try connection.setStatus(.requested, at: tx.now, in: tx.db)
            }
            try MemberSteps.addStep(.acceptRelay, to: member, request: link, tx)
            return nil
        case .rejection(let reason):
            let info = try ChatMessage(event: .ok).encodeConnectionInfo(for: connection)
            // An earlier process may have handled the rejection, and ended before the agent replied. Then only the
            // reply is left.
            guard [.new, .invited].contains(relay.status) else { return info }
            if [.prepared, .joined].contains(connection.status) {
                try connection.setStatus(.requested, at: tx.now, in: tx.db)
            }
            try relay.setStatus(.rejected, tx)
            try member.setStatus(.left, tx)
            try refreshRecords()
            try relay.emitUpdate(of: member, in: group, user, tx)
            try tx.emit(
                .terminalEvent(
                    .relayRejected(
                        user: user.api,
                        groupInfo: group.api(user),
                        relayRejectionReason: String(reason.prefix(100))
                    )
                ),
                user: user.userId
            )
            return info
        default:
            try reportMessageError("x.grp.relay.acpt or x.grp.relay.reject is missing in the confirmation of the relay")
            return nil
        }
    }

    /// Marks a relay as connected. If the user is an owner, also sends the roster to the relay. A relay with an older
    /// version keeps no roster, and is added to the link of the channel immediately.
    mutating func handleRelayConnected() throws {
        try member.setStatus(.connected, tx)
        try refreshRecords()
        guard group.membership.role == .owner else { return }
        guard GroupRelayRecord.keepsRoster(member) else { return try group.markLinkDataStale(tx) }
        try RosterSending.sendRoster(to: [connection], in: &group, tx)
    }
}

/// Reads the link of a relay that has accepted the invitation, and answers the relay. The work can be repeated at any
/// time, and continues after the last finished step of an earlier attempt.
struct RelayAcceptance: Sendable {
    let store: any StoreAccess
    let agent: Agent
    let user: UserRecord
    let memberId: Int64

    private struct AcceptanceState: Sendable {
        let member: MemberRecord
        let relay: GroupRelayRecord
        let confirmationID: ConfirmationID
        let connection: ConnectionRecord
        let agentConnectionID: ConnectionID
    }

    private func loadState() async throws -> AcceptanceState? {
        let (user, memberId) = (user, memberId)
        return try await store.read { db in
            guard let member = try MemberRecord.find(memberId, user: user.userId, in: db), !member.status.isRemoved,
                let group = try GroupRecord.find(member.groupId, user: user.userId, in: db),
                !group.membership.status.isRemoved,
                let relay = try GroupRelayRecord.find(member: memberId, user: user.userId, in: db),
                let confirmation = try relay.findConfirmationID(in: db),
                let connection = member.connection, connection.status != .deleted, let id = connection.agentConnectionID
            else { return nil }
            return AcceptanceState(
                member: member,
                relay: relay,
                confirmationID: confirmation,
                connection: connection,
                agentConnectionID: id
            )
        }
    }

    func acceptRelay() async throws {
        guard let parts = try await loadState() else { return }
        if [.new, .invited].contains(parts.relay.status), let fault = try await readLink(parts) {
            return try await rejectRelay(parts, fault)
        }
        let info = try ChatMessage(event: .ok).encodeConnectionInfo(for: parts.connection)
        // This call can be repeated, because the agent answers the relay only once.
        try await agent.allow(connection: parts.agentConnectionID, confirmation: parts.confirmationID, connInfo: info)
        try await store.write { tx in
            guard let now = try ConnectionRecord.find(parts.connection.connectionId, in: tx.db),
                now.status == .requested
            else { return }
            try now.setStatus(.accepted, at: tx.now, in: tx.db)
        }
    }

    /// Reads the link of the relay, and stores the relay as accepted.
    /// - Returns: the reason for which the relay is refused, as a text; nil for an accepted relay.
    /// - Throws: temporary errors of the agent.
    private func readLink(_ parts: AcceptanceState) async throws -> String? {
        guard let text = parts.relay.relayLink, let link = try? ShortLink(atServer: text), link.kind == .contact(.group)
        else { return "relay link: not a relay link" }
        let found: (request: ConnectionRequest, data: LinkUserData, signers: LinkSigners)
        do {
            found = try await agent.fetchLinkData(user: user.agentUserId, link, patience: .background)
        } catch let error as AgentError where !error.isTemporary {
            return "relay link: \(error)"
        }
        guard found.signers.entityID == parts.member.sharedID.bytes else {
            return "relay link: the id is that of another relay"
        }
        guard case .contact(let contact) = found.data,
            let known: RelayLinkUserData = ShortLinkData.decode(contact.userData)
        else {
            return "relay link: the data of the relay are missing"
        }
        let user = user
        try await store.write { tx in
            guard var relay = try GroupRelayRecord.find(member: parts.member.memberId, user: user.userId, in: tx.db),
                [.new, .invited].contains(relay.status),
                var member = try MemberRecord.find(relay.memberId, user: user.userId, in: tx.db)
            else { return }
            try relay.setStatus(.accepted, tx)
            try member.storeSignatureKey(found.signers.rootKey, tx)
            try tx.db.update(
                "group_members",
                set: ["relay_link": link.uri],
                where: ["user_id": user.userId, "group_member_id": member.memberId]
            )
            var profile = known.relayProfile
            profile.replaceUnshowableValues()
            try member.setProfile(profile, tx)
            try member.setStatus(.accepted, tx)
            let group = try GroupRecord.get(member.groupId, user: user, in: tx.db)
            let shown = try MemberRecord.get(member.memberId, in: group, tx.db)
            try relay.emitUpdate(of: shown, in: group, user, tx)
        }
        return nil
    }

    /// Marks the relay as rejected because of a fault in its link, and reports the fault.
    private func rejectRelay(_ parts: AcceptanceState, _ fault: String) async throws {
        let user = user
        try await store.write { tx in
            guard var relay = try GroupRelayRecord.find(member: parts.member.memberId, user: user.userId, in: tx.db),
                var member = try MemberRecord.find(relay.memberId, user: user.userId, in: tx.db)
            else { return }
            try relay.setStatus(.rejected, tx)
            try member.disconnect(afterDelivery: false, tx)
            try member.setStatus(.left, tx)
            let group = try GroupRecord.get(member.groupId, user: user, in: tx.db)
            try tx.emit(.messageError(user: user.api, severity: "error", errorMessage: fault), user: user.userId)
            try relay.emitUpdate(of: member, in: group, user, tx)
        }
    }
}

/// Handles the events that relays of the user's own channels send after they have accepted the invitation.
enum RelayUpdates {
    /// Handles a relay's acknowledgement of a roster, or the error of a relay that could not save the roster.
    static func handleRosterReceipt(
        _ version: Int64,
        error: String?,
        by member: MemberRecord,
        in group: GroupRecord,
        _ receiver: MessageReceiver,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        // A relay acknowledges each roster until the link of the channel names the relay. Later acknowledgements have
        // no effect. Acknowledgements to members who are not owners also have no effect.
        guard group.membership.role == .owner,
            var relay = try GroupRelayRecord.find(member: member.memberId, user: user.userId, in: tx.db),
            relay.status == .accepted
        else { return }
        if let error {
            receiver.unhandledElements.recordError(
                "x.grp.roster.ack: the relay refused the roster, and counts as rejected: \(error.prefix(200))",
                isMessageError: true
            )
            try relay.setStatus(.rejected, tx)
        } else {
            guard version == group.channel?.rosterVersion else {
                return receiver.unhandledElements.recordError(
                    "x.grp.roster.ack: the version is old; the answer for the present roster is awaited",
                    isMessageError: true
                )
            }
            try relay.setStatus(.acknowledgedRoster, tx)
            try group.markLinkDataStale(tx)
        }
        try relay.emitUpdate(of: member, in: group, user, tx)
    }

    static func storeCapabilities(
        _ capabilities: JSONObject,
        of member: MemberRecord,
        in group: GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        guard group.membership.role == .owner else { return }
        try GroupRelayRecord.find(member: member.memberId, user: user.userId, in: tx.db)?.setCapabilities(
            capabilities,
            tx
        )
    }
}
