internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Storage of scheduled messages and broadcasts.
enum PlannedMessages {
    // MARK: Creation

    /// Stores the scheduled message or the broadcast that a client requests.
    /// - Throws: `accessDenied` if the rights of the client do not permit a message to one of the chats; an error if
    ///   the chat of a scheduled message or an upload does not exist.
    static func add(
        _ request: PlannedRequest,
        _ user: UserRecord,
        by caller: PlannedCaller,
        at now: Timestamp,
        _ paths: LocalFolders.Paths,
        _ tx: Transaction
    ) throws -> PlannedMessage {
        try deleteSurplusResults(request.kind, tx)
        try checkCapacity(request.kind, for: caller, tx.db)
        let chats = try findChats(request.receivers, user, by: caller, tx.db)
        guard !chats.isEmpty else { throw ChatFailure.commandError("there are no receivers") }
        guard chats.count <= PlannedLimits.maxReceivers else {
            throw ChatFailure.commandError("a broadcast can have at most \(PlannedLimits.maxReceivers) chats")
        }
        for chat in chats { try checkRights(chat, request.content, of: user, caller.rights) }
        // The chat of a scheduled message must exist. A broadcast may name a missing chat, whose result is then a
        // failure.
        if request.kind == .scheduled {
            for chat in chats { _ = try PlannedChat.find(chat, for: .scheduled, user, tx.db) }
        }
        try tx.db.insert(
            into: "planned_messages",
            [
                "user_id": user.userId, "broadcasts": request.kind == .broadcast, "key_id": caller.keyId,
                "content": try StoredJSON.encode(request.content), "send_rate": Int64(request.messagesPerSecond),
                "send_at": request.sendAt?.nanoseconds, "next_at": (request.sendAt ?? now).nanoseconds,
                "created_at": now.nanoseconds, PlannedReceiver.State.waiting.countColumn: Int64(chats.count),
            ]
        )
        let id = tx.db.lastInsertRowID
        try PlannedFiles.holdFiles(request.content, of: id, for: caller, paths, tx)
        for (index, chat) in chats.enumerated() {
            let isConnection = chat.chatType == .contactConnection
            let key = isConnection ? nil : try ChatKey(whole: chat)
            try tx.db.insert(
                into: "planned_receivers",
                [
                    "planned_id": id, "receiver_no": Int64(index + 1), "user_id": user.userId,
                    "chat_type": key?.kind.rawValue ?? 0, "chat_id": key?.chatId ?? 0,
                    "connection_id": isConnection ? chat.chatId : nil,
                    "state": PlannedReceiver.State.waiting.rawValue,
                ]
            )
        }
        tx.followUpWork.insert(.plannedMessages)
        return try get(id, tx.db)
    }

    /// Checks that a client may send messages to a chat.
    static func checkRights(
        _ chat: ChatRef,
        _ content: PlannedContent,
        of user: UserRecord,
        _ rights: CommandRights
    ) throws {
        let command = MessageCommand.sendMessages(
            chat: chat,
            sendAsGroup: content.sendAsGroup,
            live: false,
            ttl: content.ttl.map { Int($0) },
            sign: content.sign,
            composedMessages: content.messages
        )
        try rights.requirePermission(for: .messages(command), as: user.userId)
    }

    /// Returns the chats that get the messages, without repetitions.
    private static func findChats(
        _ receivers: PlannedRequest.Receivers,
        _ user: UserRecord,
        by caller: PlannedCaller,
        _ db: StoreConnection
    ) throws -> [ChatRef] {
        switch receivers {
        case .chats(let chats):
            var known: Set<ChatRef> = []
            return chats.filter { known.insert($0).inserted }
        case .contact, .allContacts, .tag:
            // A name, a tag or "all contacts" selects receivers from all chats of the user. So a client whose rights
            // are limited to some chats must name each chat.
            guard caller.rights.chats == nil else {
                throw ChatFailure(ChatErrorType.accessDenied(reason: "the key is bound to other chats"))
            }
        }
        let contacts = try ContactRecord.all(user: user.userId, in: db)
        switch receivers {
        case .chats: return []
        case .contact(let name):
            let named = contacts.filter { [$0.localDisplayName, $0.localAlias].contains(name) }
            guard let first = named.first else {
                throw ChatFailure(StoreError.contactNotFoundByName(contactName: name))
            }
            guard named.count == 1 else { throw ChatFailure.commandError("several contacts have this name or alias") }
            return [first.chatReference]
        case .allContacts: return contacts.filter(\.isReachable).map(\.chatReference)
        case .tag(let tagId):
            guard
                try db.firstRow(
                    "SELECT 1 FROM chat_tags WHERE user_id = :user_id AND chat_tag_id = :chat_tag_id",
                    ["user_id": user.userId, "chat_tag_id": tagId]
                )
                    != nil
            else { throw ChatFailure.commandError("the user has no tag \(tagId)") }
            let rows = try db.query(
                """
                SELECT chat_type, chat_id FROM chat_tags_chats
                WHERE user_id = :user_id AND chat_tag_id = :chat_tag_id ORDER BY chat_type, chat_id
                """,
                ["user_id": user.userId, "chat_tag_id": tagId]
            )
            let reachable = Set(contacts.filter(\.isReachable).map(\.contactId))
            return try rows.compactMap { row in
                switch try ChatKey(row) {
                case .contact(let id): reachable.contains(id) ? ChatRef(chatType: .direct, chatId: id) : nil
                case .group(let id): ChatRef(chatType: .group, chatId: id)
                case .notes, .memberSupport, .supportChatReference: nil
                }
            }
        }
    }

    /// Finds the chat or the pending connection that was made with a link.
    static func findChat(link: String, _ user: UserRecord, _ db: StoreConnection) throws -> ChatRef? {
        let connection: ConnectionRecord?
        if let request = try? ConnectionRequest(parsing: link) {
            connection = try ConnectionRecord.find(link: request.uri, user: user.userId, in: db)
        } else if let short = try? ShortLink(atServer: link) {
            connection = try ConnectionRecord.find(shortLink: short.uri, user: user.userId, in: db)
        } else {
            throw ChatFailure(ChatErrorType.invalidConnReq)
        }
        // A connection that is only prepared does not count, since another attempt to connect will continue with it.
        guard let connection, connection.status != .prepared, connection.status != .deleted else { return nil }
        switch connection.owner {
        case .pending: return ChatRef(chatType: .contactConnection, chatId: connection.connectionId)
        case .contact(let id): return ChatRef(chatType: .direct, chatId: id)
        case .member(let id):
            return try MemberRecord.find(id, user: user.userId, in: db).map {
                ChatRef(chatType: .group, chatId: $0.groupId)
            }
        case .address: return nil
        }
    }

    /// Checks that the store, and the key of the client, are below their limits of waiting messages.
    /// - Throws: `quotaExceeded`.
    static func checkCapacity(_ kind: PlannedMessage.Kind, for caller: PlannedCaller, _ db: StoreConnection) throws {
        let (resource, noun, limit, share) =
            switch kind {
            case .scheduled:
                (
                    "scheduledMessages", "scheduled messages", PlannedLimits.maxScheduledMessages,
                    PlannedLimits.maxScheduledPerKey
                )
            case .broadcast:
                ("broadcasts", "broadcasts", PlannedLimits.maxBroadcasts, PlannedLimits.maxBroadcastsPerKey)
            }
        let waiting = try db.firstRow(
            """
            SELECT count(*) AS n, coalesce(sum(key_id = :key_id), 0) AS own FROM planned_messages
            WHERE broadcasts = :broadcasts AND finished_at IS NULL
            """,
            ["key_id": caller.keyId, "broadcasts": kind == .broadcast]
        )
        let (all, own): (Int, Int) = (try waiting?.readCount("n") ?? 0, try waiting?.readCount("own") ?? 0)
        func makeRefusal(_ owner: String, _ limit: Int) -> ChatFailure {
            ChatFailure(
                ChatErrorType.quotaExceeded(
                    resource: resource,
                    limit: Int64(limit),
                    message: "\(owner) has \(limit) \(noun) that wait"
                )
            )
        }
        guard all < limit else { throw makeRefusal("the store", limit) }
        guard own < share || caller.rights.scopes.contains(.admin) else { throw makeRefusal("the key", share) }
    }

    // MARK: Reading

    static func get(_ id: Int64, _ db: StoreConnection) throws -> PlannedMessage {
        guard let found = try PlannedMessage.find(id, in: db) else {
            throw ChatFailure(StoreError.internalError(message: "no planned message \(id)"))
        }
        return found
    }

    /// Returns a scheduled message or a broadcast; nil if it does not exist, or if the client may not see it.
    static func find(
        _ id: Int64,
        _ kind: PlannedMessage.Kind,
        for caller: PlannedCaller,
        _ db: StoreConnection
    ) throws -> PlannedMessage? {
        let row = try db.firstRow(
            """
            SELECT * FROM planned_messages
            WHERE planned_id = :planned_id AND user_id = :user_id AND broadcasts = :broadcasts
            """,
            ["planned_id": id, "user_id": caller.userId, "broadcasts": kind == .broadcast]
        )
        guard let found = try row.map({ try PlannedMessage($0, db) }), caller.canSee(found) else { return nil }
        return found
    }

    /// Returns a part of the list of scheduled messages or broadcasts that a client may see, the newest first.
    static func listMessages(
        _ kind: PlannedMessage.Kind,
        for caller: PlannedCaller,
        _ part: PlannedListPart,
        _ db: StoreConnection
    ) throws -> [PlannedMessage] {
        let rows = try db.query(
            """
            SELECT * FROM planned_messages WHERE user_id = :user_id AND broadcasts = :broadcasts
            AND (:sees_all OR key_id = :key_id) AND planned_id \(part.isBeforeEntry ? ">" : "<") :entry_id
            ORDER BY planned_id \(part.isBeforeEntry ? "ASC" : "DESC") LIMIT :limit
            """,
            [
                "user_id": caller.userId, "broadcasts": kind == .broadcast, "sees_all": caller.rights.chats == nil,
                "key_id": caller.keyId, "entry_id": part.entryId ?? (part.isBeforeEntry ? 0 : Int64.max),
                "limit": part.limit,
            ]
        )
        let found = try rows.map { try PlannedMessage($0, db) }
        return part.isBeforeEntry ? found.reversed() : found
    }

    /// Returns receivers of a broadcast in the order of their numbers.
    /// - Parameter state: the state of the returned receivers; nil for all.
    static func readReceivers(
        of id: Int64,
        _ state: PlannedReceiver.State?,
        _ part: PlannedListPart,
        _ db: StoreConnection
    ) throws -> [PlannedReceiver] {
        let rows = try db.query(
            """
            SELECT * FROM planned_receivers WHERE planned_id = :planned_id AND (:any_state OR state = :state)
            AND receiver_no \(part.isBeforeEntry ? "<" : ">") :entry_id
            ORDER BY receiver_no \(part.isBeforeEntry ? "DESC" : "ASC") LIMIT :limit
            """,
            [
                "planned_id": id, "any_state": state == nil, "state": state?.rawValue ?? "",
                "entry_id": part.entryId ?? (part.isBeforeEntry ? Int64.max : 0), "limit": part.limit,
            ]
        )
        let found = try rows.map { try PlannedReceiver($0) }
        return part.isBeforeEntry ? found.reversed() : found
    }
}

extension PlannedCaller {
    /// Whether the client may see a message. A client whose rights are limited to some chats sees only messages that
    /// were requested with its own key.
    func canSee(_ planned: PlannedMessage) -> Bool { rights.chats == nil || planned.keyId == keyId }
}

extension ContactRecord {
    fileprivate var chatReference: ChatRef { ChatRef(chatType: .direct, chatId: contactId) }

    /// Whether messages to the contact can be sent now.
    fileprivate var isReachable: Bool { isActive && connection.map { $0.canSend && !$0.isDisabled } ?? false }
}
