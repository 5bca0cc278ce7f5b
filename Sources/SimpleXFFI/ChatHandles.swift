import Synchronization

/// The cores that callers have opened. A `chat_ctrl` is a number in the form of a pointer. An invalid `chat_ctrl` is
/// detected and never dereferenced.
enum ChatHandles {
    private struct State {
        var latestNumber: UInt = 0
        var handles: [UInt: ChatHandle] = [:]
    }
    private static let state = Mutex(State())

    static func addHandle(_ handle: ChatHandle) -> UnsafeMutableRawPointer? {
        state.withLock { state in
            state.latestNumber += 1
            state.handles[state.latestNumber] = handle
            return UnsafeMutableRawPointer(bitPattern: state.latestNumber)
        }
    }

    static func findHandle(_ pointer: UnsafeMutableRawPointer?) -> ChatHandle? {
        state.withLock { $0.handles[UInt(bitPattern: pointer)] }
    }
}
