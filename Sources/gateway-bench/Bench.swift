import ArgumentParser
import Foundation
import NIOCore
import NIOPosix

/// The program `gateway-bench`: starts a gateway from the same build, and measures it.
@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway-bench",
        abstract: "Measure the gateway, and print all figures of one run.",
        subcommands: [Measure.self, Bare.self, Echo.self],
        defaultSubcommand: Measure.self
    )
}

/// The hidden command that runs the HTTP server of the benchmark of reads in a separate process. The server answers
/// every request with the bytes of a file.
private struct Bare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Answer each request with a file's bytes.",
        shouldDisplay: false
    )
    @Argument var port: UInt16
    @Argument var file: String

    func run() async throws { try BareHandler.serveFile(port: port, file: file) }
}

/// The hidden command that runs an echo server of blocks over TLS in a separate process. The benchmark compares the
/// relay with this server.
private struct Echo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Echo blocks over TLS.", shouldDisplay: false)
    @Argument var port: Int

    func run() async throws { try await BlockEcho.serveEcho(port: port) }
}

enum BenchmarkPart: String, CaseIterable, ExpressibleByArgument {
    case growth, stores
    case openStores = "open-stores"
    case floods, backups, nodes, syncs, groups
    case grownGroups = "grown-groups"
    case channels
    case messages, reads, waiters, sessions, files
    case coldStart = "cold-start"
    case relay
    case relaySessions = "relay-sessions"
    case relayQueues = "relay-queues"
    case kem
    case comparisons
}

struct Measure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure, and print a table and JSON.",
        discussion: """
            The measured servers listen on free ports of this machine, from 15200 on. A part that this machine cannot \
            measure is left out, with a line that says what it needs.
            The part comparisons starts Redis, PostgreSQL, NATS, mosquitto and nginx beside the gateway, as far as they \
            are installed.
            """
    )

    @Flag(help: "Measure with small amounts, as a test of this program.") var quick = false
    @Option(help: "A part to measure; may be repeated. (default: all)") var only: [BenchmarkPart] = []
    @Option(help: "File for the JSON. (default: standard output)", completion: .file()) var json: String?
    @Option(help: "File for the table as a picture (SVG). (default: none)", completion: .file()) var svg: String?
    @Option(
        help:
            "Folder that keeps the grown stores, and the stores of the nodes, for the next run. (default: they are created again)",
        completion: .directory
    )
    var stores: String?
    @Option(help: "Number of repetitions of each request to a grown store.") var rounds: Int?
    @Option(help: "Number of stores that the nodes have.") var placed: Int?
    @Option(help: "Number of stores that are open, at the nodes or at one gateway.") var used: Int?
    @Option(help: "Number of subscribers of the chat relay's channel.") var subscribers: Int?
    @Option(help: "Number of minutes in which the channel gets ten posts a minute.") var minutes = 0

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "gateway-bench-\(ProcessInfo.processInfo.processIdentifier)"
        ).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let bench = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let run = RunSettings(
            gateway: bench.deletingLastPathComponent().appendingPathComponent("simplex-gateway").path,
            bench: bench.path,
            folder: folder,
            group: MultiThreadedEventLoopGroup(numberOfThreads: 1),
            port: try FreePort.takeNext(),
            relayPort: try FreePort.takeNext()
        )
        var figures: [Figure] = []
        let parts = BenchmarkPart.allCases.filter { part in
            guard only.isEmpty || only.contains(part) else { return false }
            let missing = needs(of: part).describeUnmetNeeds(gateway: run.gateway, folder: stores ?? folder)
            for line in missing { print("\(part.rawValue): not measured: \(line)") }
            return missing.isEmpty
        }
        var withContacts: [(part: BenchmarkPart, measure: (RunSettings, BenchedGateway) async throws -> [Figure])] = []
        for part in parts {
            switch chooseMeasurement(of: part) {
            case .alone(let measure): figures += await measurePart(part) { try await measure(run) }
            case .withContacts(let measure): withContacts.append((part, measure))
            }
        }
        if !withContacts.isEmpty {
            do { figures += try await measureParts(withContacts, run) } catch {
                print("\(withContacts.map(\.part.rawValue).joined(separator: ", ")): failed: \(error)")
            }
        }
        try report(figures)
    }

    private func needs(of part: BenchmarkPart) -> PartNeeds {
        switch part {
        case .kem: return PartNeeds(usesGateway: false)
        // 10,000 stores need 11 GB on the disk (SCALING.md).
        case .nodes: return PartNeeds(usesPostgres: true, diskBytes: Int64(placed ?? (quick ? 60 : 10_000)) * 1_100_000)
        // A pair of stores has 2.4 MB on the disk, and each store a session with the relay.
        case .openStores:
            let count = used ?? (quick ? 20 : 500)
            return PartNeeds(descriptors: 16 * count, diskBytes: Int64(count) * 1_200_000)
        // The part makes 301 stores, and a copy of them.
        case .backups: return PartNeeds(diskBytes: quick ? 50_000_000 : 1_000_000_000)
        case .waiters: return PartNeeds(descriptors: quick ? 200 : 10_100)
        case .relaySessions: return PartNeeds(descriptors: quick ? 300 : 2_100)
        default: return PartNeeds()
        }
    }

    /// Starts a gateway with two users and their contacts, and measures the parts that need it.
    private func measureParts(
        _ parts: [(part: BenchmarkPart, measure: (RunSettings, BenchedGateway) async throws -> [Figure])],
        _ run: RunSettings
    ) async throws -> [Figure] {
        let gateway = try await run.startGateway()
        try await gateway.createUser("alice")
        try await gateway.createUser("bob")
        for _ in 0..<(quick ? 10 : 100) { try await gateway.connectFirstUsers() }
        var figures: [Figure] = []
        for (part, measure) in parts { figures += await measurePart(part) { try await measure(run, gateway) } }
        await gateway.stop()
        return figures
    }

    /// The paths, ports and the event loop that are needed to start the measured programs.
    struct RunSettings {
        var gateway: String
        var bench: String
        var folder: String
        var group: any EventLoopGroup
        var port: Int
        var relayPort: Int

        func startGateway() async throws -> BenchedGateway {
            try await BenchedGateway(
                folder: folder + "/data",
                port: port,
                relayPort: relayPort,
                executable: gateway,
                group: group
            )
        }
    }

    private func measurePart(_ part: BenchmarkPart, _ measure: () async throws -> [Figure]) async -> [Figure] {
        FileHandle.standardError.write(Data("measuring \(part.rawValue)\n".utf8))
        do { return try await measure() } catch {
            print("\(part.rawValue): failed: \(error)")
            return []
        }
    }

    private func report(_ figures: [Figure]) throws {
        print(formatTable(figures))
        if let svg {
            let (day, processors) = (Date().ISO8601Format().prefix(10), ProcessInfo.processInfo.processorCount)
            let title = "gateway-bench, \(day), \(processors) processors" + (quick ? ", small amounts" : "")
            try Data(figures.makeSVG(title).utf8).write(to: URL(fileURLWithPath: svg))
        }
        let text = figures.json
        if let json { try Data(text.utf8).write(to: URL(fileURLWithPath: json)) } else { print(text) }
    }
}
