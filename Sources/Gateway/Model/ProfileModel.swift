internal import ChatAPI
internal import ChatCore
internal import ChatModel
internal import JSON
internal import Synchronization

/// The state of one profile, kept while it is in use. It applies the changes of the core in order, and publishes them
/// as patches at most five times a second.
actor ProfileModel {
    nonisolated let userId: Int64
    /// One feed for readers with the rights for all profiles, and one for readers of this profile alone.
    nonisolated let feeds: (all: ModelFeed, own: ModelFeed)
    nonisolated let inbox = Mutex(Inbox())

    let core: any GatewayCore
    let settings: Settings
    var model: ChatModel
    /// The last published state.
    var shown: ChatModel
    var cursor = ""
    /// Earlier states whose chat lists are being read in parts.
    var divided = DividedStates()
    var sessions: [String: ClientSession] = [:]
    /// Sessions and pages for the reads in progress, by the origin of the read.
    var reads: [UInt64: SessionRead] = [:]
    var reloads: Set<Reload> = []
    /// Sessions whose chat was merged into another one, whose items must be read.
    var openings: Set<String> = []
    /// Whether changes were lost, so that everything must be read again.
    var isOutdated = false
    /// Whether something was deleted that earlier patches show.
    var isToForget = false
    /// Whether something was edited that kept earlier states show.
    var isToForgetParts = false
    var reloading: Task<Void, Never>?
    var flushes = FlushTimes()
    var ended = false
    nonisolated let used = Mutex(MonotonicClock.microseconds())

    struct Settings: Sendable {
        var heartbeatSeconds: Int64
        var sessionLifetime: Int64
        var sessionLimit: Int
        /// Number of items and members of all sessions together above which no session loads more.
        var sessionContents: Int
        /// Maximal number of changes that wait; beyond it the state is read again.
        var inboxLimit: Int
        /// Returns a new number for each read.
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

    /// Ends the sessions that no client has used for the lifetime of sessions.
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

    /// - Returns: whether the profile is no longer in use.
    func isIdle() -> Bool {
        expire()
        let limit = MonotonicClock.microseconds() - settings.sessionLifetime * 1_000_000
        return sessions.isEmpty && !feeds.all.hasReaders && !feeds.own.hasReaders && used.withLock { $0 < limit }
    }

    /// Ends all streams and sessions, when the state is no longer kept.
    func end(_ reason: StreamEnd = .ended) {
        ended = true
        feeds.all.hub.stop(reason)
        feeds.own.hub.stop(reason)
        for session in sessions.values { session.feed.hub.stop(reason) }
        sessions = [:]
    }

    func keep(_ valid: Set<Credential>) {
        feeds.all.hub.keep(valid)
        feeds.own.hub.keep(valid)
        for session in sessions.values { session.feed.hub.keep(valid) }
    }
}
