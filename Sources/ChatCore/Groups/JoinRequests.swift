internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// The decision about a request to join an ordinary group by its link. Requests that cannot be read, or that exceed
/// the limit of joining members, are refused before this decision.
enum JoinDecision: Sendable, Hashable {
    case accept(GroupAcceptance, as: GroupMemberRole)
    /// The request is not answered.
    case ignore(reason: String, isError: Bool)

    init(_ versions: ChatVersionRange, to link: GroupLinkRecord, of group: GroupRecord) {
        if group.membership.role < .admin || !group.membership.status.isActive {
            self = .ignore(
                reason:
                    "the request to join \(group.localDisplayName) is ignored: the user is no admin any more",
                isError: false
            )
        } else if versions.maximum < ChatVersionRange.joiningByLinkVersion {
            self = .ignore(
                reason: "the request to join is refused: the version of the sender is too old",
                isError: true
            )
        } else {
            self = .accept(.accepted, as: link.role)
        }
    }
}

extension GroupAcceptance {
    /// Returns the status of a member after this acceptance. If the group reviews new members, an accepted member waits
    /// for the review by the moderators.
    func status(in profile: GroupProfile) -> GroupMemberStatus {
        switch self {
        case .pendingApproval: .pending_approval
        case .pendingReview: .pending_review
        case .accepted: profile.memberAdmission?.review == .all ? .pending_review : .accepted
        }
    }
}

/// Handles requests to join that arrive at the links of groups and at the addresses of businesses.
extension AgentEventHandler {
    /// Returns whether a request creates a member of a group. The request must arrive at the link of a group, or at the
    /// address of a business. A request at the address that has already created a contact does not create a member.
    func requestCreatesMember(
        _ link: ConnectionID,
        _ invitation: InvitationID,
        _ received: ReceivedRequest?
    ) async throws -> Bool {
        try await store.read { db in
            if try GroupLinkRecord.find(agent: link, in: db) != nil || JoiningMember.find(invitation, in: db) != nil {
                return true
            }
            guard let address = try AddressRecord.find(agent: link, in: db), address.settings.businessAddress else {
                return false
            }
            // A request that has created a contact was made before the address became the address of a business. It
            // leads to no group.
            guard let id = received?.request.requestID else { return true }
            return try ContactRequestRecord.find(requestID: id, user: address.userId, in: db) == nil
        }
    }

    /// Handles a request to join. After a crash the agent emits the request again, and this function continues from the
    /// stored state.
    func handleJoinRequest(by link: ConnectionID, _ invitation: InvitationID, _ received: ReceivedRequest?) async throws
    {
        let limit = services.configuration.maxContactRequests
        let (begun, joiningQueue, isFull) = try await store.read { db in
            let joiningQueue = try JoiningQueue(link, in: db)
            return (
                try JoiningMember.find(invitation, in: db), joiningQueue,
                try joiningQueue?.isLimitReached(limit, in: db) ?? false
            )
        }
        if let begun { return try await acceptJoiningMember(begun, invitation) }
        guard !isFull else {
            if let joiningQueue { try await reportTooManyRequests(link, of: joiningQueue.userId) }
            return try await services.agent.rejectRequest(invitation)
        }
        services.overloadedAddressIDs.withLock { _ = $0.remove(link) }
        let id: ConnectionID
        do { id = try await services.agent.prepareAcceptance(invitation, pqSupport: false) } catch AgentError.command(
            .prohibited,
            _
        ) {
            return services.logger.notice("request to join a group dropped: it was answered before")
        }
        let joining = try await store.write { tx -> JoiningMember? in
            guard let request = try JoinRequest(received, by: link, invitation, accepting: id, tx) else { return nil }
            return try request.admitMember(limit: limit)
        }
        if let joining { return try await acceptJoiningMember(joining, invitation) }
        services.logger.notice("request to join a group rejected")
        try await services.agent.delete(connections: [id], waitDelivery: false)
        try await services.agent.rejectRequest(invitation)
    }

    func acceptJoiningMember(_ joining: JoiningMember, _ invitation: InvitationID) async throws {
        do {
            try await services.agent.acceptRequest(
                invitation,
                connection: joining.connectionID,
                connInfo: joining.encodedAnswer
            )
        } catch AgentError.command(.prohibited, _) {
            // The agent accepted the request in an earlier attempt, so only the record of the acceptance is missing.
        }
        try await store.write { tx in
            try tx.db.update(
                "group_members",
                set: ["join_invitation": nil],
                where: ["user_id": joining.userId, "group_member_id": joining.memberId]
            )
        }
    }
}

/// A request to become a member, with the connection that the agent has prepared for the answer.
struct JoinRequest {
    let receivedRequest: ReceivedRequest
    let profile: Profile
    private let linkConnectionID: ConnectionID
    private let joiningQueue: JoiningQueue
    private let invitationID: InvitationID
    private let connectionID: ConnectionID
    private let chatVersion: Int
    let user: UserRecord
    let tx: Transaction

    /// Creates the request; nil if the request cannot be read, or if the link no longer exists.
    init?(
        _ received: ReceivedRequest?,
        by link: ConnectionID,
        _ invitation: InvitationID,
        accepting id: ConnectionID,
        _ tx: Transaction
    ) throws {
        guard let joiningQueue = try JoiningQueue(link, in: tx.db),
            let user = try UserRecord.find(joiningQueue.userId, in: tx.db)
        else { return nil }
        guard let received, let version = ChatVersionRange.supported.compatibleVersion(with: received.peerVersions),
            var profile = received.profile
        else {
            try tx.emit(
                .chatError(chatError: .error(errorType: .exception(message: "the message cannot be read"))),
                user: user.userId
            )
            return nil
        }
        profile.replaceUnshowableValues()
        self.receivedRequest = received
        self.profile = profile
        self.linkConnectionID = link
        self.joiningQueue = joiningQueue
        self.invitationID = invitation
        connectionID = id
        chatVersion = version
        self.user = user
        self.tx = tx
    }

    /// Decides about the request, and creates the member who has sent it.
    /// - Parameter limit: the maximum number of members who are joining by one link.
    /// - Returns: the member; nil if the request is refused.
    func admitMember(limit: Int) throws -> JoiningMember? {
        if let address = try AddressRecord.find(agent: linkConnectionID, in: tx.db) {
            return try BusinessRequests(address: address, user: user, tx: tx).admitCustomer(self, limit: limit)
        }
        guard let link = try GroupLinkRecord.find(agent: linkConnectionID, in: tx.db),
            let group = try GroupRecord.find(link.groupId, user: user.userId, in: tx.db)
        else { return nil }
        switch JoinDecision(receivedRequest.peerVersions, to: link, of: group) {
        case .ignore(let reason, let isError):
            try tx.emit(
                .messageError(user: user.api, severity: isError ? "error" : "warning", errorMessage: reason),
                user: user.userId
            )
            return nil
        case .accept(let acceptance, let role):
            let member = try addMember(
                as: role,
                acceptance.status(in: group.profile),
                to: group,
                isGroupLink: true,
                limit: limit
            )
            let joining = try JoiningMember(member, acceptance, group, user)
            // Only the moderators see a member who waits for admission, so the item is in the support chat of the
            // member.
            var place = member.status.isPending ? group.supportChatGroup(of: member) : group
            if member.status.isPending { try place.openSupportChat(tx) }
            try GroupItems.writeEventItem(.invitedViaGroupLink, by: member, nil, in: &place, user, tx)
            // The event shows the group as it was before the request.
            try tx.emit(
                .acceptingGroupJoinRequestMember(user: user.api, groupInfo: group.api(user), member: member.api),
                user: user.userId
            )
            return joining
        }
    }

    /// Creates the member and its connection. If the limit is reached, a member who has waited long for its connection
    /// is removed first.
    /// - Parameter isGroupLink: whether the member has used the link of the group, and not the address of a business.
    func addMember(
        as role: GroupMemberRole,
        _ status: GroupMemberStatus,
        to group: GroupRecord,
        isGroupLink: Bool,
        limit: Int
    ) throws -> MemberRecord {
        try joiningQueue.removeLongestWaitingMember(limit, tx)
        let member = try MemberRecord.create(
            NewMember(
                id: .random(),
                role: role,
                category: .invitee,
                status: status,
                invitedByContactId: 0,
                invitedByMemberId: group.membership.memberId,
                profileId: 0,
                localDisplayName: "",
                versions: receivedRequest.peerVersions
            ),
            profile: profile,
            in: group.groupId,
            user,
            tx
        )
        let connection = try ConnectionRecord.create(
            agent: connectionID,
            user: user,
            status: .new,
            initiated: false,
            fullLink: nil,
            owner: .member(member.memberId),
            pqSupport: false,
            chatVersion: chatVersion,
            peerVersions: receivedRequest.peerVersions,
            at: tx.now,
            in: tx.db
        )
        try tx.db.update(
            "connections",
            set: ["via_user_contact_link": joiningQueue.linkId, "via_group_link": isGroupLink],
            where: ["connection_id": connection.connectionId]
        )
        try tx.db.update(
            "group_members",
            set: [
                "join_invitation": invitationID,
                "welcome_shared_msg_id": receivedRequest.request.welcomeMessageID?.bytes,
            ],
            where: ["user_id": user.userId, "group_member_id": member.memberId]
        )
        return try MemberRecord.get(member.memberId, in: group, tx.db)
    }
}
