import Clocks
import ArgumentParser
import Concurrency
import Files
import Gateway
import Glibc
import Logging
import NIOCore
import NIOPosix
import NTF
import Placement
import SMP
import Transport
import XFTP

/// `simplex-gateway check`: reports faults before `serve` would report them, and faults that `serve` does not notice.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the configuration, the data folder, the databases, and the connections to the relays.",
        usage: "simplex-gateway check [<options>]",
        discussion: """
            Takes the options of serve, and prints a line for each check: ok, note, or wrong. It changes nothing. Databases are checked only \
            while no gateway uses them; with several nodes, stores are checked only while no node has them open. It ends with 0 when nothing is wrong, else with the code of the first fault: 2 for the configuration, 3 for the key of a database, 4 \
            for a port that is in use, 1 for anything else.
            """
    )

    @OptionGroup var serve: Serve
    @Flag(
        help:
            "Only ask the running gateway whether it is ready, for the health check of a container. With TLS, only whether it accepts connections."
    )
    var health = false
    @Flag(help: "Do not connect to relays.")
    var offline = false

    func run() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        try await exitOnFailure {
            let settings = try Settings(file: serve.config)
            let code =
                try settings.isSet("health", health)
                ? try await checkHealth(settings, group) : await checkAll(settings, group)
            if code != 0 { throw ExitCode(code) }
        }
        try? await group.shutdownGracefully()
    }

    // MARK: The running gateway

    private func checkHealth(_ settings: Settings, _ group: any EventLoopGroup) async throws -> Int32 {
        let (host, port) = try readReachableAddress(settings)
        guard try settings.readPath("tls-certificate", serve.tlsCertificate) == nil else {
            do { try await ClientBootstrap(group: group).connect(host: host, port: port).get().close() } catch {
                throw Failure(exitCode: 1, message: "nothing accepts connections on \(host):\(port)")
            }
            return 0
        }
        _ = try await LocalGateway(address: GatewayAddress(host: host, port: port), key: "", group: group).sendRequest(
            .GET,
            "/readyz",
            within: .seconds(10)
        )
        return 0
    }

    /// Returns a host and port by which a program on this machine can reach the address on which `serve` listens.
    private func readReachableAddress(_ settings: Settings) throws -> (host: String, port: Int) {
        let host = try settings.readText("host", serve.host) ?? "127.0.0.1"
        return (
            ["0.0.0.0": "127.0.0.1", "::": "::1", "localhost": "127.0.0.1"][host] ?? host,
            try settings.readPort("port", serve.port, default: 5225)
        )
    }

    // MARK: All checks

    private func checkAll(_ settings: Settings, _ group: any EventLoopGroup) async -> Int32 {
        var report = CheckReport()
        let folder = (try? settings.readText("data", serve.data)) ?? DataFolder.findStandardPath()
        var node: NodeOptions.ConfiguredNode?
        report.runCheck("the configuration") { report in
            LogThreshold.level = try Logger.Level(named: settings.readText("log-level", serve.logLevel) ?? "notice")
            _ = try (
                LogFormat(named: settings.readText("log-format", serve.logFormat)),
                settings.readText("data", serve.data)
            )
            let configuration = try serve.readOptions(settings, folder, nil, group).configuration
            if let tls = configuration.http.tls { try checkCertificate(tls, &report) }
            node = try serve.nodes.readNode(settings, folder)
        }
        let isUsed = await checkFolder(settings, folder, &report)
        checkSecretFiles(settings, folder, &report)
        await checkBroker(settings, &report)
        await checkBucket(settings, group, &report)
        await checkCollector(settings, group, &report)
        if let node {
            await NodeCheck(node: node, dataFolder: folder, isDataFolderInUse: isUsed).runChecks(
                &report,
                isOffline: (try? settings.isSet("offline", offline)) ?? false
            )
        }
        if isUsed {
            do { _ = try await checkHealth(settings, group); report.addSuccess("the running gateway is ready") } catch {
                report.addFault("a gateway uses the data folder, but is not ready: \(error)", 1)
            }
        } else {
            await checkPorts(settings, group, &report)
        }
        do { if try !settings.isSet("offline", offline) { await checkRelays(settings, group, &report) } } catch {
            report.addFault("\(error)", 2)
        }
        return report.exitCode
    }

    private func checkCertificate(_ tls: (key: String, certificate: String), _ report: inout CheckReport) throws {
        let expires: Int64?
        do throws(GatewayError) { expires = try GatewayServer.inspectCertificate(tls: tls) } catch {
            throw Failure.configurationFailure(error.description)
        }
        guard let expires else { return }
        let left = expires - WallClock.seconds()
        let days = left / 86_400
        if left <= 0 {
            report.addFault("the TLS certificate has expired", 2)
        } else if days < 14 {
            report.addNote("the TLS certificate expires in \(countWithNoun(days, "day"))")
        } else {
            report.addSuccess("the TLS certificate is valid for \(countWithNoun(days, "day"))")
        }
    }

    /// Checks whether the ports on which `serve` will listen are free.
    private func checkPorts(_ settings: Settings, _ group: any EventLoopGroup, _ report: inout CheckReport) async {
        let places: [(name: String, host: String, port: Int)]
        do {
            places = try serve.readListeningAddresses(
                settings,
                http: (
                    settings.readText("host", serve.host) ?? "127.0.0.1",
                    settings.readPort("port", serve.port, default: 5225)
                )
            )
        } catch {
            return report.addFault((error as? Failure)?.message ?? "\(error)", 2)
        }
        for (name, host, port) in places {
            do {
                try await ServerBootstrap(group: group).serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                    .bind(host: host, port: port).get().close()
                if port != 0 { report.addSuccess("port \(port) of \(host), for \(name), is free") }
            } catch let error as IOError where error.errnoCode == EADDRINUSE {
                if name == "HTTP",
                    let unit = try? await runBlocking({ ServiceSocket.findUnit(listeningOn: host, port) })
                {
                    report.addSuccess(
                        "port \(port) of \(host), for \(name), belongs to \(unit), which starts the service"
                    )
                    continue
                }
                report.addFault("port \(port) of \(host), for \(name), is in use by another process", 4)
            } catch {
                let reason = (error as? IOError)?.reason ?? "\(error)"
                report.addFault("nothing can listen on \(host):\(port), for \(name): \(reason)", 2)
            }
        }
    }

    /// Checks whether each configured server answers with the certificate whose fingerprint is in its address. With
    /// `--servers network`, checks the servers of the public network too. Does not check the embedded relays.
    private func checkRelays(_ settings: Settings, _ group: any EventLoopGroup, _ report: inout CheckReport) async {
        guard let named = try? serve.readConfiguredServers(settings) else { return }
        let own = named.relays + named.fileServers + named.notificationServers
        let servers = own + named.presets.addresses
        let failures = await withTaskGroup(of: (Int, String?).self) { tasks in
            for (index, server) in servers.enumerated() {
                tasks.addTask { (index, await Self.checkServer(server, group)) }
            }
            return await tasks.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
        }
        for (index, server) in servers.enumerated() {
            let name =
                "\(server.scheme.rawValue)://…@\(server.hosts.first?.str ?? "")\(server.port.isEmpty ? "" : ":" + server.port)"
            guard let failure = failures[index] else {
                report.addSuccess("\(name) answers")
                continue
            }
            // A profile has several servers of the public network, so it works while one of them is unavailable. Only a
            // failure of the operator's own servers is a fault.
            if index < own.count {
                report.addFault("\(name) cannot be used: \(failure)", 1)
            } else {
                report.addNote("\(name) cannot be used: \(failure)")
            }
        }
        if !servers.isEmpty, own.isEmpty, failures.count == servers.count {
            report.addFault("none of the network's servers can be reached", 1)
        }
    }

    /// Connects to an SMP, XFTP or notification server.
    /// - Returns: the reason why the server cannot be used; nil when it can be used.
    private static func checkServer(_ server: ProtocolServer, _ group: any EventLoopGroup) async -> String? {
        var configuration = SMPClientConfiguration()
        configuration.transport.connectTimeout = .seconds(10)
        do {
            switch server.scheme {
            case .smp: _ = try await SMPSession.connect(to: server, configuration: configuration, group: group) { _ in }
            case .xftp:
                try await XFTPSession.connect(to: server, configuration: configuration.transport, group: group).close()
            case .ntf: _ = try await NTFSession.openSession(to: server, configuration: configuration, group: group)
            }
            return nil
        } catch {
            return describeError(error)
        }
    }

    private static func describeError(_ error: any Error) -> String {
        switch error {
        case let error as SMPClientError: error.brokerError.map(describeBrokerError) ?? "\(error)"
        case XFTPClientError.broker(let error): describeBrokerError(error)
        default: "\(error)"
        }
    }

    private static func describeBrokerError(_ error: SMPBrokerError) -> String {
        switch error {
        case .network(.connect(let reason)): reason
        case .network(.tls(let reason)): "TLS: \(reason)"
        case .network(.unknownCA): "the fingerprint of its certificate differs from the fingerprint in the address"
        case .network(.failed): "the connection broke"
        case .network(.timeout), .timeout: "no answer in time"
        case .transport(.version): "it has no version of the protocol in common with this program"
        case .network(.subscribe), .response, .unexpected, .host, .noService, .transport:
            "it does not speak the protocol (\(error.text))"
        }
    }
}

/// Returns a number and a noun, such as `1 file` or `2 files`.
func countWithNoun(_ number: some BinaryInteger, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
}

/// The findings of `simplex-gateway check`, which prints each finding as a line.
struct CheckReport {
    /// The exit code of the first fault; 0 without a fault.
    private(set) var exitCode: Int32 = 0
    /// The faults that are already printed, since several checks can find the same fault.
    private var knownFaults: Set<String> = []

    func addSuccess(_ text: String) { printLine("ok:    \(text)") }

    func addNote(_ text: String) { printLine("note:  \(text)") }

    mutating func addFault(_ text: String, _ code: Int32) {
        if knownFaults.insert(text).inserted { printLine("wrong: \(text)") }
        if self.exitCode == 0 { self.exitCode = code }
    }

    mutating func runCheck(_ what: String, _ body: (inout CheckReport) throws -> Void) {
        let before = exitCode
        do {
            try body(&self)
            if exitCode == before { addSuccess(what) }
        } catch {
            addFault((error as? Failure)?.message ?? "\(error)", (error as? Failure)?.exitCode ?? 1)
        }
    }

    mutating func addStoreFindings(_ store: StoreInspection) {
        switch store.storeState {
        case .locked: addNote("the store \(store.id) opens only with its password, and is not checked")
        case .empty: addNote("the store \(store.id) was emptied: its databases are made when it is opened")
        case .opened(let databases):
            for (path, finding) in databases {
                switch finding {
                case .sound: addSuccess(path)
                case .older(let missing):
                    addNote(
                        "\(path) is of an earlier version: serve will make \(countWithNoun(missing, "change")) to its schema. Make a copy first"
                    )
                default: break
                }
            }
        case .incomplete, .unreadable: break
        }
        for queues in store.lostQueues {
            addFault(
                "nothing arrives from \(countWithNoun(queues.count, "queue")) of the store \(store.id) on the relay at \(queues.relayAddress), which \(queues.reason)",
                1
            )
        }
        for fault in store.faults { addFault(fault.text, fault.isOfKey ? 3 : 1) }
    }
}
