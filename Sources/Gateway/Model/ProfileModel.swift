internal import ChatAPI
internal import ChatCore
internal import ChatModel
internal import JSON
internal import Synchronization

/// The state of one profile, held while somebody looks at it: fed with the changes of the core in their order, told to its readers as
/// patches, at most every fifth of a second.
actor ProfileModel {
    nonisolated let userId: Int64
    /// For readers that may know of all profiles, and for those that may know only of this one.
    nonisolated let feeds: (all: ModelFeed, own: ModelFeed)
    private nonisolated let inbox = Mutex(Inbox())

    let core: any GatewayCore
    let settings: Settings
    private var model: ChatModel
    /// What was told last.
    private var shown: ChatModel
    private var cursor = ""
    var sessions: [String: ClientSession] = [:]
    /// What reads in order are for, by their origin.
    private var reads: [UInt64: SessionRead] = [:]
    private var reloads: Set<Reload> = []
    private var reloading: Task<Void, Never>?
    private var flushes = FlushTimes()
    private var ended = false
    private nonisolated let used = Mutex(MonotonicClock.microseconds())

    struct Settings: Sendable {
        var heartbeatSeconds: Int64
        var sessionLifetime: Int64
        var sessionLimit: Int
        /// Gives every read in order a number of its own.
        let nextOrigin: @Sendable () -> UInt64
    }

    private struct Inbox {
        var changes: [ChatChange] = []
        var isDraining = false
        var overflown = false
    }

    /// Changes that may wait; beyond that the state is read anew.
    private static let inboxLimit = 50_000
    /// Microseconds between two patches.
    static let throttle: Int64 = 200_000

    private struct FlushTimes {
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

    // MARK: Filling

    /// Reads the state from the core.
    func load() async throws(ProblemDetails) {
        var lifecycle = AppLifecycle()
        lifecycle.chatInitialized = true
        lifecycle.chatDbStatus = .ok
        model.setLifecycle(lifecycle)
        try await read(.messages(.getChats(userId: userId, pendingConnections: true, pagination: nil, query: nil)))
        let others: [ChatCommand] = [
            .users(.listUsers), .lifecycle(.checkChatRunning), .tags(.getChatTags(userId: userId)), .settings(.getChatItemTTL(userId: userId)),
            .address(.showMyAddress(userId: userId)), .calls(.getCallInvitations), .notifications(.getNtfToken), .servers(.getServerOperators),
        ]
        for command in others {
            // What the core does not have is not shown.
            do throws(ProblemDetails) { try await read(command) } catch { continue }
        }
        await settle()
        flush()
    }

    /// Runs a command at its place among the changes, and applies all until then.
    private func read(_ command: ChatCommand, for session: SessionRead? = nil) async throws(ProblemDetails) {
        let origin = settings.nextOrigin()
        if let session { reads[origin] = session }
        let result = await core.read(command, as: userId, origin: origin)
        drain()
        reads[origin] = nil
        if case .error(let error) = result { throw ProblemDetails(error) }
    }

    /// Waits until nothing has to be read again.
    private func settle() async {
        for _ in 0..<20 {
            drain()
            guard !reloads.isEmpty || reloading != nil else { return }
            await reload()
        }
    }

    private func reload() async {
        let task = reloading ?? Task { await self.readAgain() }
        reloading = task
        await task.value
    }

    private func readAgain() async {
        while let next = reloads.popFirst() {
            for command in next.commands(userId: userId) {
                // What cannot be read stays as it was told.
                do throws(ProblemDetails) { try await read(command) } catch { continue }
            }
        }
        reloading = nil
    }

    // MARK: Changes

    /// A change of the core. Called in order, on the database's thread.
    nonisolated func offer(_ change: ChatChange) {
        let begins = inbox.withLock { inbox -> Bool in
            if inbox.changes.count >= Self.inboxLimit {
                inbox.changes = []
                inbox.overflown = true
            }
            inbox.changes.append(change)
            defer { inbox.isDraining = true }
            return !inbox.isDraining
        }
        if begins { Task { await self.follow() } }
    }

    private func follow() async {
        drain()
        if reloading == nil, !reloads.isEmpty { await reload() }
        flushSoon()
    }

    private func drain() {
        let (changes, overflown) = inbox.withLock { inbox in
            defer { inbox = Inbox() }
            return (inbox.changes, inbox.overflown)
        }
        for change in changes { apply(change) }
        if overflown { reloads.formUnion([.chats, .users, .tags, .address]) }
    }

    private func apply(_ change: ChatChange) {
        for event in change.events { apply(ModelUpdates(event)) }
        if let cursor = change.cursor { self.cursor = cursor.text }
        if let command = change.command, let response = change.response {
            apply(ModelUpdates(response, to: command))
            if let origin = change.origin, let read = reads.removeValue(forKey: origin) { sessions[read.session]?.take(response, read) }
        }
        reloads.formUnion(model.takeReloads())
    }

    private func apply(_ updates: ModelUpdates) {
        guard !updates.updates.isEmpty else { return }
        model.apply(updates)
        for id in sessions.keys { sessions[id]?.apply(updates) }
    }

    // MARK: Telling

    /// At once when nothing was told for a while, else when the time has come.
    private func flushSoon() {
        guard !flushes.isScheduled, !ended else { return }
        let wait = flushes.last + Self.throttle - MonotonicClock.microseconds()
        guard wait > 0 else { return flush() }
        flushes.isScheduled = true
        Task {
            try? await Task.sleep(for: .microseconds(wait))
            await self.flushScheduled()
        }
    }

    private func flushScheduled() async {
        flushes.isScheduled = false
        guard !ended else { return }
        await settle()
        flush()
    }

    /// Tells what has changed since the last time.
    private func flush() {
        drain()
        flushes.last = MonotonicClock.microseconds()
        let changes = model.takeChanges()
        if !changes.isEmpty {
            do {
                let common = try ProfileDocument.difference(from: shown, to: model, changes)
                let all = JSONPatch(common.operations + (try ProfileDocument.difference(from: shown, to: model, allUsers: true)))
                let own = JSONPatch(common.operations + (try ProfileDocument.difference(from: shown, to: model, allUsers: false)))
                if !all.isEmpty || !own.isEmpty {
                    // Both get every number, so that a cursor is the same for both.
                    feeds.all.log.publish(all, cursor: cursor)
                    feeds.own.log.publish(own, cursor: cursor)
                }
            } catch {
                // Nothing that is not JSON is ever in the state.
            }
            shown = model
        }
        for id in sessions.keys { sessions[id]?.flush(cursor: cursor) }
    }

    /// The state now, and the cursors at which it is true.
    func snapshot() async -> ProfileSnapshot {
        touch()
        await settle()
        flush()
        return ProfileSnapshot(model: shown, id: feeds.all.log.cursor, cursor: cursor)
    }

    func setDraft(_ draft: ComposeState?, in chatId: ChatId) throws(ProblemDetails) {
        touch()
        guard draft == nil || model.getChat(chatId) != nil else { throw ProblemDetails(.notFound, "There is no such chat.") }
        model.setDraft(draft, in: chatId)
        flush()
    }

    // MARK: Sessions

    func openSession() throws(ProblemDetails) -> ClientSession {
        touch()
        expire()
        guard sessions.count < settings.sessionLimit else {
            var problem = ProblemDetails(.tooManyRequests, "The profile has \(settings.sessionLimit) sessions.")
            problem.headers = [("Retry-After", "60")]
            throw problem
        }
        let session = ClientSession(userId: userId, heartbeatSeconds: settings.heartbeatSeconds)
        sessions[session.id] = session
        return session
    }

    func session(_ id: String) throws(ProblemDetails) -> ClientSession {
        touch()
        expire()
        guard sessions[id] != nil else { throw ProblemDetails(.notFound, "There is no such session, or it has ended.") }
        drain()
        sessions[id]?.used = MonotonicClock.microseconds()
        sessions[id]?.flush(cursor: cursor)
        guard let session = sessions[id] else { throw ProblemDetails(.notFound) }
        return session
    }

    func allSessions() -> [ClientSession] {
        touch()
        expire()
        return sessions.values.sorted { $0.opened < $1.opened }
    }

    func closeSession(_ id: String) throws(ProblemDetails) {
        expire()
        guard let session = sessions.removeValue(forKey: id) else { throw ProblemDetails(.notFound, "There is no such session, or it has ended.") }
        session.feed.hub.stop()
    }

    /// Changes what a client looks at, and tells it at once.
    func change(_ id: String, _ body: @Sendable (inout SessionModel) -> Void) throws(ProblemDetails) -> ClientSession {
        _ = try session(id)
        sessions[id]?.change(body)
        return try session(id)
    }

    /// Opens a chat: its loading is told at once, then its items.
    func openChat(_ chat: ChatRef, around itemId: Int64?, count: Int, in id: String) async throws(ProblemDetails) -> ClientSession {
        guard model.getChat(chat.id) != nil else {
            _ = try session(id)
            throw ProblemDetails(.notFound, "There is no such chat.")
        }
        _ = try change(id) { $0.openChat(chat, around: itemId) }
        let page: ItemsModel.Page = itemId.map { .around($0) } ?? .last
        let command = MessageCommand.getChat(chat: chat, contentTag: nil, pagination: page.pagination(count), search: nil)
        do {
            try await read(.messages(command), for: SessionRead(session: id, chatId: chat.id, list: .primary, page: page, count: count))
        } catch {
            if sessions[id] != nil { _ = try change(id) { if $0.chatId == chat.id { $0.closeChat() } } }
            throw error
        }
        let session = try session(id)
        // Deleted in the same instant: it is not open, whatever was read of it.
        guard session.model.chatId != nil else { throw ProblemDetails(.notFound, "The chat was deleted.") }
        return session
    }

    /// Opens a second list of the open chat.
    func openSecondary(_ secondary: SecondaryRequest, count: Int, in id: String) async throws(ProblemDetails) -> ClientSession {
        var chat = try openChat(of: id)
        var tag: MsgContentTag?
        switch secondary {
        case .contentTag(let contentTag):
            tag = contentTag
            _ = try change(id) { $0.openSecondary(.msgContentTagContext(contentTag: contentTag)) }
        case .scope(let scope): chat.chatScope = scope
        }
        let command = MessageCommand.getChat(chat: chat, contentTag: tag, pagination: .last(count: count), search: nil)
        do {
            try await read(
                .messages(command), for: SessionRead(session: id, chatId: chat.id, list: .secondary, page: .last, count: count, secondary: secondary))
        } catch {
            if sessions[id] != nil { _ = try change(id) { $0.closeSecondary() } }
            throw error
        }
        return try session(id)
    }

    /// Loads a further page of the open chat.
    func loadItems(
        _ page: ItemsModel.Page, count: Int, list: SessionModel.List, in id: String
    ) async throws(ProblemDetails) -> ClientSession {
        var chat = try openChat(of: id)
        let session = try session(id)
        guard let items = session.model.items(list) else { throw ProblemDetails(.conflict, "The session has no second list open.") }
        chat.chatScope = items.groupScopeInfo?.scope
        if let anchor = page.anchor { _ = try change(id) { $0.beginLoading(list, next: anchor) } }
        let command = MessageCommand.getChat(
            chat: chat, contentTag: items.contentTag, pagination: page.pagination(count), search: nil)
        do {
            try await read(.messages(command), for: SessionRead(session: id, chatId: chat.id, list: list, page: page, count: count))
        } catch {
            if sessions[id] != nil { _ = try change(id) { $0.failLoading(list) } }
            throw error
        }
        return try self.session(id)
    }

    private func openChat(of id: String) throws(ProblemDetails) -> ChatRef {
        guard let chat = try session(id).model.chat else { throw ProblemDetails(.conflict, "The session has no chat open.") }
        return chat
    }

    // MARK: Lifetime

    private nonisolated func touch() { used.withLock { $0 = MonotonicClock.microseconds() } }

    /// Ends the sessions of clients that have gone.
    private func expire() {
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

    /// - Returns: whether nobody looks at the profile any more.
    func isIdle() -> Bool {
        expire()
        let limit = MonotonicClock.microseconds() - settings.sessionLifetime * 1_000_000
        return sessions.isEmpty && !feeds.all.hasReaders && !feeds.own.hasReaders && used.withLock { $0 < limit }
    }

    /// Ends all that follow: the state is no longer kept.
    func end(_ reason: StreamEnd = .ended) {
        ended = true
        feeds.all.hub.stop(reason)
        feeds.own.hub.stop(reason)
        for session in sessions.values { session.feed.hub.stop(reason) }
        sessions = [:]
    }

    func keep(keys valid: Set<String>) {
        feeds.all.hub.keep(keys: valid)
        feeds.own.hub.keep(keys: valid)
        for session in sessions.values { session.feed.hub.keep(keys: valid) }
    }
}

/// The state of a profile at one place.
struct ProfileSnapshot: Sendable {
    let model: ChatModel
    /// The cursor of its patches.
    let id: String
    /// The cursor of the events.
    let cursor: String
}

extension Reload {
    func commands(userId: Int64) -> [ChatCommand] {
        switch self {
        case .users: [.users(.listUsers)]
        case .chats: [.messages(.getChats(userId: userId, pendingConnections: true, pagination: nil, query: nil))]
        case .tags: [.tags(.getChatTags(userId: userId))]
        case .address: [.address(.showMyAddress(userId: userId))]
        case .chat(let chat):
            [
                .messages(.getChat(chat: chat, contentTag: nil, pagination: .last(count: 1), search: nil)),
                .messages(.getChat(chat: chat, contentTag: nil, pagination: .initial(count: 1), search: nil)),
            ]
        }
    }
}

extension ItemsModel.Page {
    func pagination(_ count: Int) -> ChatPagination {
        switch self {
        case .last: .last(count: count)
        case .before(let id): .before(chatItemId: id, count: count)
        case .after(let id): .after(chatItemId: id, count: count)
        case .around(let id): .around(chatItemId: id, count: count)
        case .initial: .initial(count: count)
        }
    }

    /// The item next to which the page is.
    var anchor: Int64? {
        switch self {
        case .before(let id), .after(let id), .around(let id): id
        case .last, .initial: nil
        }
    }
}
