import CForeignData
import Files
import Glibc
import Synchronization

/// A running process that reads a foreign database (``ForeignReader``). It is killed when this object is released.
final class ReaderProcess: Sendable {
    private enum State {
        case running(pid_t)
        /// The reader has ended. The value is its status from `waitpid(2)`; nil if the status is unknown.
        case ended(Int32?)
    }

    private let state: Mutex<State>
    private let isCancelled = Atomic(false)
    /// The descriptor from which the reader's output is read.
    let outputDescriptor: Int32

    /// Starts the reader.
    /// - Parameters:
    ///   - file: the database.
    ///   - request: the request, which is sent to the reader immediately.
    init(_ program: ReaderProgram, file: borrowing OpenFile, request: [UInt8]) throws(ForeignDataError) {
        guard let path = program.path else {
            throw .noReader("the folder of this program contains neither foreign-reader nor simplex-gateway")
        }
        var question: (Int32, Int32) = (-1, -1), answer: (Int32, Int32) = (-1, -1)
        defer { for descriptor in [question.0, question.1, answer.1] where descriptor >= 0 { close(descriptor) } }
        question = try Self.makeSocketPair()
        answer = try Self.makeSocketPair()
        do throws(ForeignDataError) {
            let process = try Self.spawnReader(
                path,
                program.arguments,
                input: question.1,
                output: answer.1,
                file: file.descriptor
            )
            state = Mutex(.running(process))
            outputDescriptor = answer.0
        } catch {
            close(answer.0)
            throw error
        }
        // This process closes its descriptor of the reader's socket now. Otherwise, sending to a reader that has ended
        // would wait forever when the socket is full.
        close(question.1)
        question.1 = -1
        try Self.sendRequest(request, to: question.0)
    }

    /// Sends the request. It is no error if the reader has ended already: reading the answer then shows why it has
    /// ended.
    private static func sendRequest(_ request: [UInt8], to descriptor: Int32) throws(ForeignDataError) {
        var rest = request[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EPIPE || errno == ECONNRESET { return }
            guard count > 0 else { throw noReaderError() }
            rest = rest.dropFirst(count)
        }
    }

    deinit {
        _ = endProcess()
        close(outputDescriptor)
    }

    /// Ends the reader if it still runs.
    /// - Returns: the signal that had ended the reader before this call; nil for none.
    func endProcess() -> Int32? {
        let status = state.withLock { state -> Int32? in
            guard case .running(let process) = state else {
                if case .ended(let status) = state { return status }
                return nil
            }
            // A reader that has ended already is not killed. Its process id stays reserved until `waitpid`.
            var status: Int32 = 0
            var found = waitpid(process, &status, WNOHANG)
            let wasRunning = found == 0
            if wasRunning {
                kill(process, SIGKILL)
                repeat { found = waitpid(process, &status, 0) } while found < 0 && errno == EINTR
            }
            state = .ended(found == process && !wasRunning ? status : nil)
            return found == process && !wasRunning ? status : nil
        }
        guard let status, status & 0x7f != 0 else { return nil }
        return status & 0x7f
    }

    /// Waits for a reader that has closed its answer and is about to end.
    func waitForEnd() {
        state.withLock { state in
            guard case .running(let process) = state else { return }
            var status: Int32 = 0
            var found: pid_t
            repeat { found = waitpid(process, &status, 0) } while found < 0 && errno == EINTR
            state = .ended(found == process ? status : nil)
        }
    }

    /// Ends the reader from another thread. The thread that reads the answer then finds the end of the answer.
    func cancelReading() {
        isCancelled.store(true, ordering: .relaxed)
        state.withLock { if case .running(let process) = $0 { kill(process, SIGKILL) } }
    }

    var wasCancelled: Bool { isCancelled.load(ordering: .relaxed) }

    private static func makeSocketPair() throws(ForeignDataError) -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw noReaderError() }
        return (ends[0], ends[1])
    }

    private static func noReaderError() -> ForeignDataError { .noReader(String(cString: strerror(errno))) }

    private static func spawnReader(
        _ path: String,
        _ arguments: [String],
        input: Int32,
        output: Int32,
        file: Int32
    ) throws(ForeignDataError) -> pid_t {
        // The descriptors are first copied to numbers above the reader's descriptors, so that no descriptor is
        // overwritten before it is copied.
        let moved = [input, output, file].map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
        defer { for descriptor in moved where descriptor >= 0 { close(descriptor) } }
        guard moved.allSatisfy({ $0 >= 0 }) else { throw noReaderError() }
        var actions = posix_spawn_file_actions_t(), attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (descriptor, target) in zip(moved, [0, 1, ForeignReader.fileDescriptor]) {
            posix_spawn_file_actions_adddup2(&actions, descriptor, target)
        }
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        sxgw_close_from(&actions, ForeignReader.fileDescriptor + 1)
        var none = sigset_t(), all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        // The reader does not get the environment of this process, which may contain secrets. The environment that the
        // reader gets turns off Swift's crash reports, because they would contain memory of the reader.
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        var environment: [UnsafeMutablePointer<CChar>?] = [strdup("SWIFT_BACKTRACE=enable=no"), nil]
        defer { for word in words + environment { free(word) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, path, &actions, &attributes, &words, &environment)
        guard code == 0 else { throw .noReader("\(path): \(String(cString: strerror(code)))") }
        return process
    }
}
