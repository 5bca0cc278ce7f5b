internal import NIOCore

/// The commands of one client that are not done: a command is done when its answer has been written to the socket. So a client that does not read
/// makes the gateway keep a bounded number of answers, and is not read from before it has taken them.
struct SocketCommands {
    enum Request: Sendable {
        case command(id: String, text: String)
        /// A message that is no command; it is answered too.
        case invalid
    }

    /// Commands of one client that run or whose answers have not left. Many are for commands that wait for a relay, which keep others from nothing.
    static let limit = 64
    /// Bytes of answers that have not left, from which on no other command is started: about one answer with a hundred messages.
    static let answerLimit = 1024 * 1024

    /// What was read together with others and has no room yet. It is at most what one read and one message hold, since no more is read before it is empty.
    private var waiting = CircularBuffer<Request>()
    private(set) var undone = 0
    private(set) var unsentBytes = 0
    private var isStarting = false
    private var refusedMore = false

    private var hasRoom: Bool { undone < SocketCommands.limit && unsentBytes < SocketCommands.answerLimit }

    mutating func add(_ request: Request) { waiting.append(request) }

    /// Forgets what was not started: the client has gone.
    mutating func drop() { waiting.removeAll(keepingCapacity: false) }

    /// Makes the caller the one who starts commands, unless somebody is. He asks `next` until there is none.
    mutating func beginStarting() -> Bool {
        guard !isStarting else { return false }
        isStarting = true
        return true
    }

    /// The next command to start.
    mutating func next() -> Request? {
        guard hasRoom, let request = waiting.popFirst() else {
            isStarting = false
            return nil
        }
        undone += 1
        return request
    }

    /// A command has an answer of so many bytes, which is being written.
    mutating func answered(_ bytes: Int) { unsentBytes += bytes }

    /// The answer of a command has left.
    mutating func left(_ bytes: Int) {
        unsentBytes -= bytes
        undone -= 1
    }

    /// Whether more is to be read from the client.
    mutating func takesMore() -> Bool {
        refusedMore = !(hasRoom && waiting.isEmpty)
        return !refusedMore
    }

    /// Whether to read on, which was refused before.
    mutating func resumes() -> Bool { refusedMore && takesMore() }
}
