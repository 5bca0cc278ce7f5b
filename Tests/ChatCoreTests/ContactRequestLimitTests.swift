import ChatProtocol
import SQLCipher
import Testing

@testable import Agent
@testable import ChatCore

@Suite("Limits on contact requests")
struct ContactRequestLimitTests {
    @Test
    func `An address at its limit of contact requests drops new requests until the user rejects a request`()
        async throws
    {
        let world = try await World()
        let alice = try await world.core("alice") { $0.maxContactRequests = 2 }
        try await alice.createUser("alice")
        try await alice.run("/_address 1")
        let number = try await alice.controller.store.read { db in
            try db.firstRow("SELECT agent_conn_id FROM user_addresses")?.string("agent_conn_id")
        }
        let address = try #require(ConnectionID(text: number ?? ""))
        func request(_ number: UInt8, as sender: UInt8) async throws {
            let info = """
                {"v":"1-16","event":"x.contact","params":{"profile":{"displayName":"stranger \(number)","fullName":""},"contactReqId":"\(SharedMessageID(bytes: [sender]).text)"}}
                """
            try await alice.controller.handleAgentEvents([
                .request(address, [UInt8](repeating: number, count: 12), connInfo: Array(info.utf8))
            ])
        }
        func rows(_ table: String) async throws -> Int64? {
            try await alice.controller.store.read { db in
                try db.firstRow("SELECT count(*) AS n FROM \(table)")?.int64("n")
            }
        }
        func events(_ type: String) async throws -> Int {
            try await alice.events().count { $0.event["type"]?.stringValue == type }
        }
        for number in 1...5 { try await request(UInt8(number), as: UInt8(number)) }
        #expect(try await events("receivedContactRequest") == 2)
        #expect(try await events("chatError") == 1)
        for table in ["contact_requests", "contacts"] { #expect(try await rows(table) == 2) }
        // A repeated request of the same person does not count again toward the limit, so this request is accepted.
        try await request(6, as: 1)
        #expect(try await events("receivedContactRequest") == 3)
        try await alice.run("/_reject 1")
        try await request(7, as: 7)
        #expect(try await events("receivedContactRequest") == 4)
        try await request(8, as: 8)
        #expect(try await events("chatError") == 2)
        #expect(try await rows("contact_requests") == 2)
        await alice.controller.close()
    }
}
