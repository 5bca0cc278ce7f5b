import Foundation
import NIOCore

/// The function that measures a part of the benchmark.
enum PartMeasurement {
    /// A function that starts its own gateway and other programs.
    case alone((Measure.RunSettings) async throws -> [Figure])
    /// A function that needs a gateway with two users and their contacts.
    case withContacts((Measure.RunSettings, BenchedGateway) async throws -> [Figure])
}

/// Functions that run the parts of the benchmark with the amounts of messages, stores or members for a full or a quick
/// run.
extension Measure {
    func chooseMeasurement(of part: BenchmarkPart) -> PartMeasurement {
        switch part {
        case .growth: .alone(measureGrowthPart)
        case .stores: .alone(measureStoresPart)
        case .openStores: .alone(measureOpenStoresPart)
        case .floods: .alone(measureFloodsPart)
        case .backups: .alone(measureBackupsPart)
        case .nodes: .alone(measureNodesPart)
        case .syncs: .alone(measureSyncsPart)
        case .groups: .alone(measureGroupsPart)
        case .grownGroups: .alone(measureGrownGroupsPart)
        case .channels: .alone(measureChannelsPart)
        case .messages: .withContacts(measureMessagesPart)
        case .reads: .withContacts(measureReadsPart)
        case .waiters: .withContacts(measureWaitersPart)
        case .sessions: .withContacts(measureSessionsPart)
        case .files: .withContacts(measureFilesPart)
        case .coldStart: .withContacts(measureColdStartPart)
        case .relay: .alone(measureRelayPart)
        case .relaySessions: .alone(measureRelaySessionsPart)
        case .relayQueues: .alone(measureRelayQueuesPart)
        case .kem: .alone(measureKEMPart)
        case .comparisons: .alone(measureComparisonsPart)
        }
    }

    private func measureGrowthPart(_ run: RunSettings) async throws -> [Figure] {
        try await measureGrowth(
            stores: stores ?? run.folder,
            executable: run.gateway,
            chats: quick ? 100 : 1_000,
            messages: quick ? 50_000 : 1_000_000,
            rounds: rounds ?? (quick ? 10 : 50),
            group: run.group
        )
    }

    private func measureStoresPart(_ run: RunSettings) async throws -> [Figure] {
        try await measureStores(
            folder: run.folder,
            executable: run.gateway,
            count: max(quick ? 100 : 1_000, (used ?? 0) + 1),
            unlocked: used ?? (quick ? 10 : 500),
            seconds: quick ? 1 : 3,
            idle: quick ? 1 : 120,
            group: run.group
        )
    }

    private func measureOpenStoresPart(_ run: RunSettings) async throws -> [Figure] {
        try await measureOpenStores(
            folder: stores ?? run.folder,
            executable: run.gateway,
            count: (used ?? (quick ? 20 : 500)) / 2 * 2,
            seconds: quick ? 1 : 60,
            idle: quick ? 1 : 120,
            group: run.group
        )
    }

    private func measureBackupsPart(_ run: RunSettings) async throws -> [Figure] {
        try await measureBackups(
            folder: stores ?? run.folder,
            executable: run.gateway,
            stores: quick ? 21 : 301,
            writing: quick ? 6 : 60,
            seconds: quick ? 1 : 10,
            rounds: quick ? 1 : 3,
            group: run.group
        )
    }

    private func measureFloodsPart(_ run: RunSettings) async throws -> [Figure] {
        try await measureFloods(
            folder: run.folder,
            executable: run.gateway,
            connections: 8,
            seconds: quick ? 1 : 5,
            rounds: quick ? 2 : 5,
            group: run.group
        )
    }

    private func measureNodesPart(_ run: RunSettings) async throws -> [Figure] {
        try await measureNodes(
            folder: stores ?? run.folder,
            executable: run.gateway,
            count: placed ?? (quick ? 60 : 10_000),
            used: used ?? (quick ? 12 : 500),
            seconds: quick ? 2 : 10,
            group: run.group
        )
    }

    private func measureSyncsPart(_ run: RunSettings) async throws -> [Figure] {
        try await measureSyncs(
            executable: run.gateway,
            folder: run.folder,
            count: quick ? 100 : 500,
            group: run.group
        )
    }

    private func measureGroupsPart(_ run: RunSettings) async throws -> [Figure] {
        try await measureGroups(
            executable: run.gateway,
            folder: run.folder,
            members: quick ? 8 : 100,
            count: quick ? 30 : 300,
            group: run.group
        )
    }

    private func measureGrownGroupsPart(_ run: RunSettings) async throws -> [Figure] {
        try await measureGrownGroups(
            executable: run.gateway,
            folder: run.folder,
            members: quick ? 100 : 1_000,
            items: quick ? 5_000 : 100_000,
            groups: quick ? 20 : 200,
            seconds: quick ? 1 : 3,
            group: run.group
        )
    }

    private func measureChannelsPart(_ run: RunSettings) async throws -> [Figure] {
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
    }

    private func measureMessagesPart(_ run: RunSettings, _ gateway: BenchedGateway) async throws -> [Figure] {
        try await measureMessages(gateway, count: quick ? 100 : 1_000) {
            try await BaselineCosts.measureCosts(bench: run.bench, folder: run.folder, seconds: 1, group: run.group)
        }
    }

    private func measureReadsPart(_ run: RunSettings, _ gateway: BenchedGateway) async throws -> [Figure] {
        try await measureReads(gateway, bench: run.bench, seconds: quick ? 1 : 3)
    }

    private func measureWaitersPart(_ run: RunSettings, _ gateway: BenchedGateway) async throws -> [Figure] {
        var figures: [Figure] = []
        for count in quick ? [100] : [1_000, 10_000] { figures += try await measureWaiters(gateway, count: count) }
        return figures
    }

    private func measureSessionsPart(_ run: RunSettings, _ gateway: BenchedGateway) async throws -> [Figure] {
        try await measureSessions(gateway, count: quick ? 100 : 1_000, messages: 10)
    }

    private func measureFilesPart(_ run: RunSettings, _ gateway: BenchedGateway) async throws -> [Figure] {
        try await measureFiles(gateway, run, isQuick: quick)
    }

    private func measureColdStartPart(_ run: RunSettings, _ gateway: BenchedGateway) async throws -> [Figure] {
        await gateway.stop()
        return try await measureColdStartTime(run)
    }

    private func measureRelayPart(_ run: RunSettings) async throws -> [Figure] {
        try await measureRelay(
            executable: run.gateway,
            bench: run.bench,
            folder: run.folder,
            pairs: quick ? 16 : 128,
            seconds: quick ? 2 : 10,
            group: run.group
        )
    }

    private func measureRelaySessionsPart(_ run: RunSettings) async throws -> [Figure] {
        try await measureRelaySessions(
            executable: run.gateway,
            folder: run.folder,
            count: quick ? 200 : 2_000,
            group: run.group
        )
    }

    private func measureRelayQueuesPart(_ run: RunSettings) async throws -> [Figure] {
        try await measureRelayQueues(
            executable: run.gateway,
            folder: run.folder,
            count: quick ? 5_000 : 100_000,
            group: run.group
        )
    }

    private func measureKEMPart(_: RunSettings) async throws -> [Figure] {
        measureKEM(milliseconds: quick ? 200 : 1_000)
    }

    private func measureComparisonsPart(_ run: RunSettings) async throws -> [Figure] {
        try await measureComparisons(
            executable: run.gateway,
            folder: run.folder,
            seconds: quick ? 1 : 3,
            group: run.group
        )
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
}
