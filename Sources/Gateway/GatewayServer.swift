public import Logging
public import NIOCore
internal import Synchronization

public enum GatewayError: Error, Sendable, CustomStringConvertible {
    case http(HTTPServerError)
    case keys(KeyFileError)
    /// An address that others can reach, without TLS.
    case unsafeAddress(String)
    /// A WebSocket without a key on an address that others can reach.
    case openSocket(String)

    public var description: String {
        switch self {
        case .http(.addressInUse(let host, let port)): "\(host):\(port) is in use by another process"
        case .http(.badAddress(let host)): "\(host) is not an IP address to listen on"
        case .http(.cannotBind(let host, let port, let reason)): "cannot listen on \(host):\(port): \(reason)"
        case .http(.cannotStart): "the HTTP server does not start; check the TLS certificate and key"
        case .keys(let error): error.description
        case .unsafeAddress(let host):
            "\(host) can be reached by others: give a TLS certificate and key, or say that plain HTTP is meant"
        case .openSocket(let host): "\(host) can be reached by others: the socket at / needs a key there"
        }
    }
}

/// The gateway, running.
public final class GatewayServer: Sendable {
    public let port: Int
    /// The key file that was written because there were no keys before.
    public let createdKeyFile: String?
    private let http: HTTPServer
    private let hub: EventHub
    private let models: ModelHost
    private let watch: KeyWatch?
    private let log: Logger

    public static func start(
        _ configuration: GatewayConfiguration, core: any GatewayCore, group: any EventLoopGroup, log: Logger
    ) async throws(GatewayError) -> GatewayServer {
        guard configuration.bindsLoopback || configuration.http.tls != nil || configuration.allowsPlainRemote else {
            throw .unsafeAddress(configuration.http.host)
        }
        guard configuration.bindsLoopback || !configuration.openSocket else { throw .openSocket(configuration.http.host) }
        let (keys, created) = try openKeys(configuration.folder)
        let hub = EventHub(source: core.eventSource, heartbeatSeconds: configuration.heartbeatSeconds)
        let models = ModelHost(core: core, configuration: configuration)
        keys.onChange {
            hub.keep(keys: $0)
            models.keep(keys: $0)
        }
        let services = GatewayServices(
            configuration: configuration, core: core, keys: keys, tickets: TicketBooth(), events: hub, models: models, metrics: Metrics(), group: group)
        let service = GatewayService(
            router: Router(RouteTable.all),
            policy: HostPolicy(bound: configuration.http.host, hosts: configuration.allowedHosts, origins: configuration.allowedOrigins),
            services: services, log: log)
        let watch = try? await KeyWatch.start(folder: configuration.folder, ring: keys, group: group)
        if watch == nil { log.warning("changes of keys by other processes are seen only after a restart") }
        do throws(HTTPServerError) {
            let http = try HTTPServer.start(configuration.http, service: service, group: group)
            return GatewayServer(http: http, hub: hub, models: models, watch: watch, created: created, log: log)
        } catch {
            await watch?.stop()
            throw .http(error)
        }
    }

    private init(http: HTTPServer, hub: EventHub, models: ModelHost, watch: KeyWatch?, created: String?, log: Logger) {
        self.http = http
        self.port = http.port
        self.hub = hub
        self.models = models
        self.watch = watch
        self.createdKeyFile = created
        self.log = log
    }

    /// The first start makes the key of the administrator.
    private static func openKeys(_ folder: String) throws(GatewayError) -> (KeyRing, String?) {
        let file = KeyFile(folder: folder)
        do throws(KeyFileError) {
            var created: String?
            if try file.load().isEmpty {
                let path = "\(folder)/admin.key"
                let key = try file.add(name: "admin", scopes: .admin).key
                do throws(FileError) { try SecureFile.replace(path, with: Array((key.text + "\n").utf8)) } catch { throw .file(error) }
                created = path
            }
            return (try KeyRing(file: file), created)
        } catch {
            throw .keys(error)
        }
    }

    /// Takes no more connections, answers who waits, ends the streams, lets requests in flight finish.
    public func stop() async {
        http.quiesce()
        hub.stop()
        await models.stop()
        await watch?.stop()
        if await !http.stop() { log.warning("some connections did not end in time") }
    }
}
