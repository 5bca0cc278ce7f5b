internal import ChatAPI

/// The rights of the sender of a command. They accompany each command from its arrival to its execution.
package struct CommandRights: Sendable, Hashable {
    package let scopes: Scopes
    /// The only user whose data the sender may read and change; nil for all users.
    package let userId: Int64?
    /// The only chats that the sender may read and change; nil for all chats.
    package let chats: Set<Chat>?
    package let paths: PathAccess

    /// A chat of the user.
    package enum Chat: Sendable, Hashable {
        case contact(Int64)
        /// A group with its support chats.
        case group(Int64)
        case notes(Int64)
    }

    package init(scopes: Scopes, userId: Int64? = nil, chats: Set<Chat>? = nil, paths: PathAccess) {
        self.scopes = scopes
        self.userId = userId
        self.chats = chats
        self.paths = paths
    }

    /// Whether the rights are limited to one profile, or to some chats.
    var isLimited: Bool { userId != nil || chats != nil }

    /// All rights, including the right to use files anywhere.
    package static let all = CommandRights(scopes: [.read, .write, .events, .admin, .stores], paths: .anywhere)

    /// No rights.
    package static let none = CommandRights(scopes: [], paths: .ownFolders)

    /// Checks that the rights permit a command.
    /// - Parameter current: the user for whom the command runs; nil for the active user.
    /// - Throws: `accessDenied`.
    func requirePermission(for command: ChatCommand, as current: Int64?) throws {
        let needed = Scopes.requiredScopes(for: command)
        guard scopes.allows(needed) else {
            throw ChatFailure(
                ChatErrorType.accessDenied(
                    reason: "the key lacks the scope \(needed.subtracting(scopes).names.joined(separator: ", "))"
                )
            )
        }
        if let chats {
            guard let touched = command.touchedChats, touched.isSubset(of: chats) else {
                throw ChatFailure(ChatErrorType.accessDenied(reason: "the key is bound to other chats"))
            }
        }
        guard let userId else { return }
        let isOwn =
            switch command.subject {
            // A command can contain the id `userId`, but run for another user, who is active. So `current` is compared,
            // too.
            case .user(let named): named == userId && (current == nil || current == userId)
            case .currentUser: current == userId
            case .handover(let other): current == userId && other == userId
            case .wholeStore: false
            }
        guard isOwn else { throw ChatFailure(ChatErrorType.accessDenied(reason: "the key is bound to one profile")) }
    }
}

/// The folders whose files a command may read and write.
package enum PathAccess: Sendable, Hashable {
    /// All folders that this process can use.
    case anywhere
    /// The folders of the store: its `space`, and the folders for files, temporary files, assets and remote hosts.
    case ownFolders
}

extension ChatCommand {
    /// The chats that a command reads and changes; nil for commands that also use other data. A key that is limited to
    /// some chats cannot run such commands.
    fileprivate var touchedChats: Set<CommandRights.Chat>? {
        switch self {
        case .messages(let command): return command.touchedChats
        case .contacts(.contactInfo(let contactId)): return [.contact(contactId)]
        case .groups(.groupInfo(let groupId)), .groups(.listMembers(let groupId)): return [.group(groupId)]
        case .users, .lifecycle, .contacts, .groups, .tags, .files, .calls, .notifications, .settings, .database,
            .servers, .themes, .remoteControl, .diagnostics, .address, .security, .console:
            return nil
        }
    }
}

extension MessageCommand {
    fileprivate var touchedChats: Set<CommandRights.Chat>? {
        switch self {
        case .getChat(let chat, _, _, _, _), .getChatContentTypes(let chat), .getChatItemInfo(let chat, _),
            .updateChatItem(let chat, _, _, _),
            .deleteChatItem(let chat, _, _), .chatItemReaction(let chat, _, _, _), .chatRead(let chat),
            .chatItemsRead(let chat, _),
            .chatUnread(let chat, _):
            return chat.chatForRights.map { [$0] }
        // A file belongs to the user, and not to a chat. So a client that is limited to some chats may send only its
        // own uploads, which are encrypted. `RunningCommand.checkUploads` checks the key and the earlier use of the
        // file.
        case .sendMessages(let chat, _, _, _, _, let messages):
            return messages.allSatisfy(\.hasOnlyEncryptedFile) ? chat.chatForRights.map { [$0] } : nil
        case .createChatItems(let noteFolderId, let messages):
            return messages.allSatisfy(\.hasOnlyEncryptedFile) ? [.notes(noteFolderId)] : nil
        case .getChats, .getChatItems, .deleteMemberChatItem, .archiveReceivedReports, .deleteReceivedReports,
            .getReactionMembers, .planForwardChatItems, .forwardChatItems, .reportMessage, .shareChatMsgContent,
            .shareMyAddress:
            return nil
        }
    }
}

extension ComposedMessage {
    /// Whether the message has no file, or only an encrypted file. The uploads of clients with limited rights are
    /// encrypted.
    fileprivate var hasOnlyEncryptedFile: Bool { fileSource.map { $0.cryptoArgs != nil } ?? true }
}

extension ChatRef {
    fileprivate var chatForRights: CommandRights.Chat? {
        switch chatType {
        case .direct: .contact(chatId)
        case .group: .group(chatId)
        case .local: .notes(chatId)
        default: nil
        }
    }
}
