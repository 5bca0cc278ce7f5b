package import ChatAPI
internal import ChatStore
internal import SQLCipher

extension ChatResponse {
    /// Whether the command has moved the resource to another user. A moved resource has a new id.
    package var reportsMoveToOtherUser: Bool {
        switch self {
        case .connectionUserChanged, .contactUserChanged, .groupUserChanged: true
        default: false
        }
    }
}

extension ChatController {
    /// Reads a resource, such as a contact, without statistics of its connection.
    /// - Parameter reading: the command that reads the resource.
    package func readResource(
        _ reading: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights
    ) async -> APIResult<ChatResponse> {
        // The network settings are a single value in memory, so the read needs no transaction.
        if case .settings(.getNetworkConfig) = reading { return await send(reading, as: userId, with: rights) }
        let network = services.configuration.networkConfig
        return await runIfAdmitted(reading) {
            try checkMayRead(reading, as: userId, rights)
            return try await store.read {
                try RunningCommand.readResource(reading, as: userId, network, $0).limitingOrigins(to: rights)
            }
        }
    }

    /// Runs a command that replaces a resource, if the stored resource is the expected one. The check is a part of the
    /// command's transaction.
    /// - Parameters:
    ///   - reading: the command that reads the resource.
    ///   - isExpected: whether the stored resource is the one that the caller wants to replace.
    /// - Returns: the answer to the command; nil if the stored resource is not the expected one, and nothing was
    ///   changed.
    package func replaceResource(
        by command: ChatCommand,
        of reading: ChatCommand,
        if isExpected: @escaping @Sendable (ChatResponse) -> Bool,
        as userId: Int64?,
        with rights: CommandRights
    ) async -> APIResult<ChatResponse?> {
        do { try checkMayRead(reading, as: userId, rights) } catch { return .error(answerError(for: error)) }
        let network = services.configuration.networkConfig
        let context = CommandContext(command) { db in
            try isExpected(RunningCommand.readResource(reading, as: userId, network, db))
        }
        switch await send(command, as: userId, with: rights, in: context) {
        case .error where context.isRefused: return .result(nil)
        case .error(let error): return .error(error)
        case .result(let response): return .result(response)
        }
    }

    /// Runs commands that change a resource in one transaction: all of them, or none. First, the transaction checks
    /// whether the stored resource is the expected one.
    /// - Parameters:
    ///   - commands: joinable commands, or at most one command that is not joinable. A command that is not joinable can
    ///     have other effects before its transaction, so the resource is also checked before this command.
    ///   - reading: the command that reads the resource.
    ///   - isExpected: whether the stored resource is the one that the caller wants to change.
    /// - Returns: the changed resource, or the answer to a command that has moved the resource to another user; nil if
    ///   the resource is not the expected one, and nothing was changed.
    package func changeResource(
        _ commands: [ChatCommand],
        of reading: ChatCommand,
        if isExpected: @escaping @Sendable (ChatResponse) -> Bool,
        as userId: Int64?,
        with rights: CommandRights
    ) async -> APIResult<ChatResponse?> {
        if commands.count <= 1, !commands.contains(where: \.canJoinTransaction) {
            return await changeResource(by: commands.first, of: reading, if: isExpected, as: userId, with: rights)
        }
        guard commands.allSatisfy(\.canJoinTransaction) else {
            return .error(ChatFailure.commandError("these changes cannot be made in one transaction").error)
        }
        return await runIfAdmitted(reading) {
            try checkMayRead(reading, as: userId, rights)
            let joint = JointTransaction()
            for command in commands {
                let running = makeRunningCommand(
                    CommandContext(command),
                    joining: joint,
                    isByAdministrator: rights.scopes.contains(.admin)
                )
                _ = try await running.run(command, as: userId, with: rights)
            }
            let needs = commands.compactMap(\.quotaNeeds)
            let network = services.configuration.networkConfig
            return try await store.write(for: needs.isEmpty ? .upkeep : .command(QuotaNeeds(needs))) { tx in
                guard try isExpected(RunningCommand.readResource(reading, as: userId, network, tx.db)) else {
                    return nil
                }
                try joint.run(tx)
                return try RunningCommand.readResource(reading, as: userId, network, tx.db).limitingOrigins(to: rights)
            }
        }
    }

    private func changeResource(
        by command: ChatCommand?,
        of reading: ChatCommand,
        if isExpected: @escaping @Sendable (ChatResponse) -> Bool,
        as userId: Int64?,
        with rights: CommandRights
    ) async -> APIResult<ChatResponse?> {
        let before: ChatResponse
        switch await readResource(reading, as: userId, with: rights) {
        case .error(let error): return .error(error)
        case .result(let response): before = response
        }
        guard isExpected(before) else { return .result(nil) }
        guard let command else { return .result(before) }
        switch await replaceResource(by: command, of: reading, if: isExpected, as: userId, with: rights) {
        case .error(let error): return .error(error)
        case .result(nil): return .result(nil)
        case .result(let response?): if response.reportsMoveToOtherUser { return .result(response) }
        }
        switch await readResource(reading, as: userId, with: rights) {
        case .error(let error): return .error(error)
        case .result(let after): return .result(after)
        }
    }

    /// Checks whether the sender may run a command that only reads, and whether the state of the chat permits the
    /// command.
    private func checkMayRead(_ command: ChatCommand, as userId: Int64?, _ rights: CommandRights) throws {
        try rights.requirePermission(for: command, as: userId)
        guard !isClosed, command.runsWhenStopped || isRunning else { throw ChatFailure(ChatErrorType.chatNotStarted) }
    }
}

extension RunningCommand {
    /// Reads a resource that clients can change or replace. The result is the answer to the command `reading`.
    /// - Parameter network: the network settings that are returned if none are stored.
    static func readResource(
        _ reading: ChatCommand,
        as userId: Int64?,
        _ network: NetworkConfig,
        _ db: StoreConnection
    ) throws -> ChatResponse {
        switch reading {
        case .settings(.getNetworkConfig):
            return .networkConfig(networkConfig: try NetworkConfig.findStored(in: db) ?? network)
        case .settings(.getSettings(let defaults)): return try readAppSettings(defaults: defaults, db)
        case .servers(.getServerOperators):
            return .serverOperatorConditions(conditions: try ServerOperators.readSummary(in: db))
        case .servers(.getUserServers(let named)):
            let user = try findUserOrActive(userId ?? named, db)
            return .userServers(user: user.api, userServers: try readServers(of: user, db))
        case .settings(.getChatItemTTL(let named)):
            let user = try findUserOrActive(userId ?? named, db)
            return try readItemTTL(of: user, db)
        case .contacts(.contactInfo(let contactId)):
            let user = try findUserOrActive(userId, db)
            let contact = try ContactRecord.get(contactId, user: user, in: db)
            return .contactInfo(
                user: user.api,
                contact: contact.api(user),
                connectionStats_: nil,
                customUserProfile: try IncognitoProfile.find(contact.connection?.incognitoProfileId, in: db)
            )
        case .groups(.groupInfo(let groupId)):
            let user = try findUserOrActive(userId, db)
            return .groupInfo(user: user.api, groupInfo: try GroupRecord.get(groupId, user: user, in: db).api(user))
        case .groups(.groupMemberInfo(let groupId, let memberId)):
            let user = try findUserOrActive(userId, db)
            let group = try GroupRecord.get(groupId, user: user, in: db)
            return .groupMemberInfo(
                user: user.api,
                groupInfo: group.api(user),
                member: try MemberRecord.get(memberId, in: group, db).api(user),
                connectionStats_: nil
            )
        case .messages(.getChat(let chat, _, _, _, _)):
            let user = try findUserOrActive(userId, db)
            if chat.chatType == .contactConnection { return try getPendingConnectionChat(chat.chatId, user: user, db) }
            return try readEmptyPage(of: ChatKey(whole: chat), user, db)
        case .address(.showMyAddress):
            let user = try findUserOrActive(userId, db)
            return .userContactLink(user: user.api, contactLink: try AddressRecord.get(user: user, in: db).api)
        default: throw ChatFailure.notImplemented(reading.name.rawValue)
        }
    }

    /// Returns a chat with an empty page of items. The response tells whether the user has marked the chat as unread,
    /// as the list of chats does.
    private static func readEmptyPage(of key: ChatKey, _ user: UserRecord, _ db: StoreConnection) throws -> ChatResponse
    {
        var stats = ChatStats.empty
        let info: ChatInfo
        switch key {
        case .contact(let id):
            let contact = try ContactRecord.get(id, user: user, in: db)
            (info, stats.unreadChat) = (contact.chatInfo(user), contact.isMarkedUnread)
        case .group(let id):
            let group = try GroupRecord.get(id, user: user, in: db)
            (info, stats.unreadChat) = (group.chatInfo(user), group.isMarkedUnread)
        case .notes(let id):
            let folder = try NoteFolderRecord.get(id, user: user, in: db)
            (info, stats.unreadChat) = (folder.chatInfo(user), folder.isMarkedUnread)
        case .memberSupport, .supportChatReference: throw ChatFailure.commandError("not supported")
        }
        return .apiChat(user: user.api, chat: AChat(chatInfo: info, chatItems: [], chatStats: stats), navInfo: nil)
    }
}
