internal import Synchronization

/// The running reads of databases from archives and copies, which another thread can end.
package final class ForeignReads: Sendable {
    private struct State {
        var isEnded = false
        /// The functions that end the running reads.
        var endFunctions: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Ends all running reads, and prevents later reads until ``allowReads()``.
    package func endReads() {
        let endFunctions = state.withLock { state in
            state.isEnded = true
            return Array(state.endFunctions.values)
        }
        for end in endFunctions { end() }
    }

    /// Allows reads of databases again, after ``endReads()``.
    package func allowReads() { state.withLock { $0.isEnded = false } }

    var isEnded: Bool { state.withLock { $0.isEnded } }

    fileprivate func registerRead(_ read: ForeignRead, _ end: @escaping @Sendable () -> Void) {
        let isEnded = state.withLock { state in
            state.endFunctions[ObjectIdentifier(read)] = end
            return state.isEnded
        }
        if isEnded { end() }
    }

    fileprivate func removeRead(_ read: ForeignRead) {
        state.withLock { $0.endFunctions[ObjectIdentifier(read)] = nil }
    }
}

/// A running read of a database. The caller must call ``finish()`` after the read.
final class ForeignRead: Sendable {
    private let reads: ForeignReads

    init(in reads: ForeignReads) { self.reads = reads }

    /// Sets the function that ends the read from another thread. The function is called immediately if reads are not
    /// allowed.
    func setEndFunction(_ end: @escaping @Sendable () -> Void) { reads.registerRead(self, end) }

    func finish() { reads.removeRead(self) }
}
