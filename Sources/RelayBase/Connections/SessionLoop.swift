package import NIOCore

/// The sessions of one event loop.
package protocol SessionLoop: Sendable {
    var eventLoop: any EventLoop { get }
    /// Ends the sessions that were idle since `limit`. Called on the event loop.
    func closeIdleSessions(before limit: Int64)
    /// Ends all sessions. Called on the event loop.
    func closeAllSessions()
    /// Wakes the sessions that wait for a commit of the log. Called on any thread.
    func didCommit()
}
