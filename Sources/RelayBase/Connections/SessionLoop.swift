package import NIOCore

/// The sessions of a relay on one event loop.
package protocol SessionLoop: Sendable {
    var eventLoop: any EventLoop { get }
    /// Closes the sessions that were idle since `limit`, in seconds since 1970. The caller is on the event loop.
    func closeIdleSessions(before limit: Int64)
    /// Closes all sessions. The caller is on the event loop.
    func closeAllSessions()
    /// Wakes the sessions that wait for a commit of the log. It may be called from any thread.
    func didCommit()
}
