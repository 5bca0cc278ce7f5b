import Synchronization
import Testing

@testable import Gateway

@Suite("Tickets")
struct TicketTests {
    private func principal(_ key: String) -> Principal { Principal(keyID: key, scopes: .events, userId: nil) }

    @Test
    func `A key with too many tickets loses its oldest tickets, and other keys lose no tickets`() throws {
        let store = TicketStore()
        let other = try #require(store.issue(to: principal("other")))
        let tickets = (0..<20_000).compactMap { _ in store.issue(to: principal("greedy")) }
        #expect(tickets.count == 20_000)
        #expect(store.issue(to: principal("third")) != nil)
        #expect(store.redeem(other, for: "/a") == principal("other"))
        let newest = tickets.suffix(TicketStore.maxUnusedTicketsPerKey)
        #expect(store.redeem(tickets[tickets.count - newest.count - 1], for: "/a") == nil)
        #expect(newest.allSatisfy { store.redeem($0, for: "/a") == principal("greedy") })
    }

    @Test
    func `A used ticket does not count toward its key's limit of unused tickets`() throws {
        let store = TicketStore()
        let tickets = (0..<TicketStore.maxUnusedTicketsPerKey).compactMap { _ in store.issue(to: principal("key")) }
        #expect(store.redeem(tickets[5], for: "/a") != nil)
        #expect(store.issue(to: principal("key")) != nil)
        #expect(store.redeem(tickets[0], for: "/a") != nil)
    }

    @Test
    func `A ticket is valid only for the path named at its creation, or else for the path of its first request`() throws
    {
        let store = TicketStore()
        let free = try #require(store.issue(to: principal("key")))
        #expect(store.redeem(free, for: "/a") != nil)
        #expect(store.redeem(free, for: "/b") == nil)
        #expect(store.redeem(free, for: "/a") != nil)
        let bound = try #require(store.issue(to: principal("key"), path: "/b"))
        #expect(store.redeem(bound, for: "/a") == nil)
        #expect(store.redeem(bound, for: "/b") != nil)
    }

    @Test
    func `If a key has too many used tickets, its least recently used ticket becomes invalid`() throws {
        let store = TicketStore()
        var tickets: [String] = []
        for _ in 0..<TicketStore.maxUsedTicketsPerKey {
            let ticket = try #require(store.issue(to: principal("key")))
            #expect(store.redeem(ticket, for: "/a") != nil)
            tickets.append(ticket)
        }
        #expect(store.redeem(tickets[0], for: "/a") != nil)
        let next = try #require(store.issue(to: principal("key")))
        #expect(store.redeem(next, for: "/a") != nil)
        #expect(store.redeem(tickets[0], for: "/a") != nil)
        #expect(store.redeem(tickets[1], for: "/a") == nil)
    }

    @Test
    func `If a ticket is used for a second stream, the first stream ends`() throws {
        let store = TicketStore()
        let ended = Mutex<[Int]>([])
        let ticket = try #require(store.issue(to: principal("key")))
        _ = try #require(store.redeem(ticket, for: "/a"))
        let first = store.attachStream(ticket) { ended.withLock { $0.append(1) } }
        let second = store.attachStream(ticket) { ended.withLock { $0.append(2) } }
        #expect(ended.withLock { $0 } == [1])
        first.release()
        _ = store.attachStream(ticket) { ended.withLock { $0.append(3) } }
        #expect(ended.withLock { $0 } == [1, 2])
        second.release()
    }
}
