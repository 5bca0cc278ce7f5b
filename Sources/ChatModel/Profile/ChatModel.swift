public import ChatAPI

/// The state of one profile, as an app would hold it (state management, section 2). A value: it changes by `apply`, and
/// reads nothing.
///
/// Totals over all chats are adjusted at each change, so that an update costs the same in a list of ten chats and of a
/// thousand.
public struct ChatModel: Hashable, Sendable {
    /// The profile whose state this is.
    public let userId: Int64
    public internal(set) var currentUser: User?
    /// All profiles of the store that are not hidden, with their unread counts.
    public internal(set) var users: [UserInfo] = []
    /// The chats, the one with the latest activity first.
    public internal(set) var chats: [Chat] = []
    /// Whether the list was read. Before that, updates of chats cannot be applied.
    public internal(set) var chatsLoaded = false
    public internal(set) var tags = ChatTagsModel()
    /// Incoming calls that were not answered yet, by the caller's chat.
    public internal(set) var callInvitations: [ChatId: RcvCallInvitation] = [:]
    /// Calls that are being set up or go on, by the contact's chat. An app has one; here several clients may share a
    /// profile.
    public internal(set) var activeCalls: [ChatId: ActiveCall] = [:]
    public internal(set) var notifications = NotificationState()
    public internal(set) var remoteCtrlSession: RemoteCtrlSession?
    public internal(set) var userAddress: UserContactLink?
    /// Seconds after which messages of all chats disappear; nil for never.
    public internal(set) var chatItemTTL: Int64?
    public internal(set) var networkInfo = UserNetworkInfo.unsaid
    public internal(set) var conditions: ServerOperatorConditions?
    public internal(set) var lifecycle = AppLifecycle()
    /// Messages that are being written, by chat.
    public internal(set) var drafts: [ChatId: ComposeState] = [:]
    /// The chat of the draft that was changed last.
    public internal(set) var draftChatId: ChatId?

    /// The subscriptions of connections: each session shows the one of its open chat.
    public var subscriptions = Subscriptions()

    /// The changes since the last `takeChanges`.
    var changes = ModelChanges()
    /// The parts that have to be read again, because they do not follow from the updates.
    var reloads: Set<Reload> = []
    /// Unread messages in all chats that the user wants notifications for.
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

    public var draft: ComposeState? { draftChatId.flatMap { drafts[$0] } }

    /// Unread messages of this profile, by the settings of its chats, and of all other profiles.
    public func totalUnreadCountForAllUsers() -> Int {
        users.reduce(unreadForNotification) { $1.user.userId == userId ? $0 : $0 + $1.unreadCount }
    }

    /// Returns and resets the changes since the last call.
    public mutating func takeChanges() -> ModelChanges {
        defer { changes = ModelChanges() }
        return changes
    }

    /// Returns and resets the parts that have to be read from the core again.
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

/// The changed parts of a model.
public struct ModelChanges: Hashable, Sendable {
    /// Chats that have changed, were added or removed.
    public internal(set) var chats: Set<ChatId> = []
    /// Whether chats were added, removed or moved.
    public internal(set) var order = false
    /// Whether anything other than the chats has changed.
    public internal(set) var head = false

    public var isEmpty: Bool { chats.isEmpty && !order && !head }
}
