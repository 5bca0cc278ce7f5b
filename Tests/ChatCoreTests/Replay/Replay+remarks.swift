import Foundation
import SMPRelay
import SimpleXCrypto

@testable import ChatCore

extension Replay {
    struct UnknownRemark: Error { let remark: String }

    /// Repeats the actions of the recorder other than commands.
    func repeatActions(on remark: String) async throws {
        let name = String(remark.prefix { $0.isLetter })
        let words = remark.split(separator: " ").map(String.init)
        if words.count > 3, words.starts(with: ["process", "of"]) {
            if words[3] == "started" {
                participants[words[2]]?.continueRun(with: try await openCore(words[2]))
            } else {
                await participants[words[2]]?.core.controller.close()
            }
            return
        }
        // The web pages of channels are not supported.
        if words.first == "file" { return }
        switch remark.drop(while: \.isLetter) {
        case _ where remark == "the message server was stopped here":
            await (restartedRelay ?? world.relay).stopAndWait()
        case _ where remark.hasPrefix("the message server was started again"): try await startEmptyRelay()
        case " was stopped, his database was copied; both copies were started": try await copyCore(name, as: name + "2")
        case " was stopped and started again with the new key":
            databaseKeys[name] = .passphrase("def")
            try await reopenCore(name)
        case " was stopped and started again on the imported database": try await reopenCore(name, started: true)
        case _ where remark.hasPrefix("waiting for the check that a relay makes"):
            try await participants["rel"]?.core.controller.findWorker(ServedChannelWorker.self).checkLinks()
        case let rest where rest.hasPrefix("'s process was stopped here"):
            await participants[name]?.core.controller.close()
        case "'s process was started again here": participants[name]?.continueRun(with: try await openCore(name))
        default: throw UnknownRemark(remark: remark)
        }
    }

    /// Changes our tables as the recorder changed the tables of the client.
    /// - Returns: whether a change was necessary.
    func damageTables(_ core: Core, _ command: String) async throws -> Bool {
        let statements = [
            "/sql chat DELETE FROM group_members WHERE local_display_name='carol'":
                "DELETE FROM group_members WHERE local_display_name = 'carol'",
            "/sql chat UPDATE groups SET applied_complete_roster_version=0 WHERE group_id=1":
                "UPDATE groups SET complete_roster_version = 0 WHERE group_id = 1",
        ]
        guard let statement = statements[command] else { return false }
        try await core.controller.store.write { tx in try tx.db.execute(statement) }
        return true
    }

    private func reopenCore(_ name: String, started: Bool = false) async throws {
        await participants[name]?.core.controller.close()
        participants[name]?.continueRun(with: try await openCore(name, started: started))
    }

    private func copyCore(_ name: String, as other: String) async throws {
        await participants[name]?.core.controller.close()
        try FileManager.default.copyItem(
            at: world.directory.appending(path: name),
            to: world.directory.appending(path: other)
        )
        participants[name]?.continueRun(with: try await openCore(name))
        databaseKeys[other] = World.databaseKey(of: name)
        let copy = Participant(try await openCore(other))
        copy.skipToNow()
        participants[other] = copy
    }

    private func startEmptyRelay() async throws {
        let folder = world.directory.appending(path: "relay")
        try FileManager.default.removeItem(at: folder.appending(path: "queues.log"))
        restartedRelay = try await Relay.start(
            configuration: RelayConfiguration(
                directory: folder.path,
                host: "127.0.0.1",
                port: world.relay.address.portNumber.map { Int($0) } ?? 0
            ),
            group: World.eventLoopGroup
        )
    }
}
