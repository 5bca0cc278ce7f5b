import SMP
import SMPRelay
import Synchronization
import TestSupport
import Testing

@Suite("Relay: names of a resolver", .socketTimeLimit)
struct NameResolverTests {
    /// A resolver whose answers wait for the test.
    private final class WaitingResolver: Sendable {
        private let pendingRequests = Mutex<[(name: NameDomain, answer: CheckedContinuation<Answer, Never>)]>([])
        typealias Answer = Result<[UInt8], SMPNameError>

        var pendingNames: [NameDomain] { pendingRequests.withLock { $0.map(\.name) } }

        func resolve(_ name: NameDomain) async throws(SMPNameError) -> [UInt8] {
            let answer = await withCheckedContinuation { continuation in
                pendingRequests.withLock { $0.append((name, continuation)) }
            }
            return try answer.get()
        }

        /// Answers the oldest request, which must be for this name.
        func answerOldest(_ name: NameDomain, _ answer: Answer) {
            let first = pendingRequests.withLock { $0.removeFirst() }
            #expect(first.name == name)
            first.answer.resume(returning: answer)
        }
    }

    /// The names that a resolver was asked for.
    private final class AskedNames: Sendable {
        private let list = Mutex<[NameDomain]>([])
        var names: [NameDomain] { list.withLock { $0 } }
        func add(_ name: NameDomain) { list.withLock { $0.append(name) } }
    }

    private static func parseName(_ text: String) throws -> NameDomain { try NameDomain(parsing: text.utf8) }
    private static let record = Array(#"{"name":"alice.simplex"}"#.utf8)

    @Test
    func `A relay asks its name resolver only for SimpleX names that the relay's file does not have`() async throws {
        let (alice, bob) = (try Self.parseName("alice.simplex"), try Self.parseName("bob.simplex"))
        let asked = AskedNames()
        try await withRelay({
            $0.nameRecords = [alice: Self.record]
            $0.nameResolver = { name throws(SMPNameError) in
                asked.add(name)
                if name == bob { return [1] }
                throw .notFound
            }
        }) { relay in
            let session = try await relay.connect(version: 20)
            #expect(try await session.send(.rslv(alice)) == .rname(Self.record))
            #expect(asked.names == [])
            #expect(try await session.send(.rslv(bob)) == .rname([1]))
            #expect(try await session.send(.rslv(Self.parseName("c.simplex"))) == .err(.name(.notFound)))
            #expect(asked.names == [bob, try Self.parseName("c.simplex")])
            let statistics = relay.relay.statistics
            #expect(statistics["names_requested"] == 3 && statistics["names_resolved"] == 2)
            #expect(statistics["names_failed"] == 0)
        }
    }

    @Test
    func `Other commands are answered while a SimpleX name of the same session waits for the resolver`()
        async throws
    {
        let (name, resolver) = (try Self.parseName("alice.simplex"), WaitingResolver())
        try await withRelay({ $0.nameResolver = resolver.resolve }) { relay in
            try await withRelay { proxy in
                let session = try await relay.connect(version: 20)
                let queue = try await session.createQueue(mode: .contact)
                let direct = Task { try await session.send(.rslv(name)) }
                try await waitUntil("the resolver is asked") { resolver.pendingNames == [name] }
                #expect(try await session.post("a", to: queue) == .ok)
                #expect(try await session.send(.ping) == .pong)
                resolver.answerOldest(name, .success(Self.record))
                #expect(try await direct.value == .rname(Self.record))

                let client = SMPClient(server: proxy.relay.address, group: TestRelay.group) { _ in }
                let address = relay.relay.address
                let forwarded = Task { try await client.sendThroughProxy(SMPRequest(.rslv(name)), to: address) }
                try await waitUntil("the resolver is asked") { resolver.pendingNames == [name] }
                let sent = try await client.sendThroughProxy(
                    SMPRequest(.send(.none, body: [1]), entityID: queue.sndID),
                    to: address
                )
                #expect(sent == .ok)
                resolver.answerOldest(name, .success(Self.record))
                #expect(try await forwarded.value == .rname(Self.record))

                let failed = Task { try await client.sendThroughProxy(SMPRequest(.rslv(name)), to: address) }
                try await waitUntil("the resolver is asked") { resolver.pendingNames == [name] }
                resolver.answerOldest(name, .failure(.resolver("HTTP 502")))
                await #expect(throws: SMPClientError.smp(.name(.resolver("HTTP 502")))) { try await failed.value }
                #expect(relay.relay.statistics["names_failed"] == 1)
                await client.close()
            }
        }
    }

    @Test
    func `RSLV requests above the limit of a session or relay are refused until the name resolver has answered`()
        async throws
    {
        let (name, resolver) = (try Self.parseName("alice.simplex"), WaitingResolver())
        try await withRelay({ ($0.nameResolver, $0.maxNameRequests) = (resolver.resolve, 2) }) { relay in
            let refused = BrokerMessage.err(.name(.resolver("too many requests")))
            let sessions = [
                try await relay.connect(version: 20), try await relay.connect(version: 20),
                try await relay.connect(version: 20),
            ]
            let first = Task { try await sessions[0].send(.rslv(name)) }
            try await waitUntil("the resolver is asked") { resolver.pendingNames.count == 1 }
            #expect(try await sessions[0].send(.rslv(name)) == refused)
            let second = Task { try await sessions[1].send(.rslv(name)) }
            try await waitUntil("the resolver is asked") { resolver.pendingNames.count == 2 }
            #expect(try await sessions[2].send(.rslv(name)) == refused)
            resolver.answerOldest(name, .failure(.notFound))
            resolver.answerOldest(name, .failure(.notFound))
            #expect(try await first.value == .err(.name(.notFound)))
            #expect(try await second.value == .err(.name(.notFound)))
            let third = Task { try await sessions[0].send(.rslv(name)) }
            try await waitUntil("the resolver is asked") { resolver.pendingNames.count == 1 }
            resolver.answerOldest(name, .success(Self.record))
            #expect(try await third.value == .rname(Self.record))
        }
    }

    @Test
    func `RSLV requests of an ended session count toward the limit until the name resolver has answered`() async throws
    {
        let (name, resolver, asked) = (try Self.parseName("alice.simplex"), WaitingResolver(), AskedNames())
        try await withRelay({
            $0.maxNameRequests = 1
            $0.nameResolver = { name throws(SMPNameError) in
                asked.add(name)
                return asked.names.count == 1 ? try await resolver.resolve(name) : Self.record
            }
        }) { relay in
            let gone = try await relay.connect(version: 20)
            let lost = Task { try await gone.send(.rslv(name)) }
            try await waitUntil("the resolver is asked") { resolver.pendingNames == [name] }
            await gone.session.close()
            await #expect(throws: SMPClientError.self) { try await lost.value }
            let session = try await relay.connect(version: 20)
            #expect(try await session.send(.rslv(name)) == .err(.name(.resolver("too many requests"))))
            resolver.answerOldest(name, .success(Self.record))
            try await waitUntil("a place is free") { try await session.send(.rslv(name)) == .rname(Self.record) }
        }
    }

    @Test
    func `A relay can stop while its name resolver does not answer`() async throws {
        let (name, asked) = (try Self.parseName("alice.simplex"), AskedNames())
        try await withRelay({
            $0.nameResolver = { name throws(SMPNameError) in
                asked.add(name)
                try? await Task.sleep(for: .seconds(3600))
                throw .resolver("timeout")
            }
        }) { relay in
            let session = try await relay.connect(version: 20)
            let answer = Task { try await session.send(.rslv(name)) }
            try await waitUntil("the resolver is asked") { asked.names == [name] }
            try await relay.restart()
            _ = try? await answer.value
        }
    }
}
