import Foundation
import JSON
import TestSupport
import Testing

/// Tests of migrations by a link. At some of its writes, the gateway is killed, or its disk becomes full for a few
/// writes. With `SXGW_LONG_TESTS`, the tests try many more writes.
@Suite(.socketTimeLimit, .faultTests) struct MigrationKillTests {
    enum Fault: String, CaseIterable, Sendable {
        case kill, fullDisk
    }

    private static let migrationPath = "/v1/database/migration"
    private static let passphrase: JSONValue = "a passphrase for the way"

    /// A gateway whose disk has the faults, and the address of a file relay without faults.
    private struct MigrationWorld {
        let folder: Folder
        let fileRelay: String
        let disk: FullDisk
        let node: Node

        func makeGateway(_ name: String, _ environment: [String: String] = [:]) -> Node {
            Node(
                folder: folder.path + "/" + name,
                ["--relay-port", "0", "--no-file-relay", "--xftp-server", fileRelay],
                environment: environment
            )
        }

        /// Sends a request during a fault, and returns its answer; nil if the gateway was killed before the answer.
        func callDuring(
            _ fault: Fault,
            after writes: Int,
            _ target: String,
            _ body: JSONValue
        ) async throws -> Node.Answer? {
            switch fault {
            case .kill: disk.killProcess(after: writes)
            case .fullDisk: disk.fill(after: writes, refusing: 1 + writes % 4)
            }
            let answer = try? await node.callOnce("POST", target, body)
            let isReached = disk.refusalCount > 0
            disk.freeSpace()
            if fault == .kill, isReached { await node.restart() }
            #expect(answer == nil ? fault == .kill && isReached : true, "\(target), \(writes)")
            return answer
        }

        var migrationState: String? {
            get async throws {
                try await node.callWhenOpen("GET", MigrationKillTests.migrationPath).json["state"]?.stringValue
            }
        }

        func isRunning() async throws -> Bool {
            try await node.callForObject("GET", "/v1/core")["type"] == "chatRunning"
        }

        func readProfileNames(_ node: Node? = nil) async throws -> [String] {
            let users = try await (node ?? self.node).callForObject("GET", "/v1/users")["users"]?.arrayValue ?? []
            return users.compactMap { $0["user"]?["localDisplayName"]?.stringValue }
        }

        /// Whether nothing is left of a migration on the disk.
        var hasNoRemains: Bool { !FileManager.default.fileExists(atPath: folder.path + "/data/simplex_v1_migration") }
    }

    private func withWorld(_ body: (MigrationWorld) async throws -> Void) async throws {
        try await Folder.withNewFolder { folder in
            let disk = try await FullDisk(of: folder.path + "/data", controlFolder: folder.path)
            let relay = try Program(["relay", "--files", "--data", folder.path + "/files", "--port", "0"])
            defer { relay.signal(SIGKILL) }
            let files = try await relay.waitForLine("File relay:")
            let node = Node(
                folder: folder.path + "/data",
                ["--relay-port", "0", "--no-file-relay", "--xftp-server", files],
                environment: disk.environment
            )
            let stage = MigrationWorld(folder: folder, fileRelay: files, disk: disk, node: node)
            do { try await body(stage) } catch {
                await node.stop()
                throw error
            }
            await node.stop()
        }
    }

    @Test(
        .timeLimit(.minutes(30)),
        arguments: Fault.allCases
    )
    func `A fault at any moment of a migration to another device keeps all profiles on this device`(
        fault: Fault
    ) async throws {
        try await withWorld { stage in
            let node = stage.node
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": "alice", "fullName": ""]]
            )
            let body: JSONValue = ["passphrase": Self.passphrase, "format": "gateway"]
            let before = stage.disk.writeCount
            #expect(try await node.call("POST", Self.migrationPath, body).status == 201)
            let writes = stage.disk.writeCount - before
            #expect(try await node.call("DELETE", Self.migrationPath).status == 204)
            for moment in FullDisk.faultMoments(of: writes, every: 300, otherwise: [0, 0.25, 0.5, 0.75, 0.95, 0.99]) {
                let answer = try await stage.callDuring(fault, after: moment, Self.migrationPath, body)
                if let answer { #expect(answer.status == 201 || answer.status >= 500, "\(moment): \(answer)") }
                let state = try await stage.migrationState
                #expect(state == "none" || state == "ready", "\(moment): \(state ?? "")")
                if answer?.status == 201 { #expect(state == "ready", "\(moment)") }
                if state == "ready" {
                    // While another device may have the profiles, no request starts the chat.
                    #expect(try await !stage.isRunning(), "\(moment)")
                    #expect(try await node.call("POST", "/v1/core/start", [:]).status == 422, "\(moment)")
                    #expect(try await node.call("DELETE", Self.migrationPath).status == 204, "\(moment)")
                }
                #expect(try await stage.readProfileNames() == ["alice"], "\(moment)")
                // A full disk may prevent the start of the chat. Then a request starts it.
                if fault == .fullDisk { _ = try await node.callForObject("POST", "/v1/core/start", [:]) }
                #expect(try await stage.isRunning(), "\(moment)")
                #expect(stage.hasNoRemains, "\(moment)")
            }
        }
    }

    @Test(
        .timeLimit(.minutes(30)),
        arguments: Fault.allCases
    )
    func `A fault in a migration from another device leaves all profiles with their settings, or no profile`(
        fault: Fault
    ) async throws {
        try await withWorld { stage in
            let (node, sender) = (stage.node, stage.makeGateway("sender"))
            do { try await receiveMigration(fault, at: node, from: sender, stage) } catch {
                await sender.stop()
                throw error
            }
            await sender.stop()
        }
    }

    private func receiveMigration(
        _ fault: Fault,
        at node: Node,
        from sender: Node,
        _ stage: MigrationWorld
    ) async throws {
        _ = try await sender.callForObject("POST", "/v1/users", ["profile": ["displayName": "alice", "fullName": ""]])
        _ = try await sender.callForObject("PATCH", "/v1/settings/network", ["hostMode": "onionViaSocks"])
        let made = try await sender.callForObject(
            "POST",
            Self.migrationPath,
            ["passphrase": Self.passphrase, "format": "gateway"]
        )
        let body: JSONValue = ["link": made["link"] ?? .null, "passphrase": Self.passphrase]
        let target = Self.migrationPath + "/receive"
        func mode() async throws -> JSONValue? {
            try await node.callForObject("GET", "/v1/settings/network")["networkConfig"]?["hostMode"]
        }
        func empty() async throws {
            if try await stage.readProfileNames().isEmpty { return }
            #expect(try await mode() == "onionViaSocks")
            _ = try await node.callForObject("POST", "/v1/core/stop", [:])
            _ = try await node.callForObject("DELETE", "/v1/database")
            _ = try await node.callForObject("POST", "/v1/core/start", [:])
            #expect(try await mode() == "public")
        }
        let before = stage.disk.writeCount
        #expect(try await node.call("POST", target, body).status == 200)
        let writes = stage.disk.writeCount - before
        try await empty()
        for moment in FullDisk.faultMoments(of: writes, every: 150, otherwise: [0, 0.25, 0.5, 0.85, 0.95, 0.98, 0.99]) {
            let answer = try await stage.callDuring(fault, after: moment, target, body)
            if let answer { #expect(answer.status == 200 || answer.status >= 500, "\(moment): \(answer)") }
            #expect(try await stage.migrationState == "none", "\(moment)")
            let names = try await stage.readProfileNames()
            #expect(names == [] || names == ["alice"], "\(moment)")
            if answer?.status == 200 { #expect(names == ["alice"], "\(moment)") }
            #expect(stage.hasNoRemains, "\(moment)")
            try await empty()
        }
        // The link is still valid, and the profiles are still at the sender.
        #expect(try await node.call("POST", target, body).status == 200)
        #expect(try await stage.readProfileNames() == ["alice"])
        #expect(try await stage.readProfileNames(sender) == ["alice"])
        #expect(try await sender.call("POST", Self.migrationPath + "/finish", [:]).status == 200)
    }
}
