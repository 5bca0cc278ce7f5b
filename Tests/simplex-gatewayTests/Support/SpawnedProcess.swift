import Foundation
import Glibc
import TestSupport

/// A child process with pipes for its outputs. Its signals are set as by a shell, whatever signals the starting thread
/// blocks. It inherits no descriptor of another child, which would keep the other child's pipes open.
struct SpawnedProcess: Sendable {
    let processID: Int32
    let outputDescriptor: Int32
    let errorDescriptor: Int32

    init(_ executable: String, _ arguments: [String], _ environment: [String: String]) throws {
        self = try Spawning.runAlone { try SpawnedProcess(starting: executable, arguments, environment) }
    }

    private init(starting executable: String, _ arguments: [String], _ environment: [String: String]) throws {
        let (output, errors) = (try Self.makePipe(), try Self.makePipe())
        defer {
            close(output.write)
            close(errors.write)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output.write, 1)
        posix_spawn_file_actions_adddup2(&actions, errors.write, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var texts = ([executable] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in texts + variables { free(text) } }
        Self.setCloseOnExec()
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, executable, &actions, &attributes, &texts, &variables)
        guard code == 0 else {
            close(output.read)
            close(errors.read)
            throw Program.UnexpectedOutput(description: "\(executable): \(String(cString: strerror(code)))")
        }
        self.processID = identifier
        self.outputDescriptor = output.read
        self.errorDescriptor = errors.read
    }

    /// Prevents a child from inheriting sockets of servers of other tests, whose ports it would keep in use.
    private static func setCloseOnExec() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
            if let descriptor = Int32(name), descriptor > 2 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        }
    }

    private static func makePipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else {
            throw Program.UnexpectedOutput(description: String(cString: strerror(errno)))
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Returns the exit code, or 1000 plus the number of the signal that ended the process. Blocks, and may be called
    /// only once.
    func waitForEnd() -> Int32 {
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0 {
            guard errno == EINTR else { return -1 }
        }
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 1000 + signal
    }
}
