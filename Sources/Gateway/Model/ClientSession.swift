internal import Clocks
internal import ChatAPI
internal import ChatModel
internal import JSON
internal import SimpleXCrypto

/// The session of one client that looks at a profile: the state that the client sees, and the readers that follow the
/// state.
struct ClientSession: Sendable {
    let id: String
    let feed: ModelFeed
    private(set) var model: SessionModel
    /// The last published state.
    private var publishedModel: SessionModel
    private(set) var cursor = ""
    /// The cursor in the session's log of patches to which ``model`` corresponds.
    private(set) var documentCursor: String
    let openedMicroseconds = MonotonicClock.microseconds()
    /// The time of the last use, in microseconds of the monotonic clock.
    var lastUsedMicroseconds = MonotonicClock.microseconds()
    private var hasUnpublishedChanges = false
    private let encoder: JSONEncoder

    init(userId: Int64, heartbeatSeconds: Int64, encoder: JSONEncoder = JSONEncoder()) {
        self.encoder = encoder
        id = Base64URL.encode(RandomBytes.make(count: 16), padding: false)
        feed = ModelFeed(
            epoch: ModelLog.makeEpoch(),
            heartbeatSeconds: heartbeatSeconds,
            limit: ModelLog.LogLimits(maxCount: 512, maxBytes: 512 * 1024)
        )
        model = SessionModel(userId: userId)
        publishedModel = model
        documentCursor = feed.log.cursor
    }

    /// Returns the state as JSON text.
    func encodeDocument() throws -> [UInt8] { try encoder.encode(model) }

    mutating func apply(_ updates: ModelUpdates) {
        if model.apply(updates) { hasUnpublishedChanges = true }
    }

    mutating func changeModel(_ body: (inout SessionModel) -> Void) {
        body(&model)
        hasUnpublishedChanges = true
    }

    mutating func showSubscriptions(_ subscriptions: Subscriptions) {
        if model.setSubscriptionIfUnknown(subscriptions) { hasUnpublishedChanges = true }
    }

    /// Adds the response to a read to the model: the members of a group, or a page of the open chat.
    mutating func addResult(_ response: ChatResponse, _ read: SessionRead) {
        if case .groupMembers(_, let group) = response {
            model.setMembers(group.members, of: group.groupInfo.groupId)
            hasUnpublishedChanges = true
        }
        guard case .apiChat(_, let chat, let navigation) = response, model.chatId == read.chatId else { return }
        if case .scope = read.secondaryRequest {
            guard let scope = chat.chatInfo.groupChatScope else { return }
            model.openSecondaryList(.groupChatScopeContext(groupScopeInfo: scope))
        }
        model.addPage(read.itemList, chat, page: read.page, count: read.count, navigation: navigation)
        hasUnpublishedChanges = true
    }

    /// Publishes the changes of the state since the last call, as a patch.
    mutating func publishChanges(cursor: String) {
        self.cursor = cursor
        guard hasUnpublishedChanges else { return }
        hasUnpublishedChanges = false
        guard let patch = try? SessionPatches.makePatch(from: publishedModel, to: model, encoder) else { return }
        publishedModel = model
        guard !patch.isEmpty else { return }
        feed.log.publishPatch(patch, cursor: cursor)
        documentCursor = feed.log.cursor
    }
}

/// A read of data about the open chat of a session. If the response has items, the session adds them to its list
/// `itemList`, at the place in the chat that `page` names.
struct SessionRead: Sendable {
    let sessionID: String
    let chatId: ChatId
    let itemList: SessionModel.ItemList
    let page: ItemsModel.Page
    let count: Int
    var secondaryRequest: SecondaryRequest?
}

/// A second list that a client opens in a chat: the items in one scope of a group, or the items with one kind of
/// content.
enum SecondaryRequest: Sendable, Hashable {
    case scope(GroupChatScope)
    case contentTag(MsgContentTag)
}
