import Foundation
import SMP
import SMPRelay
import Synchronization
import TestSupport
import Testing

@testable import Agent
@testable import ChatCore

/// Relays that resolve names for the cores of a world.
final class NameRelays: Sendable {
    private let world: World
    private let relays = Mutex<[Relay]>([])

    init(_ world: World) { self.world = world }

    /// Makes a relay with these names the only relay of the cores.
    @discardableResult
    func useRelay(_ records: NameRecord..., for cores: [Core]) async throws -> Relay {
        var names: [NameDomain: [UInt8]] = [:]
        for record in records { names[try NameDomain(parsing: record.name.utf8)] = record.json }
        let folder = world.directory.appending(path: "names-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var configuration = RelayConfiguration(directory: folder.path, host: "127.0.0.1", port: TestPort.takeUnused())
        configuration.nameRecords = names
        let relay = try await Relay.start(configuration: configuration, group: World.eventLoopGroup)
        relays.withLock { $0.append(relay) }
        for core in cores {
            let set = try await core.run("/smp \(relay.address.str)")
            try #require(set["type"] == "cmdOk", "\(set)")
        }
        return relay
    }
}

extension NameRecord {
    init(_ name: String, contacts: [String] = [], channels: [String] = []) {
        self.init(name: name)
        self.contacts = contacts
        self.channels = channels
    }
}
