internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

/// A handler of requests to the address of a business. Each request creates a group with the business and the customer,
/// and admits the customer immediately.
struct BusinessRequests {
    let address: AddressRecord
    let user: UserRecord
    let tx: Transaction

    /// Creates the group with the customer as a member, and writes the first items of the group.
    /// - Parameter limit: the maximum number of customers who are joining.
    /// - Returns: the customer; nil if the customer already has a group.
    func admitCustomer(_ request: JoinRequest, limit: Int) throws -> JoiningMember? {
        if let known = try findGroup(of: request.receivedRequest.request.requestID) {
            try tx.emit(.businessRequestAlreadyAccepted(user: user.api, groupInfo: known.api(user)), user: user.userId)
            return nil
        }
        let profile = GroupProfile(business: request.profile, GroupPreferences(business: user.profile.preferences))
        var group = try GroupRecord.create(profile, incognito: false, user, tx)
        let customer = try request.addMember(as: .member, .accepted, to: group, isGroupLink: false, limit: limit)
        group = try GroupRecord.get(group.groupId, user: user, in: tx.db)
        try group.setBusinessInfo(
            BusinessChatInfo(
                chatType: .customer,
                businessId: group.membership.sharedID.text,
                customerId: customer.sharedID.text
            ),
            tx
        )
        let joining = try JoiningMember(customer, .accepted, group, user)
        try writeFirstContents(&group, with: request.receivedRequest, of: customer)
        try tx.emit(.acceptingBusinessRequest(user: user.api, groupInfo: group.api(user)), user: user.userId)
        return joining
    }

    /// Finds the group that an earlier request of the same sender has created.
    private func findGroup(of requestID: SharedMessageID?) throws -> GroupRecord? {
        guard let requestID else { return nil }
        return try tx.db.firstRow(
            "SELECT group_id FROM business_requests WHERE user_id = :user_id AND x_contact_id = :x_contact_id",
            ["user_id": user.userId, "x_contact_id": requestID.bytes]
        ).flatMap { try GroupRecord.find($0.int64("group_id"), user: user.userId, in: tx.db) }
    }

    private func writeFirstContents(
        _ group: inout GroupRecord,
        with request: ReceivedRequest,
        of customer: MemberRecord
    ) throws {
        let info = request.request
        let reply = address.settings.autoReply
        try tx.db.insert(
            into: "business_requests",
            [
                "user_id": user.userId, "group_id": group.groupId, "x_contact_id": info.requestID?.bytes,
                "welcome_shared_msg_id": info.welcomeMessageID?.bytes,
                "auto_reply": try reply.map { try StoredJSON.encode($0) },
            ]
        )
        try GroupItems.writeFirstItems(&group, user, tx)
        _ = try ItemWriter.create(.banner, in: &group, movesChat: false, tx)
        if let reply, let welcomeID = info.welcomeMessageID {
            // The customer has read the automatic reply in the data of the link, and refers to this reply by
            // `welcomeID`.
            var welcome = NewItem(
                isSent: true,
                content: .sndMsgContent(msgContent: reply),
                text: reply.text,
                status: .sndNew
            )
            welcome.sharedID = welcomeID
            _ = try ItemWriter.create(welcome, in: &group, movesChat: true, tx)
        }
        guard let (sharedID, content) = request.message else { return }
        var item = NewItem(isSent: false, content, status: .rcvNew)
        item.author = customer
        item.sharedID = sharedID
        try GroupItems.createAndEmitItems([item], in: &group, user, tx)
    }

    // MARK: Automatic reply

    /// Sends the automatic reply once, when the connection to the customer is ready.
    static func sendAutoReply(
        to customer: MemberRecord,
        in group: inout GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        guard group.isCustomer(customer), let connection = customer.connection,
            let row = try tx.db.firstRow(
                """
                SELECT welcome_shared_msg_id, auto_reply FROM business_requests
                WHERE user_id = :user_id AND group_id = :group_id
                """,
                ["user_id": user.userId, "group_id": group.groupId]
            ),
            let content = try StoredJSON.decodeIfPresent(MsgContent.self, row.stringOrNil("auto_reply"))
        else { return }
        try tx.db.update(
            "business_requests",
            set: ["auto_reply": nil],
            where: ["user_id": user.userId, "group_id": group.groupId]
        )
        let json = try JSONEncoder().encodeValue(content)
        do {
            if let welcomeID = try row.blobOrNil("welcome_shared_msg_id").map(SharedMessageID.init(bytes:)) {
                // Both sides already show the automatic reply. This program sends an update, since the reply may have
                // changed after the customer read it.
                let update = MessageUpdate(messageID: welcomeID, content: json, ttl: nil, live: nil)
                return try tx.enqueue(ChatMessage(event: .messageUpdate(update)), to: connection)
            }
            let id = SharedMessageID.random()
            var message = try OutgoingChatMessage(
                ChatMessage(sharedID: id, event: .messageNew(MessageContainer(content: json))),
                over: [connection]
            )
            var item = NewItem(
                isSent: true,
                content: .sndMsgContent(msgContent: content),
                text: content.text,
                status: .sndNew
            )
            item.sharedID = id
            let info = group.chatInfo(user)
            let written = try ItemWriter.create(item, in: &group, movesChat: true, tx)
            message.itemId = written.itemId
            try tx.enqueue([message], to: Recipients(members: [customer], tx.db))
            try tx.emit(
                .newChatItems(user: user.api, chatItems: [written.api(in: info, at: tx.now)]),
                user: user.userId
            )
        } catch let failure as ChatFailure {
            // The user gets an error, because the automatic reply is too large. The customer joins without a reply.
            try tx.emit(.chatError(chatError: failure.error), user: user.userId)
        }
    }
}
