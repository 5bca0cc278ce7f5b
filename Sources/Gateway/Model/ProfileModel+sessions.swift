internal import Clocks
internal import ChatAPI
internal import ChatModel

extension ProfileModel {
    func openSession() throws(ProblemDetails) -> ClientSession {
        recordUse()
        endExpiredSessions()
        guard sessions.count < settings.maxSessions else {
            var problem = ProblemDetails(
                .tooManyRequests,
                "The profile has \(settings.maxSessions) sessions, which is the limit: end a session first."
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

    func requireSession(_ id: String) throws(ProblemDetails) -> ClientSession {
        recordUse()
        endExpiredSessions()
        guard sessions[id] != nil else { throw ProblemDetails(.notFound, "There is no such session, or it has ended.") }
        applyInbox()
        sessions[id]?.lastUsedMicroseconds = MonotonicClock.microseconds()
        sessions[id]?.publishChanges(cursor: cursor)
        guard let session = sessions[id] else { throw ProblemDetails(.notFound) }
        return session
    }

    func listSessions() -> [ClientSession] {
        recordUse()
        endExpiredSessions()
        return sessions.values.sorted { $0.openedMicroseconds < $1.openedMicroseconds }
    }

    func closeSession(_ id: String) throws(ProblemDetails) {
        endExpiredSessions()
        guard let session = sessions.removeValue(forKey: id) else {
            throw ProblemDetails(.notFound, "There is no such session, or it has ended.")
        }
        session.feed.hub.stop()
    }

    /// Throws a problem if the items and members in all sessions of the profile have reached their limit. Called before
    /// a session loads items or members.
    func checkContentsLimit() throws(ProblemDetails) {
        endExpiredSessions()
        guard sessions.values.reduce(0, { $0 + $1.model.loadedItemAndMemberCount }) < settings.maxSessionItemsAndMembers
        else {
            var problem = ProblemDetails(
                .tooManyRequests,
                "The sessions of the profile hold \(settings.maxSessionItemsAndMembers) items and members, which is the limit: close chats that nobody reads."
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
                _ = try requireSession(id)
                throw ProblemDetails(.notFound, "There is no such tag.")
            }
            filter = .userTag(known)
        }
        return try changeSession(id) { [filter] in $0.activeFilter = filter }
    }

    /// Changes a session and publishes the change at once.
    func changeSession(
        _ id: String,
        _ body: @Sendable (inout SessionModel) -> Void
    ) throws(ProblemDetails) -> ClientSession {
        _ = try requireSession(id)
        sessions[id]?.changeModel(body)
        return try requireSession(id)
    }
}
