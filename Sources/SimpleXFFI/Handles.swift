import Synchronization

/// The cores that callers have opened. A `chat_ctrl` is a number in the form of a pointer. An invalid `chat_ctrl` is
/// detected and never dereferenced.
enum Handles {
    private struct State {
        var latest: UInt = 0
        var handles: [UInt: ChatHandle] = [:]
    }
    private static let state = Mutex(State())

    static func add(_ handle: ChatHandle) -> UnsafeMutableRawPointer? {
        state.withLock { state in
            state.latest += 1
            state.handles[state.latest] = handle
            return UnsafeMutableRawPointer(bitPattern: state.latest)
        }
    }

    static func find(_ pointer: UnsafeMutableRawPointer?) -> ChatHandle? {
        state.withLock { $0.handles[UInt(bitPattern: pointer)] }
    }
}
