import Foundation
import JSON
import NIOCore
import Testing

@Suite struct CrashTests {
    @Test("of 1,000 messages between two gateways that are killed again and again each is there once, in order, on both sides")
    func killed() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let gateways = [try GatewayProcess(folder: folder.path + "/alice"), try GatewayProcess(folder: folder.path + "/bob")]
        do {
            try await exchange(gateways)
        } catch {
            for gateway in gateways { await gateway.kill() }
            throw error
        }
        for gateway in gateways { await gateway.kill() }
    }

    private func exchange(_ gateways: [GatewayProcess]) async throws {
        for gateway in gateways { try await gateway.start() }
        let (alice, bob) = (try await gateways[0].client(), try await gateways[1].client())
        _ = (try await alice.user("alice"), try await bob.user("bob"))
        let link = try await alice.invitation(1)
        _ = try await bob.post("/v1/users/1/connections", ["connLink": .string(link)])
        for client in [alice, bob] {
            var cursor: String?
            _ = try await client.event(after: &cursor, "contactConnected", user: 1)
        }
        let killer = Task {
            while !Task.isCancelled {
                try await Task.sleep(for: .milliseconds(Int.random(in: 100...1500)))
                try await gateways[Int.random(in: 0...1)].restart()
            }
        }
        defer { killer.cancel() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (side, gateway) in gateways.enumerated() {
                group.addTask { try await send(500, from: gateway, as: side) }
            }
            try await group.waitForAll()
        }
        killer.cancel()
        _ = await killer.result
        for (side, gateway) in gateways.enumerated() {
            #expect(await gateway.kills > 0)
            let all = (0..<500).map { "\(side) \($0)" }
            #expect(try await texts(all.count, "directSnd", of: gateway) == all)
            #expect(try await texts(all.count, "directRcv", of: gateways[1 - side]) == all)
        }
    }

    /// Each message is sent until it is answered, always with the same idempotency key.
    private func send(_ count: Int, from gateway: GatewayProcess, as side: Int) async throws {
        var client = try await gateway.client()
        for index in 0..<count {
            while true {
                do {
                    let answer = try await client.post(
                        "/v1/users/1/chats/direct/1/messages", textMessage("\(side) \(index)"), headers: [("Idempotency-Key", "m\(index)")])
                    let code = answer.status == 409 ? try answer.json["code"]?.stringValue : nil
                    if answer.status == 201 || code == "answerLost" { break }
                    try #require(code == "requestInProgress" || answer.status == 503, "\(answer.text)")
                } catch is RawConnection.Failure {
                } catch is IOError {
                } catch is ChannelError {
                }
                try await Task.sleep(for: .milliseconds(20))
                if let again = try? await gateway.client() { client = again }
            }
        }
    }

    /// The texts of a chat that went in one direction, when there are enough of them.
    private func texts(_ count: Int, _ direction: String, of gateway: GatewayProcess) async throws -> [String] {
        let client = try await gateway.client()
        var found: [String] = []
        for _ in 0..<600 {
            found = []
            var page = try await client.call("GET", "/v1/users/1/chats/direct/1?count=1000").json
            while let items = page["chat"]?["chatItems"]?.arrayValue, let first = items.first?["meta"]?["itemId"]?.integerValue {
                let texts = items.filter { $0["chatDir"]?["type"]?.stringValue == direction }.compactMap { $0["content"]?["msgContent"]?["text"]?.stringValue }
                found = texts + found
                page = try await client.call("GET", "/v1/users/1/chats/direct/1?count=1000&before=\(first)").json
            }
            if found.count >= count { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        return found
    }
}
