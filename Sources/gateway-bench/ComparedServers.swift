import ComparedProtocols
import Foundation
import NIOCore
import ServerSupport

/// A server of another project with which the gateway is compared. It runs until `stop()`.
protocol ComparedServer {
    var address: SocketAddress { get }
    func stop()
}

/// A server that stores the payloads of clients. It has the settings with which it loses the least data when the power
/// fails.
enum ComparedStorage: CaseIterable {
    case redis, postgres, nats, mosquitto

    /// The name of the server, and its setting that decides when data are on the disk.
    var title: String {
        switch self {
        case .redis: "Redis, appendfsync always"
        case .postgres: "PostgreSQL, fsync on"
        case .nats: "NATS JetStream, sync_interval always"
        case .mosquitto: "mosquitto, QoS 1"
        }
    }

    /// A text that says which program is missing on this machine; nil if the server can be started.
    var missingProgram: String? {
        switch self {
        case .redis: RedisServer.isProgramInstalled ? nil : "redis-server: not found; install redis-server"
        case .postgres: PostgresServer.isInstalled ? nil : "postgres: not found; install postgresql"
        case .nats:
            InstalledProgram.findPath(of: "nats-server") == nil
                ? "nats-server: not found; install nats-server 2.10 or later" : nil
        case .mosquitto:
            InstalledProgram.findPath(of: "mosquitto") == nil ? "mosquitto: not found; install mosquitto" : nil
        }
    }

    func makeProtocol(client: Int) -> any RequestProtocol {
        switch self {
        case .redis: RedisProtocol()
        case .postgres: PostgresProtocol(user: PostgresServer.user, database: PostgresServer.database)
        case .nats: NATSProtocol(clientID: client)
        case .mosquitto: MQTTProtocol(clientID: client)
        }
    }

    /// Starts the server with new data in `folder`, or in the folder of temporary files.
    func startServer(in folder: String) throws -> any ComparedServer {
        switch self {
        case .redis: return try ComparedRedis()
        case .postgres: return try ComparedPostgres()
        case .nats:
            // Version 2.9 of the server does not know `sync_interval`. It ends, and its log gives this reason.
            // `ping_interval` is so long that the server sends no PING to a client during a measurement.
            return try ConfiguredServer("nats-server", in: folder + "/nats", arguments: { ["-c", $0] }) {
                folder,
                port in
                """
                host: "127.0.0.1"
                port: \(port)
                ping_interval: "1h"
                jetstream {
                    store_dir: "\(folder)/data"
                    sync_interval: always
                }
                """
            }
        case .mosquitto:
            // Mosquitto acknowledges a message before the message is on the disk. It saves all messages at most once a
            // second.
            return try ConfiguredServer("mosquitto", in: folder + "/mosquitto", arguments: { ["-c", $0] }) {
                folder,
                port in
                """
                listener \(port) 127.0.0.1
                allow_anonymous true
                user \(NSUserName())
                log_type error
                persistence true
                persistence_location \(folder)/
                autosave_on_changes true
                autosave_interval 1
                """
            }
        }
    }
}

/// The web server nginx with one file. The file has the bytes that the gateway answers to the compared request.
enum ComparedNginx {
    static let path = "/body"

    static var missingProgram: String? {
        InstalledProgram.findPath(of: "nginx") == nil ? "nginx: not found; install nginx" : nil
    }

    static func startServer(in folder: String, body: [UInt8]) throws -> ConfiguredServer {
        let folder = folder + "/nginx"
        try FileManager.default.createDirectory(atPath: folder + "/pages", withIntermediateDirectories: true)
        try Data(body).write(to: URL(fileURLWithPath: folder + "/pages" + path))
        // If nginx is started as root, its workers run as another user who cannot read the folder. So the configuration
        // names this user.
        let user = getuid() == 0 ? "user \(NSUserName());" : ""
        return try ConfiguredServer("nginx", in: folder, arguments: { ["-p", folder, "-c", $0, "-e", "stderr"] }) {
            folder,
            port in
            """
            \(user)
            daemon off;
            worker_processes 2;
            pid \(folder)/pid;
            error_log stderr warn;
            events { worker_connections 64; }
            http {
                access_log off;
                keepalive_requests 1000000000;
                client_body_temp_path \(folder)/client;
                proxy_temp_path \(folder)/proxy;
                fastcgi_temp_path \(folder)/fastcgi;
                uwsgi_temp_path \(folder)/uwsgi;
                scgi_temp_path \(folder)/scgi;
                server { listen 127.0.0.1:\(port); root \(folder)/pages; }
            }
            """
        }
    }
}

/// A server that is started with a configuration file, and listens on a free port of this machine.
final class ConfiguredServer: ComparedServer {
    let port: Int
    let address: SocketAddress
    private let process: MeasuredProcess
    private let log: String

    /// Writes the configuration file, and starts the server with it.
    /// - Parameters:
    ///   - folder: the folder of the server's files.
    ///   - arguments: returns the arguments of the program for the path of a configuration file.
    ///   - configuration: returns the text of the configuration for a folder and a port.
    init(
        _ program: String,
        in folder: String,
        arguments: (String) -> [String],
        _ configuration: (String, Int) -> String
    ) throws {
        struct NotInstalled: Error {}
        guard let path = InstalledProgram.findPath(of: program) else { throw NotInstalled() }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        port = try FreePort.takeNext()
        address = try SocketAddress(ipAddress: "127.0.0.1", port: port)
        let file = folder + "/configuration"
        try (configuration(folder, port) + "\n").write(toFile: file, atomically: true, encoding: .utf8)
        log = folder + "/log"
        process = try MeasuredProcess(path, arguments(file), log: log)
    }

    /// Checks whether the server is still running.
    /// - Throws: when the server has ended, with the end of its log.
    func checkRunning() throws { try process.checkRunning(log: log) }

    func stop() { process.terminateProcess() }
}

/// The server Redis, listening on a Unix socket that no other user of the machine can reach.
private final class ComparedRedis: ComparedServer {
    private let server: RedisServer
    let address: SocketAddress

    init() throws {
        server = try RedisServer()
        do { address = try SocketAddress(unixDomainSocketPath: server.socket) } catch {
            server.remove()
            throw error
        }
    }

    func stop() { server.remove() }
}

/// The server PostgreSQL, listening on a Unix socket that no other user of the machine can reach. So the server needs
/// no password.
private final class ComparedPostgres: ComparedServer {
    private let server: PostgresServer
    let address: SocketAddress

    init() throws {
        server = try PostgresServer(isDurable: true)
        do { address = try SocketAddress(unixDomainSocketPath: server.socket) } catch {
            server.remove()
            throw error
        }
    }

    func stop() { server.remove() }
}

/// Finds programs that are installed on this machine.
enum InstalledProgram {
    /// Folders of server programs, which are often missing in `PATH` for users other than root.
    private static let serverFolders = ["/usr/local/sbin", "/usr/sbin"]

    /// Returns the path of an executable file in the folders of `PATH` and of server programs; nil if there is none.
    static func findPath(of name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return (path.split(separator: ":").map(String.init) + serverFolders).map { $0 + "/" + name }
            .first(where: FileManager.default.isExecutableFile)
    }
}
