import Testing

@testable import Gateway

@Suite("Tickets")
struct TicketTests {
    private func principal(_ key: String) -> Principal { Principal(keyID: key, scopes: .events, userId: nil) }

    @Test("a key that asks for many has its newest, and takes none from other keys")
    func perKey() throws {
        let booth = TicketStore()
        let other = try #require(booth.issue(to: principal("other")))
        let tickets = (0..<20_000).compactMap { _ in booth.issue(to: principal("greedy")) }
        #expect(tickets.count == 20_000)
        #expect(booth.issue(to: principal("third")) != nil)
        #expect(booth.redeem(other) == principal("other"))
        let newest = tickets.suffix(TicketStore.keyLimit)
        #expect(booth.redeem(tickets[tickets.count - newest.count - 1]) == nil)
        #expect(newest.allSatisfy { booth.redeem($0) == principal("greedy") })
    }

    @Test("a ticket that was used makes room for the next of its key")
    func used() throws {
        let booth = TicketStore()
        let tickets = (0..<TicketStore.keyLimit).compactMap { _ in booth.issue(to: principal("key")) }
        #expect(booth.redeem(tickets[5]) != nil)
        #expect(booth.issue(to: principal("key")) != nil)
        #expect(booth.redeem(tickets[0]) != nil)
    }
}
