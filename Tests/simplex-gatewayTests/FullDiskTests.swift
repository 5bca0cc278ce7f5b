import JSON
import TestSupport
import Testing

@Suite(.socketTimeLimit, .faultTests) struct FullDiskTests {
    @Test
    func `At the process's file size limit, requests that write are refused, and no answered message is lost`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            let reader = Node(folder: folder.path + "/reader", ["--relay-port", "0"])
            let relay = try #require(try await reader.waitUntilRunning().relay)
            let writer = Node(folder: folder.path + "/writer", ["--no-relay", "--smp-server", relay], fileLimit: 2048)
            do { try await fillDisk(reader, writer) } catch {
                await writer.stop()
                await reader.stop()
                throw error
            }
            await writer.stop()
            await reader.stop()
        }
    }

    private func fillDisk(_ reader: Node, _ writer: Node) async throws {
        let contacts = try await reader.connectUsers(to: writer)
        let target = "/v1/users/1/chats/direct/\(contacts[1])/messages"
        let long = String(repeating: "x", count: 10_000)
        func post(_ number: Int) async throws -> Node.Answer {
            try await writer.call("POST", target, textMessages(["\(number) \(long)"]), idempotencyKey: "\(number)")
        }
        var number = 0
        var answer = try await post(number)
        while answer.status == 201, number < 1000 {
            number += 1
            answer = try await post(number)
        }
        #expect(
            answer.status >= 500 && answer.contentType.hasPrefix("application/problem+json"),
            "\(number): \(answer)"
        )
        #expect(try await writer.readTexts(of: contacts[1]).contains("0 \(long)"))
        // The file size limit applies only to the first process, so the restarted process can write again.
        await writer.restart()
        let again = try await post(number)
        #expect(again.status == 201)
        let expected = (0...number).map { "\($0) \(long)" }
        func mine(_ texts: [String]) -> [String] { texts.filter { $0.hasSuffix("xxx") } }
        #expect(mine(try await writer.readTexts(of: contacts[1])) == expected)
        try await reader.readJournal { entry in
            guard let event = entry["event"], event["type"] == "newChatItems" else { return false }
            return (event["chatItems"]?.arrayValue ?? []).contains {
                $0["chatItem"]?["content"]?["msgContent"]?["text"] == .string("\(number) \(long)")
            }
        }
        #expect(mine(try await reader.readTexts(of: contacts[0])) == expected)
    }
}
