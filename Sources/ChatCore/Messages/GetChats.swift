internal import ChatAPI

/// The requested part of the chat list.
struct ChatListPage: Sendable {
    enum Range: Sendable {
        case last
        case before(Timestamp)
        case after(Timestamp)
    }

    var range: Range = .last
    var count = 5000
    var includesPendingConnections = false
    var selectsFavorites = false
    var selectsUnread = false
    var searchText = ""

    /// Whether the time of the last activity of a chat is in the range.
    func contains(_ time: Timestamp) -> Bool {
        switch range {
        case .last: true
        case .before(let end): time < end
        case .after(let start): time > start
        }
    }
}

extension RunningCommand {
    /// `/_get chats`: returns the list of chats with the last item of each chat, the most recent chat first. Each query
    /// reads many chats.
    func getChats(_ page: ChatListPage, user: UserRecord) async throws -> ChatResponse {
        try await store.read { [names = store.chatNames] db in
            let now = Timestamp.now
            var chats =
                try ChatList.readContacts(page, user, at: now, names, db)
                + ChatList.readGroups(page, user, at: now, names, db)
                + ChatList.readNotes(page, user, at: now, db)
            // Pending connections cannot be marked as favorite or unread, so these filters exclude them.
            if page.includesPendingConnections, !page.selectsFavorites, !page.selectsUnread {
                chats += try ChatList.readPendingConnections(page, user, db)
            }
            chats.sort { $0.ts > $1.ts }
            if case .after = page.range {
                chats = Array(chats.suffix(page.count))
            } else {
                chats = Array(chats.prefix(page.count))
            }
            return .apiChats(user: user.api, chats: chats.map(\.chat))
        }
    }
}

extension ChatStats {
    static var empty: ChatStats {
        ChatStats(unreadCount: 0, unreadMentions: 0, reportsCount: 0, minUnreadItemId: 0, unreadChat: false)
    }
}
