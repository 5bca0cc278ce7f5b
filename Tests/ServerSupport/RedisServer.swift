import Foundation

/// A new Redis server for a test. It has a separate folder, and listens only on a socket in this folder. It answers a
/// write after the write is on the disk.
package final class RedisServer: Sendable {
    package struct ServerFailure: Error, CustomStringConvertible {
        package let description: String
    }

    private static let program = "/usr/bin/redis-server"
    private static let client = "/usr/bin/redis-cli"
    /// Folders that may contain the library hiredis.
    private static let libraryFolders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"]

    /// Whether the server can run.
    package static var isProgramInstalled: Bool {
        [program, client].allSatisfy(FileManager.default.isExecutableFile)
    }

    /// Whether the server can run, and the gateway can use it.
    package static var isInstalled: Bool {
        isProgramInstalled
            && libraryFolders.contains { folder in
                (try? FileManager.default.contentsOfDirectory(atPath: folder))?.contains {
                    $0.hasPrefix("libhiredis.so.")
                } ?? false
            }
    }

    private let folder: String
    private let password: String?
    package var socket: String { folder + "/redis.sock" }
    package var url: String { "unix://" + (password.map { ":\($0)@" } ?? "") + socket }

    package init(password: String? = nil) throws {
        // A socket allows only a short path, so the name of the folder is short.
        var template = Array("\(NSTemporaryDirectory())sxgw-redis-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ServerFailure(description: "no folder for Redis") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.password = password
        do { try start() } catch {
            remove()
            throw error
        }
    }

    package func start() throws {
        let secret = password.map { " --requirepass \($0)" } ?? ""
        try run(
            "\(Self.program) --port 0 --unixsocket \(socket) --dir \(folder) --save '' --appendonly yes --appendfsync always --daemonize yes "
                + "--pidfile \(folder)/pid --logfile \(folder)/log\(secret) >/dev/null 2>&1"
        )
        for _ in 0..<600 {
            if (try? runCommand("PING")) == "PONG" { return }
            usleep(50_000)
        }
        throw ServerFailure(description: "Redis does not answer")
    }

    /// Returns the answer to a command, as `redis-cli` prints it without a terminal. The words of the command must not
    /// contain quotes or blanks.
    @discardableResult
    package func runCommand(_ text: String) throws -> String {
        let secret = password.map { " --no-auth-warning -a \($0)" } ?? ""
        try run("\(Self.client) -s \(socket)\(secret) --raw \(text) >\(folder)/answer 2>&1 </dev/null")
        return try String(contentsOfFile: folder + "/answer", encoding: .utf8).trimmingCharacters(in: .newlines)
    }

    private var processID: Int32? {
        (try? String(contentsOfFile: folder + "/pid", encoding: .utf8)).flatMap {
            Int32($0.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    package func signal(_ number: Int32) {
        if let processID { kill(processID, number) }
    }

    /// Kills the process as a power failure would, and returns when it has ended.
    package func killAndWait() {
        guard let processID else { return }
        kill(processID, SIGKILL)
        while kill(processID, 0) == 0,
            (try? String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8))?.contains(") Z ") == false
        { usleep(5_000) }
        try? FileManager.default.removeItem(atPath: folder + "/pid")
    }

    package func remove() {
        signal(SIGCONT)
        killAndWait()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func run(_ command: String) throws { try Shell.run("cd / && exec " + command) }
}
