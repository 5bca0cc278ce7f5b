package import ChatAPI

/// The state of one profile, as an app would keep it (simplex-chat `apps/ios/spec/state.md`, section 2). It is a value
/// without access to the store. Only `apply` changes it.
///
/// Each change adjusts the totals over all chats, so the cost of an update does not depend on the number of chats.
package struct ChatModel: Hashable, Sendable {
    /// The id of the profile that this model describes.
    package let userId: Int64
    package internal(set) var currentUser: User?
    /// All profiles of the store that are not hidden, with their unread counts.
    package internal(set) var users: [UserInfo] = []
    /// The chats, sorted by last activity, the latest first.
    package internal(set) var chats: [Chat] = []
    /// Whether the chat list was read. Updates of chats that arrive before the list was read cannot be applied.
    package internal(set) var hasLoadedChats = false
    package internal(set) var tags = ChatTagsModel()
    /// Incoming calls that the user has not answered yet, by the id of the chat with the caller.
    package internal(set) var callInvitations: [ChatId: RcvCallInvitation] = [:]
    /// Calls in preparation or in progress, by the id of the chat with the contact. An app has at most one call. But
    /// several clients may share this profile, so there may be several calls.
    package internal(set) var activeCalls: [ChatId: ActiveCall] = [:]
    package internal(set) var notifications = NotificationState()
    package internal(set) var remoteCtrlSession: RemoteCtrlSession?
    package internal(set) var userAddress: UserContactLink?
    /// Seconds after which messages of all chats disappear; nil for no limit.
    package internal(set) var chatItemTTL: Int64?
    package internal(set) var networkInfo = UserNetworkInfo.assumedOnline
    package internal(set) var conditions: ServerOperatorConditions?
    package internal(set) var lifecycle = AppLifecycle()
    /// Unsent messages that clients are writing, by the id of the chat.
    package internal(set) var drafts: [ChatId: ComposeState] = [:]
    /// The id of the chat whose draft was changed last.
    package internal(set) var draftChatId: ChatId?

    /// The subscription status of all connections: whether messages can arrive. Each session shows the status for its
    /// open chat.
    package var subscriptions = Subscriptions()

    /// The changes since the last call of ``takeChanges()``.
    var pendingChanges = ModelChanges()
    /// The parts of the state that have to be read again, because they cannot be computed from the updates.
    var pendingReloads: Set<Reload> = []
    /// Number of unread messages in all chats, without messages for which the user wants no notifications.
    var notifyingUnreadCount = 0

    package init(userId: Int64) {
        self.userId = userId
    }

    /// The call that began last.
    package var activeCall: ActiveCall? {
        activeCalls.values.max { first, second in
            guard let ofFirst = first.callTs, let ofSecond = second.callTs else {
                return first.callTs == nil && second.callTs != nil
            }
            return ofFirst == ofSecond
                ? first.contact.contactId < second.contact.contactId : UTCTime.isEarlier(ofFirst, ofSecond)
        }
    }

    /// Returns the number of unread messages for which the user wants notifications, in all profiles. The number of
    /// this profile comes from its chats, and the numbers of other profiles come from the list of profiles.
    package func totalUnreadCountForAllUsers() -> Int {
        users.reduce(notifyingUnreadCount) { $1.user.userId == userId ? $0 : $0 + $1.unreadCount }
    }

    /// Returns the changes since the last call of this function, and removes them from the model.
    package mutating func takeChanges() -> ModelChanges {
        defer { pendingChanges = ModelChanges() }
        return pendingChanges
    }

    /// Returns the parts of the state that have to be read from the core again, and empties the set of these parts.
    package mutating func takeReloads() -> Set<Reload> {
        defer { pendingReloads = [] }
        return pendingReloads
    }

    package mutating func setDraft(_ draft: ComposeState?, in chatId: ChatId) {
        drafts[chatId] = draft
        draftChatId = draft == nil ? (draftChatId == chatId ? nil : draftChatId) : chatId
        pendingChanges.hasGeneralStateChanged = true
    }

    package mutating func setLifecycle(_ lifecycle: AppLifecycle) {
        self.lifecycle = lifecycle
        pendingChanges.hasGeneralStateChanged = true
    }
}

/// The parts of a model that have changed.
package struct ModelChanges: Hashable, Sendable {
    /// The ids of chats that were changed, added or removed.
    package internal(set) var chatIds: Set<ChatId> = []
    /// Whether chats were added, removed or moved.
    package internal(set) var hasOrderChanged = false
    /// Whether parts other than the chats have changed.
    package internal(set) var hasGeneralStateChanged = false

    package var isEmpty: Bool { chatIds.isEmpty && !hasOrderChanged && !hasGeneralStateChanged }
}
