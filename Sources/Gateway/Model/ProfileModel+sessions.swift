internal import ChatAPI
internal import ChatModel

extension ProfileModel {
    func openSession() throws(ProblemDetails) -> ClientSession {
        touch()
        expire()
        guard sessions.count < settings.sessionLimit else {
            var problem = ProblemDetails(
                .tooManyRequests,
                "The profile has \(settings.sessionLimit) sessions, which is the limit: end a session first."
            )
            problem.headers = [("Retry-After", "60")]
            throw problem
        }
        let session = ClientSession(
            userId: userId,
            heartbeatSeconds: settings.heartbeatSeconds,
            encoder: settings.encoder
        )
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
        guard let session = sessions.removeValue(forKey: id) else {
            throw ProblemDetails(.notFound, "There is no such session, or it has ended.")
        }
        session.feed.hub.stop()
    }

    /// Checks the limit for the contents of all sessions. Called before a session loads something.
    func checkRoom() throws(ProblemDetails) {
        expire()
        guard sessions.values.reduce(0, { $0 + $1.model.size }) < settings.sessionContents else {
            var problem = ProblemDetails(
                .tooManyRequests,
                "The sessions of the profile hold \(settings.sessionContents) items and members, which is the limit: close chats that nobody reads."
            )
            problem.headers = [("Retry-After", "60")]
            throw problem
        }
    }

    /// Sets the filter of a session's chat list. A tag in the filter must exist.
    func setFilter(_ filter: ActiveFilter, in id: String) throws(ProblemDetails) -> ClientSession {
        var filter = filter
        if case .userTag(let tag) = filter {
            guard let known = model.tags.userTags.first(where: { $0.chatTagId == tag.chatTagId }) else {
                _ = try session(id)
                throw ProblemDetails(.notFound, "There is no such tag.")
            }
            filter = .userTag(known)
        }
        return try change(id) { [filter] in $0.activeFilter = filter }
    }

    /// Changes a session and publishes the change at once.
    func change(_ id: String, _ body: @Sendable (inout SessionModel) -> Void) throws(ProblemDetails) -> ClientSession {
        _ = try session(id)
        sessions[id]?.change(body)
        return try session(id)
    }
}
