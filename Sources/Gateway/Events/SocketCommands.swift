internal import ChatAPI
internal import NIOCore

/// The unfinished commands of one client. A command is finished when its answer has been written to the socket. If a
/// client does not read, the gateway keeps only a bounded number of answers: it reads further commands only after the
/// client has read these answers.
struct SocketCommands {
    enum Request: Sendable {
        case command(id: String, ChatCommand)
        /// A message that is refused, with its answer. The message is not a valid command, or the client sends too many
        /// messages.
        case refusedMessage(id: String?, answer: [UInt8])
    }

    /// Maximal number of unfinished commands of one client. The number is large, since commands that wait for a relay
    /// must not delay other commands.
    static let maxUnfinishedCommands = 64
    /// Number of bytes of unsent answers above which no command is started. An answer with a hundred messages has about
    /// this size.
    static let maxUnsentBytes = 1024 * 1024
    /// Maximal number of simultaneous commands of one client that only read data. Their answers may be large. A client
    /// can have `maxUnsentBytes` bytes of unsent answers, and in addition one answer of each reading command. The
    /// database runs the same number of reads at the same time.
    static let maxRunningReads = 2

    /// Commands that were received but not started. Nothing is read from the socket until this buffer is empty. So the
    /// buffer contains at most the commands from one read of the socket, and one command more.
    private var waitingRequests = CircularBuffer<Request>()
    private(set) var unfinishedCommandCount = 0
    private(set) var unsentBytes = 0
    private var runningReadCount = 0
    private var isStartingCommands = false
    private var hasRefusedReading = false

    private var hasRoomForCommand: Bool {
        unfinishedCommandCount < SocketCommands.maxUnfinishedCommands && unsentBytes < SocketCommands.maxUnsentBytes
    }

    mutating func addRequest(_ request: Request) { waitingRequests.append(request) }

    /// Drops the commands that were not started, after the client has disconnected.
    mutating func dropWaitingRequests() { waitingRequests.removeAll(keepingCapacity: false) }

    /// Reserves the start of commands for the caller, who then calls `takeNext` until the result is nil.
    /// - Returns: false while another caller starts commands.
    mutating func beginStarting() -> Bool {
        guard !isStartingCommands else { return false }
        isStartingCommands = true
        return true
    }

    /// Returns the next command to start; nil when no command can be started now.
    mutating func takeNext() -> Request? {
        guard hasRoomForCommand, let request = waitingRequests.first,
            !request.isReadOnly || runningReadCount < SocketCommands.maxRunningReads
        else {
            isStartingCommands = false
            return nil
        }
        waitingRequests.removeFirst()
        if request.isReadOnly { runningReadCount += 1 }
        unfinishedCommandCount += 1
        return request
    }

    /// Counts an answer of `bytes` bytes as unsent, when its writing begins.
    mutating func recordAnswer(_ bytes: Int, isRead: Bool) {
        unsentBytes += bytes
        if isRead { runningReadCount -= 1 }
    }

    /// Counts an answer of `bytes` bytes as sent, after it was written to the socket. Its command is then finished.
    mutating func recordWrittenAnswer(_ bytes: Int) {
        unsentBytes -= bytes
        unfinishedCommandCount -= 1
    }

    /// Returns whether the connection may read more from the client.
    mutating func canReadMore() -> Bool {
        hasRefusedReading = !(hasRoomForCommand && waitingRequests.isEmpty)
        return !hasRefusedReading
    }

    /// Returns whether reading can resume after it was refused.
    mutating func canResumeReading() -> Bool { hasRefusedReading && canReadMore() }
}

extension SocketCommands.Request {
    var isReadOnly: Bool {
        guard case .command(_, let command) = self else { return false }
        return command.isReadOnly
    }
}
