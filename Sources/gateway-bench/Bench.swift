import Foundation
import JSON
import NIOPosix

/// `gateway-bench [--quick] [--only PART] [--json FILE] [--stores FOLDER] [--rounds N]`: measures a gateway started from the same build and prints the figures of
/// one run side by side, as a table and as JSON. The grown stores are kept in the folder, when one is given, and used again.
@main
enum Bench {
    static func main() async throws { try await measure() }

    /// Not on the main actor, which would have to hand each value over.
    nonisolated private static func measure() async throws {
        let arguments = CommandLine.arguments
        if arguments.count == 4, arguments[1] == "bare", let port = UInt16(arguments[2]) {
            try BareHandler.serve(port: port, file: arguments[3])
        }
        if arguments.count == 3, arguments[1] == "echo", let port = Int(arguments[2]) { try await BlockEcho.serve(port: port) }
        let quick = arguments.contains("--quick")
        let gatewayExecutable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("simplex-gateway").path
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("gateway-bench-\(ProcessInfo.processInfo.processIdentifier)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }

        var figures = [Figure]()
        let only = arguments.firstIndex(of: "--only").map { arguments[($0 + 1)...].first ?? "" }
        func measured(_ name: String, _ body: () async throws -> [Figure]) async {
            guard only == nil || only == name else { return }
            FileHandle.standardError.write(Data("measuring \(name)\n".utf8))
            do { figures += try await body() } catch { print("\(name): failed: \(error)") }
        }
        let settings = (executable: gatewayExecutable, group: group)
        let stores = arguments.firstIndex(of: "--stores").flatMap { arguments[($0 + 1)...].first } ?? folder
        await measured("growth") {
            try await measureGrowth(
                stores: stores, executable: settings.executable, chats: quick ? 100 : 1_000, messages: quick ? 50_000 : 1_000_000,
                rounds: arguments.firstIndex(of: "--rounds").flatMap { Int(arguments[($0 + 1)...].first ?? "") } ?? (quick ? 10 : 50), group: group)
        }
        await measured("stores") {
            try await measureStores(
                folder: folder, executable: settings.executable, count: quick ? 100 : 1_000, unlocked: 10, seconds: quick ? 1 : 3, group: group)
        }
        guard only != "growth" && only != "stores" else { return try report(figures, arguments) }
        let gateway = try await BenchedGateway(folder: folder + "/data", port: 15_225, relayPort: 15_223, executable: settings.executable, group: group)
        try await gateway.createUser("alice")
        try await gateway.createUser("bob")
        for _ in 0..<(quick ? 10 : 100) { try await gateway.connect() }
        await measured("messages") { try await measureMessages(gateway, count: quick ? 100 : 1_000) }
        await measured("reads") { try await measureReads(gateway, bench: "/proc/self/exe", seconds: quick ? 1 : 3) }
        for count in quick ? [100] : [1_000, 10_000] {
            await measured("\(count) waiters") { try await measureWaiters(gateway, count: count) }
        }
        await measured("sessions") { try await measureSessions(gateway, count: quick ? 100 : 1_000, messages: 10) }
        await gateway.stop()
        await measured("cold start") {
            var times = [Double](), resident = 0
            for _ in 0..<5 {
                let again = try await BenchedGateway(folder: folder + "/data", port: 15_225, relayPort: 15_223, executable: settings.executable, group: group)
                times.append(again.secondsToReady * 1000)
                resident = again.child.residentBytes
                await again.stop()
            }
            return [
                Figure(name: "start to ready, existing database, median of 5", value: percentile(times, 0.5), unit: "ms", target: .atMost(150)),
                Figure(name: "resident memory, idle after start", value: Double(resident) / 1_048_576, unit: "MiB", target: .atMost(40)),
            ]
        }
        await measured("relay") {
            try await measureRelay(executable: settings.executable, folder: folder, pairs: quick ? 16 : 128, seconds: quick ? 2 : 10, group: group)
        }
        await measured("relay sessions") {
            try await measureRelaySessions(executable: settings.executable, folder: folder, count: quick ? 200 : 2_000, group: group)
        }
        await measured("relay queues") {
            try await measureRelayQueues(executable: settings.executable, folder: folder, count: quick ? 5_000 : 100_000, group: group)
        }
        await measured("kem") { measureKEM(milliseconds: quick ? 200 : 1_000) }
        try report(figures, arguments)
    }

    nonisolated private static func report(_ figures: [Figure], _ arguments: [String]) throws {
        print(table(figures))
        let json = JSONValue.array(figures.map(\.json)).text
        if let index = arguments.firstIndex(of: "--json"), arguments.indices.contains(index + 1) {
            try Data(json.utf8).write(to: URL(fileURLWithPath: arguments[index + 1]))
        } else {
            print(json)
        }
    }
}
