package import ChatAPI

extension ChatModel {
    /// The state as clients get it in JSON, without the chats and the profiles.
    package var generalState: some Encodable & Sendable { GeneralState(model: self) }

    private struct GeneralState: Encodable, Sendable {
        let model: ChatModel

        private enum CodingKeys: CodingKey {
            case userId, currentUser, chatTagsModel, callInvitations, activeCall, activeCalls, notifications,
                remoteCtrlSession, userAddress, chatItemTTL
            case networkInfo, conditions, lifecycle, drafts, draftChatId
        }

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(model.userId, forKey: .userId)
            try members.encodeIfPresent(model.currentUser, forKey: .currentUser)
            try members.encode(model.tags, forKey: .chatTagsModel)
            try members.encode(model.callInvitations, forKey: .callInvitations)
            try members.encodeIfPresent(model.activeCall, forKey: .activeCall)
            try members.encode(model.activeCalls, forKey: .activeCalls)
            try members.encode(model.notifications, forKey: .notifications)
            try members.encodeIfPresent(model.remoteCtrlSession, forKey: .remoteCtrlSession)
            try members.encodeIfPresent(model.userAddress, forKey: .userAddress)
            try members.encodeIfPresent(model.chatItemTTL, forKey: .chatItemTTL)
            try members.encode(model.networkInfo, forKey: .networkInfo)
            try members.encodeIfPresent(model.conditions, forKey: .conditions)
            try members.encode(model.lifecycle, forKey: .lifecycle)
            try members.encode(model.drafts, forKey: .drafts)
            try members.encodeIfPresent(model.draftChatId, forKey: .draftChatId)
        }
    }

    /// Returns the profiles that a reader of the state may see.
    /// - Parameter all: true for all profiles of the store, false for only the profile of this model.
    package func visibleUsers(all: Bool) -> [UserInfo] {
        all ? users : users.filter { $0.user.userId == userId }
    }

    /// Returns the number of unread messages in the profiles that a reader of the state may see.
    /// - Parameter all: true for all profiles of the store, false for only the profile of this model.
    package func totalUnreadCount(all: Bool) -> Int { all ? totalUnreadCountForAllUsers() : notifyingUnreadCount }
}
