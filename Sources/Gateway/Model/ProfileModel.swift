internal import Clocks
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
    var publishedModel: ChatModel
    var cursor = ""
    /// States that clients read in several parts.
    var pagedSnapshots = PagedSnapshots()
    var sessions: [String: ClientSession] = [:]
    /// The session and the page for which each running read is made, by the `origin` of the read.
    var runningReads: [UInt64: SessionRead] = [:]
    var pendingReloads: Set<Reload> = []
    /// The ids of sessions whose open chat was merged into another chat, so that the items of the other chat have to be
    /// read.
    var sessionsWithMergedChat: Set<String> = []
    /// Whether changes were lost, so that the whole state has to be read again.
    var hasLostChanges = false
    /// Whether earlier patches may contain deleted content, so that these patches must be deleted.
    var shouldDropPatches = false
    /// Whether the kept states (``PagedSnapshots``) may contain content that was edited or deleted, so that these
    /// states must be deleted.
    var shouldDropStates = false
    var reloadTask: Task<Void, Never>?
    var publishTimes = PublishTimes()
    var isEnded = false
    nonisolated let lastUseMicroseconds = Mutex(MonotonicClock.microseconds())

    struct Settings: Sendable {
        var heartbeatSeconds: Int64
        var sessionLifetimeSeconds: Int64
        var maxSessions: Int
        /// Number of items and members in all sessions together above which no session may load more.
        var maxSessionItemsAndMembers: Int
        /// Maximal number of waiting changes. When it is exceeded, the whole state is read again.
        var maxInboxChanges: Int
        var encoder = JSONEncoder()
        /// Returns a unique number for each read.
        let nextOrigin: @Sendable () -> UInt64
    }

    struct Inbox {
        var changes: [ChatChange] = []
        var isProcessing = false
        var hasOverflowed = false
    }

    /// Number of microseconds for which ``publishSoon()`` waits after the last patch. A client that reads the state or
    /// changes a draft makes the model publish sooner.
    static let publishIntervalMicroseconds: Int64 = 200_000

    struct PublishTimes {
        var lastPublishedMicroseconds: Int64 = 0
        var isScheduled = false
    }

    init(userId: Int64, core: any GatewayCore, settings: Settings) {
        self.userId = userId
        self.core = core
        self.settings = settings
        let epoch = ModelLog.makeEpoch()
        feeds = (
            ModelFeed(epoch: epoch, heartbeatSeconds: settings.heartbeatSeconds),
            ModelFeed(epoch: epoch, heartbeatSeconds: settings.heartbeatSeconds)
        )
        model = ChatModel(userId: userId)
        publishedModel = model
    }

    nonisolated func feed(for principal: Principal?) -> ModelFeed { principal?.userId == nil ? feeds.all : feeds.own }

    // MARK: Lifetime

    nonisolated func recordUse() { lastUseMicroseconds.withLock { $0 = MonotonicClock.microseconds() } }

    /// Ends the sessions that no client has used for the lifetime of a session.
    func endExpiredSessions() {
        pagedSnapshots.removeExpiredStates()
        let limit = MonotonicClock.microseconds() - settings.sessionLifetimeSeconds * 1_000_000
        for (id, session) in sessions where session.lastUsedMicroseconds < limit {
            guard !session.feed.hasReaders else {
                sessions[id]?.lastUsedMicroseconds = MonotonicClock.microseconds()
                continue
            }
            sessions[id] = nil
            session.feed.hub.stop()
        }
    }

    /// Ends expired sessions.
    /// - Returns: whether no client uses the profile any more.
    func expireSessionsAndCheckIdle() -> Bool {
        endExpiredSessions()
        let limit = MonotonicClock.microseconds() - settings.sessionLifetimeSeconds * 1_000_000
        return sessions.isEmpty && !feeds.all.hasReaders && !feeds.own.hasReaders
            && lastUseMicroseconds.withLock { $0 < limit }
    }

    /// Ends all streams and sessions, because the model is dropped.
    func endModel(_ reason: StreamEnd = .endedNormally) {
        isEnded = true
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
