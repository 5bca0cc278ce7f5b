internal import ChatAPI
internal import ChatModel
internal import JSON
internal import SimpleXCrypto

/// The state of one client that looks at a profile, with the followers of this state.
struct ClientSession: Sendable {
    let id: String
    let feed: ModelFeed
    private(set) var model: SessionModel
    /// The last published state.
    private var shown: SessionModel
    private(set) var cursor = ""
    /// The position of ``model`` in the feed of the session.
    private(set) var place: String
    let opened = MonotonicClock.microseconds()
    /// The time of the last use, in microseconds of the monotonic clock.
    var used = MonotonicClock.microseconds()
    private var isDirty = false
    private let encoder: JSONEncoder

    init(userId: Int64, heartbeatSeconds: Int64, encoder: JSONEncoder = JSONEncoder()) {
        self.encoder = encoder
        id = Base64URL.encode(RandomBytes.make(count: 16), padding: false)
        feed = ModelFeed(
            epoch: ModelLog.newEpoch(),
            heartbeatSeconds: heartbeatSeconds,
            limit: ModelLog.Limit(count: 512, bytes: 512 * 1024)
        )
        model = SessionModel(userId: userId)
        shown = model
        place = feed.log.cursor
    }

    /// The JSON text of the state.
    func document() throws -> [UInt8] { try encoder.encode(model) }

    mutating func apply(_ updates: ModelUpdates) {
        if model.apply(updates) { isDirty = true }
    }

    mutating func change(_ body: (inout SessionModel) -> Void) {
        body(&model)
        isDirty = true
    }

    mutating func show(_ subscriptions: Subscriptions) {
        if model.showSubscription(subscriptions) { isDirty = true }
    }

    /// Adds the result of a read to the model: the members of a group, or a page of the open chat.
    mutating func addResult(_ response: ChatResponse, _ read: SessionRead) {
        if case .groupMembers(_, let group) = response {
            model.setMembers(group.members, of: group.groupInfo.groupId)
            isDirty = true
        }
        guard case .apiChat(_, let chat, let navigation) = response, model.chatId == read.chatId else { return }
        if case .scope = read.secondary {
            guard let scope = chat.chatInfo.groupChatScope else { return }
            model.openSecondary(.groupChatScopeContext(groupScopeInfo: scope))
        }
        model.load(read.list, chat, page: read.page, count: read.count, navigation: navigation)
        isDirty = true
    }

    /// Publishes the changes since the last call.
    mutating func flush(cursor: String) {
        self.cursor = cursor
        guard isDirty else { return }
        isDirty = false
        guard let patch = try? SessionDocument.difference(from: shown, to: model, encoder) else { return }
        shown = model
        guard !patch.isEmpty else { return }
        feed.log.publish(patch, cursor: cursor)
        place = feed.log.cursor
    }
}

/// The session for which a page is read, and the place of the page in the session's lists.
struct SessionRead: Sendable {
    let session: String
    let chatId: ChatId
    let list: SessionModel.List
    let page: ItemsModel.Page
    let count: Int
    var secondary: SecondaryRequest?
}

/// The second list that a client requests.
enum SecondaryRequest: Sendable, Hashable {
    case scope(GroupChatScope)
    case contentTag(MsgContentTag)
}
