import ChatCore
import Concurrency
import Descriptors
import Files
import Gateway
import Logging
import NIOPosix
import Placement
import SMP
import SMPRelay
import XFTPRelay

/// Starts the gateway and its parts, step by step.
extension Serve {
    /// The values that the steps of a start share.
    struct StartContext {
        let settings: Settings
        let group: MultiThreadedEventLoopGroup
        let budget: DescriptorBudget
        var configuration: GatewayConfiguration
        var parts = ServedParts()
        /// The path of the data folder, which may not exist until the folder is opened.
        var folder: String
    }

    /// Reads and checks all options. It makes no files and starts no services.
    func prepareStart(_ settings: Settings, _ path: String) throws -> StartContext {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let (configuration, budget) = try readOptions(settings, path, InheritedSocket.takeSocket(), group)
        var start = StartContext(
            settings: settings,
            group: group,
            budget: budget,
            configuration: configuration,
            folder: path
        )
        _ = try broker.makeBroker(settings) { "" }
        start.parts.files = try objects.makeObjectSettings(settings, group)
        start.parts.spanExporter = try spans.makeExporter(settings, group)
        start.configuration.spanExporter = start.parts.spanExporter
        return start
    }

    /// Opens and locks the data folder. If the folder is a copy, it may share files with other copies by hard links.
    /// Then the folder gets its own files, so that the other copies do not change.
    static func openDataFolder(_ path: String) throws -> DataFolder {
        let folder = try DataFolder(path)
        do { try CopyChecksums.prepareForChanges(folder.path) } catch {
            throw Failure(exitCode: 1, message: "the copy \(folder.path) cannot get files of its own: \(error)")
        }
        return folder
    }

    /// Returns the id of this gateway in the names of its scheduled backups.
    static func readGatewayID(of folder: String) throws -> String {
        do throws(FileSystemError) { return try BackupSchedule.readOrMakeGatewayID(of: folder) } catch {
            throw Failure(exitCode: 1, message: error.description)
        }
    }

    /// Starts the configured embedded relays. If one does not start, stops the other.
    func startRelays(_ web: BrowserCertificate?, _ start: inout StartContext) async throws {
        let (settings, folder, budget, group) = (start.settings, start.folder, start.budget, start.group)
        let forwarding = RelayAddressPolicy(
            allowed: start.configuration.deliverySettings.allowedAddresses,
            named: Self.collectHostsAndPorts(of: try readConfiguredServers(settings).relays)
        )
        if try embedded.hasRelay(settings) {
            start.parts.relay = try await embedded.startRelay(settings, folder, budget, forwarding, group)
        }
        do {
            if try embedded.hasFileRelay(settings) {
                start.parts.fileRelay = try await embedded.startFileRelay(settings, folder, budget, web, group)
            }
        } catch {
            await start.parts.relay?.stopAndWait()
            throw error
        }
    }

    /// Makes the settings of the stores from the options, the budget of file descriptors, and the parts that are ready:
    /// embedded relays, object storage, placement and broker.
    func makeStoreSettings(_ start: StartContext) throws -> StoreSettings {
        let parts = start.parts
        var core = try makeCoreConfiguration(start.settings, start.folder, parts.relay, parts.fileRelay)
        core.clientConfiguration.transport.connectionAllowance = Allowance(start.budget.relaySessions)
        core.openPool = OpenPool(.init(open: start.budget.storesWithDatabases))
        core.objectSettings = parts.files
        var stores = StoreSettings(
            chat: core,
            folder: start.folder + "/stores",
            openStores: start.budget.openStores
        )
        (stores.placement, stores.broker) = (parts.placement, parts.broker)
        let named =
            core.defaultServers + (core.notificationServers ?? [])
            + [parts.relay?.address, parts.fileRelay?.address].compactMap(\.self)
        stores.relayAddressPolicy = RelayAddressPolicy(
            allowed: start.configuration.deliverySettings.allowedAddresses,
            named: Self.collectHostsAndPorts(of: named)
        )
        return stores
    }

    func startGateway(
        _ configuration: GatewayConfiguration,
        _ first: FirstStore,
        _ stores: StoreSettings,
        _ group: MultiThreadedEventLoopGroup
    ) async throws -> GatewayServer {
        do throws(GatewayError) {
            return try await GatewayServer.start(
                configuration,
                first: first,
                stores: stores,
                group: group,
                log: Logger(label: "gateway")
            )
        } catch {
            switch error {
            case .coreNotOpened(.wrongKey(let database)):
                throw Failure(exitCode: 3, message: "the key does not open \(database); nothing was changed")
            case .coreNotOpened(.database(.newerSchema(let migration))):
                throw Failure(
                    exitCode: 1,
                    message:
                        "the databases were written by a later version of this program (\(migration)), and were not changed: use that version, or a copy made before the upgrade"
                )
            case .coreNotOpened(.database(.olderSchema(let migrations))):
                throw Failure(
                    exitCode: 1,
                    message:
                        "the databases are of an earlier version of this program (without \(migrations.first ?? "")), and were not changed: make a backup, then start with --migrations up"
                )
            case .coreNotOpened(.database(.diskFull)):
                throw Failure(exitCode: 1, message: "a database cannot be opened: there is no room on the disk")
            case .coreNotOpened(.database(.inputOutput)):
                throw Failure(
                    exitCode: 1,
                    message:
                        "a database cannot be read or written; simplex-gateway check shows which one, and the missing rights"
                )
            case .coreNotOpened(.database(let error)):
                throw Failure(
                    exitCode: 1,
                    message: "a database cannot be opened: \(error); simplex-gateway check shows which one"
                )
            case .coreNotOpened(.databaseLost(let path)):
                throw Failure(
                    exitCode: 1,
                    message:
                        "the databases of \(path) are missing or empty, and are not made again: put them back, or restore a copy. For a new store, name another data folder"
                )
            case .coreNotOpened(.unusableCopy(let reason)), .coreNotOpened(.otherError(let reason)):
                throw Failure(exitCode: 1, message: "the databases cannot be opened: \(reason)")
            case .databaseKey(let error): throw Failure(error)
            case .http(.addressInUse): throw Failure(exitCode: 4, message: error.description)
            case .http, .unsafeAddress, .unsafeOpenSocket, .invalidSettings:
                throw Failure.configurationFailure(error.description)
            case .keyFile, .unreadableStores: throw Failure(exitCode: 1, message: error.description)
            }
        }
    }

    /// Prints a warning if other machines can reach the gateway, but its invitations lead to the embedded relay on
    /// loopback.
    func warnIfRelayIsUnreachable(_ start: StartContext, _ core: ChatConfiguration) throws {
        if !start.configuration.bindsLoopback, core.serverPresets == .relay,
            core.defaultServers.contains(where: { $0 == start.parts.relay?.address }),
            try embedded.linksContainLoopbackHost(start.settings)
        {
            printWarning(
                "invitations name the embedded relay on loopback, which other machines cannot reach: set --relay-host and --relay-public-host, or --servers network"
            )
        }
    }

    func printAddresses(_ gateway: GatewayServer, _ start: StartContext, scheme: String) {
        let (host, parts) = (start.configuration.http.host, start.parts)
        let name = host.contains(":") ? "[\(host)]" : host
        let facts: [(title: String, value: String)?] = [
            ("URL", "\(scheme)://\(name):\(gateway.port)"),
            gateway.terminalPort.map { ("Terminal", "ws://127.0.0.1:\($0)") },
            ("Admin key", start.folder + "/admin.key"),
            ("Data folder", start.folder),
            parts.placement.map { ("Node", $0.node) },
            parts.relay.map { ("Relay", "\($0.address)") },
            parts.fileRelay.map { ("File relay", "\($0.address)") },
        ]
        printFacts(facts.compactMap(\.self))
    }
}
