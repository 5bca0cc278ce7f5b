import ChatCore
import Files
import Foundation
import JSON
import Logging
import NIOPosix
import SMPRelay
import TestSupport

@testable import Gateway

/// A gateway that itself opens its first store, as the program does.
struct LockableGateway {
    let port: Int
    let key: String
    let folder: String
    let server: GatewayServer

    func connectClient(_ key: String? = nil) async throws -> HTTPClient {
        try await .connect(port: port, key: key ?? self.key)
    }

    static func run<T>(
        in folder: TemporaryFolder,
        keyFile: String? = nil,
        serving: (inout GatewayConfiguration) -> Void = { _ in },
        storing: (inout StoreSettings) -> Void = { _ in },
        log: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ body: (LockableGateway) async throws -> T
    ) async throws -> T {
        let group = MultiThreadedEventLoopGroup.singleton
        let relayFolder = folder.path + "/relay"
        try FileManager.default.createDirectory(atPath: relayFolder, withIntermediateDirectories: true)
        let relay = try await Relay.start(
            configuration: RelayConfiguration(directory: relayFolder, port: TestPort.takeUnused()),
            group: group
        )
        let chat = ChatConfiguration(dataDirectory: folder.path, databaseKey: .none, servers: [relay.address])
        var configuration = GatewayConfiguration.patientConfiguration(folder: folder.path)
        configuration.terminalPort = 0
        serving(&configuration)
        var stores = StoreSettings(chat: chat, folder: folder.path + "/stores")
        stores.appPasswordCost = .least
        stores.unlockDurationStepMicroseconds = 0
        stores.unlockDelay = UnlockDelay.Settings(initialMicroseconds: 0, maxMicroseconds: 0)
        storing(&stores)
        let server: GatewayServer
        do {
            server = try await GatewayServer.start(
                configuration,
                first: FirstStore(folder: folder.path, keyFile: keyFile),
                stores: stores,
                group: group,
                log: log
            )
        } catch {
            await relay.stopAndWait()
            throw error
        }
        let key = String(decoding: try DiskFiles.readFile("\(folder.path)/admin.key") ?? [], as: UTF8.self)
            .trimmingNewline
        do {
            let result = try await body(
                LockableGateway(port: server.port, key: key, folder: folder.path, server: server)
            )
            await server.stop()
            await relay.stopAndWait()
            return result
        } catch {
            await server.stop()
            await relay.stopAndWait()
            throw error
        }
    }

    @discardableResult
    static func run<T>(_ body: (LockableGateway) async throws -> T) async throws -> T {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        return try await run(in: folder, body)
    }
}
