public import ChatAPI

/// The state of one profile, as an app would keep it (simplex-chat `apps/ios/spec/state.md`, section 2). It is a value
/// without access to the store. Only `apply` changes it.
///
/// Each change adjusts the totals over all chats, so that an update costs the same with ten chats and with a thousand
/// chats.
public struct ChatModel: Hashable, Sendable {
    /// The id of the profile that this model describes.
    public let userId: Int64
    public internal(set) var currentUser: User?
    /// All profiles of the store that are not hidden, with their unread counts.
    public internal(set) var users: [UserInfo] = []
    /// The chats, sorted by last activity, the latest first.
    public internal(set) var chats: [Chat] = []
    /// Whether the chat list was read. Updates of chats that come before cannot be applied.
    public internal(set) var chatsLoaded = false
    public internal(set) var tags = ChatTagsModel()
    /// Incoming calls that the user has not answered yet, by chat of the caller.
    public internal(set) var callInvitations: [ChatId: RcvCallInvitation] = [:]
    /// Calls in preparation or in progress, by chat of the contact. An app has one call, but several clients may share
    /// this profile.
    public internal(set) var activeCalls: [ChatId: ActiveCall] = [:]
    public internal(set) var notifications = NotificationState()
    public internal(set) var remoteCtrlSession: RemoteCtrlSession?
    public internal(set) var userAddress: UserContactLink?
    /// Seconds after which messages of all chats disappear; nil for no limit.
    public internal(set) var chatItemTTL: Int64?
    public internal(set) var networkInfo = UserNetworkInfo.assumed
    public internal(set) var conditions: ServerOperatorConditions?
    public internal(set) var lifecycle = AppLifecycle()
    /// Unsent messages that clients are writing, by chat.
    public internal(set) var drafts: [ChatId: ComposeState] = [:]
    /// The chat of the draft that was changed last.
    public internal(set) var draftChatId: ChatId?

    /// The subscription status of connections. Each session shows the status for its open chat.
    public var subscriptions = Subscriptions()

    /// The changes since the last call of ``takeChanges()``.
    var changes = ModelChanges()
    /// The parts of the state that have to be read again, because they cannot be computed from the updates.
    var reloads: Set<Reload> = []
    /// Number of unread messages in all chats, if the user wants notifications for them.
    var unreadForNotification = 0

    public init(userId: Int64) {
        self.userId = userId
    }

    /// The call that began last.
    public var activeCall: ActiveCall? {
        activeCalls.values.max { first, second in
            guard let ofFirst = first.callTs, let ofSecond = second.callTs else {
                return first.callTs == nil && second.callTs != nil
            }
            return ofFirst == ofSecond
                ? first.contact.contactId < second.contact.contactId : UTCTime.isEarlier(ofFirst, ofSecond)
        }
    }

    /// Returns the number of unread messages in all profiles. The messages of this profile are counted with the
    /// settings of its chats.
    public func totalUnreadCountForAllUsers() -> Int {
        users.reduce(unreadForNotification) { $1.user.userId == userId ? $0 : $0 + $1.unreadCount }
    }

    /// Returns the changes since the last call of this function, and resets them.
    public mutating func takeChanges() -> ModelChanges {
        defer { changes = ModelChanges() }
        return changes
    }

    /// Returns the parts that have to be read from the core again, and resets them.
    public mutating func takeReloads() -> Set<Reload> {
        defer { reloads = [] }
        return reloads
    }

    public mutating func setDraft(_ draft: ComposeState?, in chatId: ChatId) {
        drafts[chatId] = draft
        draftChatId = draft == nil ? (draftChatId == chatId ? nil : draftChatId) : chatId
        changes.head = true
    }

    public mutating func setLifecycle(_ lifecycle: AppLifecycle) {
        self.lifecycle = lifecycle
        changes.head = true
    }
}

/// The parts of a model that have changed.
public struct ModelChanges: Hashable, Sendable {
    /// The ids of chats that were changed, added or removed.
    public internal(set) var chats: Set<ChatId> = []
    /// Whether chats were added, removed or moved.
    public internal(set) var order = false
    /// Whether parts other than the chats have changed.
    public internal(set) var head = false

    public var isEmpty: Bool { chats.isEmpty && !order && !head }
}
