package import Concurrency

/// Figures about the locks and queues for which the work of a store waits. Chats have no locks: each change is one
/// transaction, and the transactions of a database run one after another.
package struct WaitReport: Sendable {
    /// Figures of the writes and reads of a database.
    package typealias DatabaseFigures = (writes: WaitFigures, reads: WaitFigures)

    /// Figures of the lock for starts and stops of the chat, and for operations that close the databases.
    package let lifecycleLock: WaitFigures
    package let runningCommandCount: Int
    package let chatDatabase: DatabaseFigures
    package let agentDatabase: DatabaseFigures
}
