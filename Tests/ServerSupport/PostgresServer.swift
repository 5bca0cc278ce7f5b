import Foundation
import Synchronization

/// A new PostgreSQL server for a test or a measurement. It has a separate folder, and listens only on a socket in this
/// folder.
package final class PostgresServer: Sendable {
    package static let user = "sxgw"
    package static let database = "postgres"

    package let connectionString: String
    private let folder: String
    private let isDurable: Bool
    private let programFolder: String

    package struct ServerFailure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The folder of the server's programs; nil if they are not installed.
    package static let programFolder: String? = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        return versions.sorted().reversed().map { "/usr/lib/postgresql/\($0)/bin" }.first {
            FileManager.default.isExecutableFile(atPath: $0 + "/initdb")
        }
    }()

    package static var isInstalled: Bool { programFolder != nil }

    package var socket: String { folder + "/.s.PGSQL.5432" }

    /// Creates and starts a server.
    /// - Parameter isDurable: whether each transaction is on the disk before its answer.
    package init(isDurable: Bool = false) throws {
        self.isDurable = isDurable
        guard let programs = Self.programFolder else { throw ServerFailure(description: "PostgreSQL is not installed") }
        self.programFolder = programs
        folder = try Self.makeFolder()
        connectionString = "host=\(folder) user=\(Self.user) dbname=\(Self.database)"
        try Self.cluster.withLock { cluster throws in
            if let cluster {
                try run("cp -a \(cluster)/data \(folder)/data 2>\(folder)/init")
            } else {
                try run(
                    "initdb -D \(folder)/data -U sxgw --auth=trust --no-sync --no-instructions -E UTF8 --locale=C >\(folder)/init 2>&1"
                )
                let copy = try Self.makeFolder()
                atexit { PostgresServer.removeCluster() }
                try run("cp -a \(folder)/data \(copy)/data 2>\(folder)/init")
                cluster = copy
            }
        }
        do { try start() } catch {
            remove()
            throw error
        }
    }

    /// A folder with the files of a server before its first start; nil before the first server. Copying the files takes
    /// a tenth of the time of making them.
    private static let cluster = Mutex<String?>(nil)

    private static func removeCluster() {
        cluster.withLock { cluster in
            if let cluster { try? FileManager.default.removeItem(atPath: cluster) }
        }
    }

    /// Makes a folder that belongs to the user who runs the server.
    private static func makeFolder() throws -> String {
        // A socket allows only a short path, so the name of the folder is short.
        var template = Array("\(NSTemporaryDirectory())sxgw-pg-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ServerFailure(description: "no folder for PostgreSQL") }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if getuid() == 0 { _ = chown(folder, 65_534, 65_534) }
        return folder
    }

    package func start() throws {
        try run(
            "pg_ctl -D \(folder)/data -s -w -t 60 -l \(folder)/log -o \"-c listen_addresses='' -k \(folder) -c fsync=\(isDurable ? "on" : "off")\" start >/dev/null 2>&1"
        )
    }

    package func stop() throws { try run("pg_ctl -D \(folder)/data -s -w -m immediate stop >/dev/null 2>&1") }

    package func runSQL(_ text: String) throws {
        try run(
            "psql -q -X -v ON_ERROR_STOP=1 -h \(folder) -U sxgw -d postgres -c \"\(text)\" >/dev/null 2>\(folder)/psql"
        )
    }

    /// Runs a query that returns one value, and returns this value as text.
    package func queryValue(_ text: String) throws -> String {
        try run(
            "psql -q -X -t -A -v ON_ERROR_STOP=1 -h \(folder) -U sxgw -d postgres -c \"\(text)\" >\(folder)/psql 2>&1"
        )
        return try String(contentsOfFile: folder + "/psql", encoding: .utf8).trimmingCharacters(
            in: .whitespacesAndNewlines
        )
    }

    /// Sends a signal to all processes of the server. SIGSTOP stops the server, and SIGCONT continues it.
    package func signal(_ number: Int32) {
        guard let text = try? String(contentsOfFile: folder + "/data/postmaster.pid", encoding: .utf8),
            let main = text.split(separator: "\n").first.flatMap({ Int32($0) })
        else { return }
        kill(main, number)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
            guard let process = Int32(name),
                let status = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
                let fields = status.split(separator: ")").last?.split(separator: " "), fields.count > 1,
                Int32(fields[1]) == main
            else { continue }
            kill(process, number)
        }
    }

    package func remove() {
        signal(SIGCONT)
        try? stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Runs a program of PostgreSQL. These programs refuse to run as root, so a test that runs as root starts them as
    /// another user.
    private func run(_ command: String) throws {
        let place = "cd / && PATH=\(programFolder):/usr/bin:/bin exec "
        let prefix = getuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups " : ""
        do { try Shell.run(place + prefix + command) } catch {
            let log = (try? String(contentsOfFile: folder + "/init", encoding: .utf8)) ?? ""
            throw ServerFailure(description: "\(error): \(log.suffix(1000))")
        }
    }
}
