internal import ChatAPI
internal import ChatCore
internal import ChatModel
internal import ChatStore
internal import JSON
internal import Synchronization

/// The state of one profile while clients use it. The model applies the changes of the core in their order, and
/// publishes the changes as patches at most five times a second.
actor ProfileModel {
    nonisolated let userId: Int64
    /// One feed for readers with rights for all profiles, and one feed for readers with rights for only this profile.
    nonisolated let feeds: (all: ModelFeed, own: ModelFeed)
    nonisolated let inbox = Mutex(Inbox())

    let core: any GatewayCore
    let settings: Settings
    var model: ChatModel
    /// The last published state.
    var shown: ChatModel
    var cursor = ""
    /// States that clients read in several parts.
    var divided = DividedStates()
    var sessions: [String: ClientSession] = [:]
    /// The session and the page for which each running read is made, by the `origin` of the read.
    var reads: [UInt64: SessionRead] = [:]
    var reloads: Set<Reload> = []
    /// The ids of sessions whose open chat was merged into another chat, so that the items of the other chat have to be
    /// read.
    var openings: Set<String> = []
    /// Whether changes were lost, so that the whole state has to be read again.
    var isOutdated = false
    /// Whether earlier patches may contain deleted content, so that these patches must be deleted.
    var mustDropPatches = false
    /// Whether the kept states (``DividedStates``) may contain content that was edited or deleted, so that these states
    /// must be deleted.
    var mustDropStates = false
    var reloading: Task<Void, Never>?
    var flushes = FlushTimes()
    var ended = false
    nonisolated let used = Mutex(MonotonicClock.microseconds())

    struct Settings: Sendable {
        var heartbeatSeconds: Int64
        var sessionLifetime: Int64
        var sessionLimit: Int
        /// Number of items and members in all sessions together above which no session may load more.
        var sessionContents: Int
        /// Maximal number of waiting changes. When it is exceeded, the whole state is read again.
        var inboxLimit: Int
        var encoder = JSONEncoder()
        /// Returns a unique number for each read.
        let nextOrigin: @Sendable () -> UInt64
    }

    struct Inbox {
        var changes: [ChatChange] = []
        var isDraining = false
        var overflown = false
    }

    /// Microseconds between two patches.
    static let throttle: Int64 = 200_000

    struct FlushTimes {
        var last: Int64 = 0
        var isScheduled = false
    }

    init(userId: Int64, core: any GatewayCore, settings: Settings) {
        self.userId = userId
        self.core = core
        self.settings = settings
        let epoch = ModelLog.newEpoch()
        feeds = (
            ModelFeed(epoch: epoch, heartbeatSeconds: settings.heartbeatSeconds),
            ModelFeed(epoch: epoch, heartbeatSeconds: settings.heartbeatSeconds)
        )
        model = ChatModel(userId: userId)
        shown = model
    }

    nonisolated func feed(for principal: Principal?) -> ModelFeed { principal?.userId == nil ? feeds.all : feeds.own }

    // MARK: Lifetime

    nonisolated func touch() { used.withLock { $0 = MonotonicClock.microseconds() } }

    /// Ends the sessions that no client has used for the lifetime of a session.
    func expire() {
        divided.expire()
        let limit = MonotonicClock.microseconds() - settings.sessionLifetime * 1_000_000
        for (id, session) in sessions where session.used < limit {
            guard !session.feed.hasReaders else {
                sessions[id]?.used = MonotonicClock.microseconds()
                continue
            }
            sessions[id] = nil
            session.feed.hub.stop()
        }
    }

    /// Ends expired sessions.
    /// - Returns: whether no client uses the profile any more.
    func isIdle() -> Bool {
        expire()
        let limit = MonotonicClock.microseconds() - settings.sessionLifetime * 1_000_000
        return sessions.isEmpty && !feeds.all.hasReaders && !feeds.own.hasReaders && used.withLock { $0 < limit }
    }

    /// Ends all streams and sessions, because the model is dropped.
    func end(_ reason: StreamEnd = .ended) {
        ended = true
        feeds.all.hub.stop(reason)
        feeds.own.hub.stop(reason)
        for session in sessions.values { session.feed.hub.stop(reason) }
        sessions = [:]
    }

    func endReaders(except valid: Set<Credential>) {
        feeds.all.hub.endReaders(except: valid)
        feeds.own.hub.endReaders(except: valid)
        for session in sessions.values { session.feed.hub.endReaders(except: valid) }
    }
}
