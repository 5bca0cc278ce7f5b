import Synchronization

/// Maps each `chat_ctrl` of the C interface to its core. A `chat_ctrl` is a number in the form of a pointer. So this
/// library detects an invalid `chat_ctrl`, and never dereferences it.
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
