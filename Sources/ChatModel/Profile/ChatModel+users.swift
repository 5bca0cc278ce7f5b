package import ChatAPI

extension ChatModel {
    /// Updates a profile in the list, and the current profile if it has the same id.
    package mutating func updateUser(_ user: User) {
        // A hidden user is in the list only while it is active, as in the core's list. So a hidden user that is not
        // active is removed.
        if user.viewPwdHash != nil, !user.activeUser {
            users.removeAll { $0.user.userId == user.userId }
        } else if let index = users.firstIndex(where: { $0.user.userId == user.userId }) {
            users[index].user = user
        } else {
            users.append(UserInfo(user: user, unreadCount: 0))
        }
        if user.userId == userId { currentUser = user }
        recountOwnUnreadMessages()
        pendingChanges.hasGeneralStateChanged = true
    }

    mutating func setUsers(_ users: [UserInfo]) {
        self.users = users
        if let own = users.first(where: { $0.user.userId == userId }) { currentUser = own.user }
        recountOwnUnreadMessages()
        pendingChanges.hasGeneralStateChanged = true
    }

    /// Sets the unread count of this profile in `users` to the total of its chats, if the chats are loaded. The core's
    /// list of users may be older or newer than the applied updates.
    mutating func recountOwnUnreadMessages() {
        guard hasLoadedChats, let index = users.firstIndex(where: { $0.user.userId == userId }),
            users[index].unreadCount != notifyingUnreadCount
        else { return }
        users[index].unreadCount = notifyingUnreadCount
        pendingChanges.hasGeneralStateChanged = true
    }

    /// Changes the unread count of another profile, after messages to that profile were received or read.
    mutating func changeUnreadCount(ofUser userId: Int64, by change: Int) {
        guard change != 0, let index = users.firstIndex(where: { $0.user.userId == userId }) else { return }
        users[index].unreadCount = max(0, users[index].unreadCount + change)
        pendingChanges.hasGeneralStateChanged = true
    }
}
