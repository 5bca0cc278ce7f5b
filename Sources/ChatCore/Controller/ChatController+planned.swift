package import ChatAPI
package import ChatStore
internal import Files
internal import SQLCipher

/// Scheduled messages and broadcasts. A client may use them only for a user that the client can see.
extension ChatController {
    /// Sets the function that returns the present rights of an API key. Before this call, no planned messages are sent.
    package func setPlannedRightsLookup(_ lookUp: @escaping @Sendable (String) -> PlannedRights) {
        plannedMessageWorker.setRightsLookup(lookUp)
    }

    /// Whether scheduled messages or messages of broadcasts wait to be sent.
    package var hasPlannedMessages: Bool {
        get async {
            let found = try? await store.read {
                try $0.hasRow("SELECT 1 FROM planned_messages WHERE finished_at IS NULL")
            }
            return found ?? true
        }
    }

    /// Stores messages that are sent later.
    /// - Parameter answer: returns the answer to store together with the messages, if the request has an idempotency
    ///   key.
    package func planMessages(
        _ request: PlannedRequest,
        by caller: PlannedCaller,
        keeping answer: @escaping @Sendable (PlannedMessage) throws -> AnsweredRequest?
    ) async throws -> PlannedMessage {
        let clock = services.configuration.plannedMessageClock
        let paths = services.folders.paths
        return try await runForCaller(caller) { [store] in
            try await Self.checkFileKeys(of: request.content, for: caller, paths)
            return try await store.write(for: .command([])) { tx in
                let now = clock()
                try Self.checkPlannedContent(request.content, request.kind)
                try Self.checkPlannedTime(request.sendAt, at: now)
                let user = try RunningCommand.findUserOrActive(caller.userId, tx.db)
                let made = try PlannedMessages.add(request, user, by: caller, at: now, paths, tx)
                try answer(made)?.store(in: tx.db)
                return made
            }
        }
    }

    /// Checks a scheduled message whose chat does not exist yet. Makes the checks of ``planMessages(_:by:keeping:)``
    /// that do not need the chat.
    package func checkPlannedMessage(
        _ content: PlannedContent,
        at sendAt: Timestamp?,
        by caller: PlannedCaller
    ) async throws {
        let clock = services.configuration.plannedMessageClock
        let paths = services.folders.paths
        try await runForCaller(caller) { [store] () async throws -> Void in
            try Self.checkPlannedContent(content, .scheduled)
            try Self.checkPlannedTime(sendAt, at: clock())
            try await Self.checkFileKeys(of: content, for: caller, paths)
            try await store.read { db in
                try PlannedMessages.checkCapacity(.scheduled, for: caller, db)
                try PlannedFiles.checkFiles(content, of: nil, for: caller, paths, db)
            }
        }
    }

    /// Returns the chat or the pending connection that was made with a link; nil for a link without a connection.
    package func findPlannedChat(link: String, for caller: PlannedCaller) async throws -> ChatRef? {
        try await runForCaller(caller) { [store] in
            try await store.read { db in
                let user = try RunningCommand.findUserOrActive(caller.userId, db)
                return try PlannedMessages.findChat(link: link, user, db)
            }
        }
    }

    /// Returns the scheduled messages or the broadcasts that the client may see, the newest first.
    package func listPlannedMessages(
        _ kind: PlannedMessage.Kind,
        for caller: PlannedCaller,
        _ part: PlannedListPart
    ) async throws -> [PlannedMessage] {
        try await runForCaller(caller) { [store] in
            try await store.read { db in
                _ = try RunningCommand.findUserOrActive(caller.userId, db)
                return try PlannedMessages.listMessages(kind, for: caller, part, db)
            }
        }
    }

    package func findPlannedMessage(
        _ id: Int64,
        _ kind: PlannedMessage.Kind,
        for caller: PlannedCaller
    ) async throws -> PlannedMessage? {
        try await runForCaller(caller) { [store] in
            try await store.read { db in
                _ = try RunningCommand.findUserOrActive(caller.userId, db)
                return try PlannedMessages.find(id, kind, for: caller, db)
            }
        }
    }

    /// Returns the receivers of a broadcast with their results, in the order of their numbers; nil if the client may
    /// see no broadcast with this id.
    /// - Parameter state: the state of the returned receivers; nil for all.
    package func listBroadcastReceivers(
        of id: Int64,
        _ state: PlannedReceiver.State?,
        for caller: PlannedCaller,
        _ part: PlannedListPart
    ) async throws -> [PlannedReceiver]? {
        try await runForCaller(caller) { [store] in
            try await store.read { db in
                _ = try RunningCommand.findUserOrActive(caller.userId, db)
                guard try PlannedMessages.find(id, .broadcast, for: caller, db) != nil else { return nil }
                return try PlannedMessages.readReceivers(of: id, state, part, db)
            }
        }
    }

    /// Changes a scheduled message that is not sent yet.
    /// - Parameters:
    ///   - isExpected: whether the stored message is the one that the client wants to change.
    ///   - change: changes the content and the time.
    package func changePlannedMessage(
        _ id: Int64,
        by caller: PlannedCaller,
        if isExpected: @escaping @Sendable (PlannedMessage) -> Bool,
        _ change: @escaping @Sendable (inout PlannedContent, inout Timestamp?) -> Void
    ) async throws -> PlannedAnswer {
        let (clock, paths) = (services.configuration.plannedMessageClock, services.folders.paths)
        return try await runForCaller(caller) { [store] in
            if caller.rights.chats != nil {
                let old = try await store.read { try PlannedMessages.find(id, .scheduled, for: caller, $0) }
                if let old, var content = old.content {
                    var sendAt = old.sendAt
                    change(&content, &sendAt)
                    try await Self.checkFileKeys(of: content, for: caller, paths)
                }
            }
            return try await store.write(for: .command([])) { tx in
                let now = clock()
                let user = try RunningCommand.findUserOrActive(caller.userId, tx.db)
                guard let old = try PlannedMessages.find(id, .scheduled, for: caller, tx.db) else { return .missing }
                guard var content = old.content, let receiver = old.receiver, !old.isFinished else {
                    return .finished(old)
                }
                guard isExpected(old) else { return .changedByOther(old) }
                var sendAt = old.sendAt
                change(&content, &sendAt)
                try Self.checkPlannedContent(content, .scheduled)
                if sendAt != old.sendAt { try Self.checkPlannedTime(sendAt, at: now) }
                try PlannedMessages.checkRights(receiver.chat, content, of: user, caller.rights)
                try PlannedFiles.holdFiles(content, of: id, for: caller, paths, tx)
                try tx.db.update(
                    "planned_messages",
                    set: [
                        "content": try StoredJSON.encode(content), "send_at": sendAt?.nanoseconds,
                        "next_at": (sendAt ?? now).nanoseconds, "key_id": caller.keyId,
                    ],
                    where: ["planned_id": id]
                )
                tx.followUpWork.insert(.plannedMessages)
                return .found(try PlannedMessages.get(id, tx.db))
            }
        }
    }

    /// Cancels a scheduled message, or the messages of a broadcast that are not sent yet.
    /// - Parameters:
    ///   - deletes: whether the stored messages and their results are deleted. If some messages were sent, nothing
    ///     changes.
    ///   - answer: returns the answer to store together with the change, if the request has an idempotency key.
    package func cancelPlannedMessages(
        _ id: Int64,
        _ kind: PlannedMessage.Kind,
        by caller: PlannedCaller,
        deletes: Bool = false,
        keeping answer: @escaping @Sendable (PlannedMessage) throws -> AnsweredRequest? = { _ in nil }
    ) async throws -> PlannedAnswer {
        let clock = services.configuration.plannedMessageClock
        return try await runForCaller(caller) { [store] in
            try await store.write { tx in
                _ = try RunningCommand.findUserOrActive(caller.userId, tx.db)
                guard let old = try PlannedMessages.find(id, kind, for: caller, tx.db) else { return .missing }
                if deletes {
                    guard old.receiverCounts[.sent] == nil else { return .finished(old) }
                    try tx.db.execute("DELETE FROM planned_messages WHERE planned_id = ?", [id])
                    tx.followUpWork.insert(.files)
                    return .found(old)
                }
                try PlannedMessages.cancel(id, at: clock(), tx)
                let new = try PlannedMessages.get(id, tx.db)
                try answer(new)?.store(in: tx.db)
                return .found(new)
            }
        }
    }

    // MARK: Checks

    /// Runs `body` for a client, and throws the errors of the core as `PlannedRefusal`.
    private func runForCaller<T: Sendable>(_ caller: PlannedCaller, _ body: () async throws -> T) async throws -> T {
        // The rights are the same for all commands about messages, so one command is checked for all of them.
        let command = ChatCommand.messages(
            .getChats(userId: caller.userId, pendingConnections: false, pagination: nil, query: nil)
        )
        var value: T?
        let result = await runIfAdmitted(command) {
            guard caller.rights.userId.map({ $0 == caller.userId }) ?? true else {
                throw ChatFailure(ChatErrorType.accessDenied(reason: "the key is bound to one profile"))
            }
            guard !isClosed else { throw ChatFailure(ChatErrorType.chatNotStarted) }
            value = try await body()
            return true
        }
        switch result {
        case .error(let error): throw PlannedRefusal(error: error)
        case .result:
            guard let value else {
                throw PlannedRefusal(error: .error(errorType: .internalError(message: "no answer")))
            }
            return value
        }
    }

    private static func checkPlannedContent(_ content: PlannedContent, _ kind: PlannedMessage.Kind) throws {
        guard (1...PlannedLimits.maxMessagesPerChat).contains(content.messages.count) else {
            throw ChatFailure.commandError("1 to \(PlannedLimits.maxMessagesPerChat) messages can be sent later")
        }
        guard try StoredJSON.encode(content.messages).utf8.count <= PlannedLimits.maxContentBytes else {
            throw ChatFailure.commandError("the messages can have at most \(PlannedLimits.maxContentBytes) bytes")
        }
        for message in content.messages {
            if case .report = message.msgContent { throw ChatFailure.commandError("reports cannot be sent later") }
            guard kind == .scheduled || message.quotedItemId == nil && message.mentions.isEmpty else {
                throw ChatFailure.commandError("messages of a broadcast can neither quote nor mention")
            }
        }
        if let ttl = content.ttl, !TimedItems.permittedLifetimeSeconds.contains(ttl) {
            throw ChatFailure.commandError(
                "ttl must be from \(TimedItems.permittedLifetimeSeconds.lowerBound) to \(TimedItems.permittedLifetimeSeconds.upperBound)"
            )
        }
    }

    /// Checks the files of a planned message. A client whose API key is limited to some chats may send only its own
    /// uploads, for which it knows the encryption keys.
    private static func checkFileKeys(
        of content: PlannedContent,
        for caller: PlannedCaller,
        _ paths: LocalFolders.Paths
    ) async throws {
        guard caller.rights.chats != nil else { return }
        for source in content.files {
            guard FilePaths.isName(source.filePath), try await Uploads.hasValidKey(source, paths) else {
                throw Uploads.deniedFailure
            }
        }
    }

    private static func checkPlannedTime(_ sendAt: Timestamp?, at now: Timestamp) throws {
        guard let sendAt else { return }
        guard sendAt > now else { throw ChatFailure.commandError("the time is in the past") }
        guard sendAt <= now.adding(seconds: PlannedLimits.maxDelaySeconds) else {
            throw ChatFailure.commandError("the time is more than a year away")
        }
    }
}
