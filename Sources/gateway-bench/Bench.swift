import ArgumentParser
import Foundation
import NIOCore
import NIOPosix

/// Starts a gateway from the same build, and measures it.
@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway-bench",
        abstract: "Measure the gateway, and print all figures of one run.",
        subcommands: [Measure.self, Bare.self, Echo.self],
        defaultSubcommand: Measure.self
    )
}

/// A server in a separate process, with which the benchmark of reads compares the gateway: it answers every request
/// with the bytes of a file.
private struct Bare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Answer each request with a file's bytes.",
        shouldDisplay: false
    )
    @Argument var port: UInt16
    @Argument var file: String

    func run() async throws { try BareHandler.serveFile(port: port, file: file) }
}

/// The baseline for the relay's figures, in a separate process: an echo of blocks over TLS.
private struct Echo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Echo blocks over TLS.", shouldDisplay: false)
    @Argument var port: Int

    func run() async throws { try await BlockEcho.serveEcho(port: port) }
}

enum Part: String, CaseIterable, ExpressibleByArgument {
    case growth, stores, floods, nodes, syncs, groups
    case grownGroups = "grown-groups"
    case channels
    case messages, reads, waiters, sessions, files
    case coldStart = "cold-start"
    case relay
    case relaySessions = "relay-sessions"
    case relayQueues = "relay-queues"
    case kem
    case comparisons

    /// Whether the measurement needs a gateway with two users and their contacts.
    var needsContacts: Bool { [.messages, .reads, .waiters, .sessions, .files, .coldStart].contains(self) }
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
    @Option(help: "A part to measure; may be repeated. (default: all)") var only: [Part] = []
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
        let parts = Part.allCases.filter { part in
            guard only.isEmpty || only.contains(part) else { return false }
            let missing = needs(of: part).findMissing(gateway: run.gateway, folder: stores ?? folder)
            for line in missing { print("\(part.rawValue): not measured: \(line)") }
            return missing.isEmpty
        }
        for part in parts where !part.needsContacts { figures += await measurePart(part, run, nil) }
        let withContacts = parts.filter(\.needsContacts)
        if !withContacts.isEmpty {
            do { figures += try await measureParts(withContacts, run) } catch {
                print("\(withContacts.map(\.rawValue).joined(separator: ", ")): failed: \(error)")
            }
        }
        try report(figures)
    }

    private func needs(of part: Part) -> PartNeeds {
        switch part {
        case .kem: PartNeeds(usesGateway: false)
        // 10,000 stores need 11 GB on the disk (SCALING.md).
        case .nodes: PartNeeds(usesPostgres: true, diskBytes: Int64(placed ?? (quick ? 60 : 10_000)) * 1_100_000)
        case .waiters: PartNeeds(descriptors: quick ? 200 : 10_100)
        case .relaySessions: PartNeeds(descriptors: quick ? 300 : 2_100)
        default: PartNeeds()
        }
    }

    /// Measures the parts that need a gateway with two users and their contacts.
    private func measureParts(_ parts: [Part], _ run: RunSettings) async throws -> [Figure] {
        let gateway = try await run.startGateway()
        try await gateway.createUser("alice")
        try await gateway.createUser("bob")
        for _ in 0..<(quick ? 10 : 100) { try await gateway.connectFirstUsers() }
        var figures: [Figure] = []
        for part in parts { figures += await measurePart(part, run, gateway) }
        await gateway.stop()
        return figures
    }

    /// The paths and settings needed to start the programs.
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

    private func measurePart(_ part: Part, _ run: RunSettings, _ gateway: BenchedGateway?) async -> [Figure] {
        FileHandle.standardError.write(Data("measuring \(part.rawValue)\n".utf8))
        do { return try await measureFigures(of: part, run, gateway) } catch {
            print("\(part.rawValue): failed: \(error)")
            return []
        }
    }

    private func measureFigures(of part: Part, _ run: RunSettings, _ gateway: BenchedGateway?) async throws -> [Figure]
    {
        switch (part, gateway) {
        case (.messages, let gateway?):
            return try await measureMessages(gateway, count: quick ? 100 : 1_000) {
                try await BaselineCosts.measureCosts(bench: run.bench, folder: run.folder, seconds: 1, group: run.group)
            }
        case (.reads, let gateway?): return try await measureReads(gateway, bench: run.bench, seconds: quick ? 1 : 3)
        case (.waiters, let gateway?):
            var figures: [Figure] = []
            for count in quick ? [100] : [1_000, 10_000] { figures += try await measureWaiters(gateway, count: count) }
            return figures
        case (.sessions, let gateway?):
            return try await measureSessions(gateway, count: quick ? 100 : 1_000, messages: 10)
        case (.files, let gateway?): return try await measureFiles(gateway, run, isQuick: quick)
        case (.coldStart, let gateway?):
            await gateway.stop()
            return try await measureColdStartTime(run)
        case (.growth, _):
            return try await measureGrowth(
                stores: stores ?? run.folder,
                executable: run.gateway,
                chats: quick ? 100 : 1_000,
                messages: quick ? 50_000 : 1_000_000,
                rounds: rounds ?? (quick ? 10 : 50),
                group: run.group
            )
        case (.stores, _):
            return try await measureStores(
                folder: run.folder,
                executable: run.gateway,
                count: max(quick ? 100 : 1_000, (used ?? 0) + 1),
                unlocked: used ?? (quick ? 10 : 500),
                seconds: quick ? 1 : 3,
                idle: quick ? 1 : 120,
                group: run.group
            )
        case (.floods, _):
            return try await measureFloods(
                folder: run.folder,
                executable: run.gateway,
                connections: 8,
                seconds: quick ? 1 : 5,
                rounds: quick ? 2 : 5,
                group: run.group
            )
        case (.nodes, _):
            return try await measureNodes(
                folder: stores ?? run.folder,
                executable: run.gateway,
                count: placed ?? (quick ? 60 : 10_000),
                used: used ?? (quick ? 12 : 500),
                seconds: quick ? 2 : 10,
                group: run.group
            )
        case (.syncs, _):
            return try await measureSyncs(
                executable: run.gateway,
                folder: run.folder,
                count: quick ? 100 : 500,
                group: run.group
            )
        case (.groups, _):
            return try await measureGroups(
                executable: run.gateway,
                folder: run.folder,
                members: quick ? 8 : 100,
                count: quick ? 30 : 300,
                group: run.group
            )
        case (.grownGroups, _):
            return try await measureGrownGroups(
                executable: run.gateway,
                folder: run.folder,
                members: quick ? 100 : 1_000,
                items: quick ? 5_000 : 100_000,
                groups: quick ? 20 : 200,
                seconds: quick ? 1 : 3,
                group: run.group
            )
        case (.channels, _):
            let count = subscribers ?? (quick ? 300 : 10_000)
            let owner = try await measureChannelOwner(
                executable: run.gateway,
                folder: run.folder,
                members: count,
                posts: quick ? 20 : 200,
                group: run.group
            )
            return try await owner
                + measureChannels(
                    executable: run.gateway,
                    folder: run.folder,
                    subscribers: count,
                    posts: quick ? 3 : 5,
                    minutes: minutes,
                    group: run.group
                )
        case (.relay, _):
            return try await measureRelay(
                executable: run.gateway,
                bench: run.bench,
                folder: run.folder,
                pairs: quick ? 16 : 128,
                seconds: quick ? 2 : 10,
                group: run.group
            )
        case (.relaySessions, _):
            return try await measureRelaySessions(
                executable: run.gateway,
                folder: run.folder,
                count: quick ? 200 : 2_000,
                group: run.group
            )
        case (.relayQueues, _):
            return try await measureRelayQueues(
                executable: run.gateway,
                folder: run.folder,
                count: quick ? 5_000 : 100_000,
                group: run.group
            )
        case (.kem, _): return measureKEM(milliseconds: quick ? 200 : 1_000)
        case (.comparisons, _):
            return try await measureComparisons(
                executable: run.gateway,
                folder: run.folder,
                seconds: quick ? 1 : 3,
                group: run.group
            )
        case (_, nil): return []
        }
    }

    private func measureColdStartTime(_ run: RunSettings) async throws -> [Figure] {
        var times = [Double](), bare = [Double](), resident = 0
        let file = run.folder + "/cold-start.body"
        try Data().write(to: URL(fileURLWithPath: file))
        for _ in 0..<5 {
            let begin = NIODeadline.now()
            let other = try MeasuredProcess(
                run.bench,
                ["bare", "\(try FreePort.takeNext())", file],
                log: run.folder + "/bare.log"
            )
            defer { other.killProcess() }
            guard other.waitForLine(containing: "listening") != nil else { throw HTTPConnection.Failure.closed }
            bare.append(millisecondsPassed(since: begin))
            let again = try await run.startGateway()
            times.append(again.secondsToReady * 1000)
            resident = again.child.residentBytes
            await again.stop()
        }
        return [
            Figure(
                name: "start to ready, existing database, median of 5",
                value: percentile(times, 0.5),
                unit: "ms",
                target: .atMost(45)
            ),
            Figure(
                name: "start to ready, in relation",
                value: percentile(times, 0.5),
                unit: "ms",
                baseline: ("bare handler", percentile(bare, 0.5))
            ),
            Figure(
                name: "resident memory, idle after start",
                value: Double(resident) / 1_048_576,
                unit: "MiB",
                target: .atMost(40)
            ),
        ]
    }

    private func report(_ figures: [Figure]) throws {
        print(formatTable(figures))
        if let svg { try Data(figures.makeSVG("gateway-bench").utf8).write(to: URL(fileURLWithPath: svg)) }
        let text = figures.json
        if let json { try Data(text.utf8).write(to: URL(fileURLWithPath: json)) } else { print(text) }
    }
}
