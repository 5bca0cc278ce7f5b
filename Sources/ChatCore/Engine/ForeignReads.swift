internal import Synchronization

/// The running reads of databases from archives and copies, which another thread can end.
package final class ForeignReads: Sendable {
    private struct State {
        var isEnded = false
        var endRead: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    package init() {}

    /// Ends running reads, and prevents later reads until ``allowReads()``.
    package func endReads() {
        let end = state.withLock { state in
            state.isEnded = true
            return state.endRead
        }
        end?()
    }

    /// Allows reads of databases again, after ``endReads()``.
    package func allowReads() { state.withLock { $0.isEnded = false } }

    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Registers a read.
    /// - Parameter end: ends the read. `end` is called immediately if reads are not allowed.
    func registerRead(_ end: @escaping @Sendable () -> Void) {
        let isEnded = state.withLock { state in
            state.endRead = end
            return state.isEnded
        }
        if isEnded { end() }
    }

    /// Removes the registered read after its end.
    func removeRead() { state.withLock { $0.endRead = nil } }
}
