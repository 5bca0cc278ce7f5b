import Dispatch
import SMP
import SimpleXCrypto
import TestSupport
import Testing

@testable import SMPRelay

@Suite("Relay: messages", .socketTimeLimit)
struct MessageTests {
    @Test(arguments: UInt16(9)...11)
    func `A sent message reaches the subscribed recipient, and is deleted when it is acknowledged`(
        version: UInt16
    ) async throws {
        try await withRelay { relay in
            let (recipient, sender) = (
                try await relay.connect(version: version), try await relay.connect(version: version)
            )
            let queue = try await recipient.createQueue()
            #expect(try await sender.post("hello", to: queue) == .ok)
            let message = try await recipient.nextMessage(queue)
            #expect(message.text == "hello")
            #expect(try await recipient.acknowledge(message.id, queue) == .ok)
            #expect(relay.relay.counts.messages == 0)
            try await recipient.expectSilence()
        }
    }

    @Test
    func `A relay delivers a message before its commit, and answers the sender with OK after the commit`() async throws
    {
        try await withRelay { relay in
            let (recipient, sender) = (try await relay.connect(), try await relay.connect())
            let queue = try await recipient.createQueue()
            let log = relay.relay.context.store.log
            let release = DispatchSemaphore(value: 0)
            let (isHeld, held) = AsyncStream<Void>.makeStream()
            async let exchange: Void = log.runBetweenWrites { _ in
                held.finish()
                release.wait()
            }
            for await _ in isHeld {}
            let sending = Task { try await sender.post("hello", to: queue) }
            #expect(try await recipient.nextMessage(queue).text == "hello")
            #expect(log.lastCommittedRecordNumber < log.lastAwaitedRecordNumber)
            release.signal()
            #expect(try await sending.value == .ok)
            #expect(log.lastCommittedRecordNumber == log.lastAwaitedRecordNumber)
            try await exchange
        }
    }

    @Test
    func `Each message of a queue is delivered after the acknowledgement of the previous message`() async throws {
        try await withRelay { relay in
            let (recipient, sender) = (try await relay.connect(), try await relay.connect())
            let queue = try await recipient.createQueue()
            for index in 0..<5 { #expect(try await sender.post("\(index)", to: queue) == .ok) }
            let first = try await recipient.nextMessage(queue)
            try await recipient.expectSilence()
            let all = try await recipient.drainQueue(queue, from: first)
            #expect(all.map(\.text) == ["0", "1", "2", "3", "4"])
        }
    }

    @Test
    func `ACK is refused with NO_MSG if no delivered message of the queue waits for an acknowledgement`() async throws {
        try await withRelay { relay in
            let (recipient, sender) = (try await relay.connect(), try await relay.connect())
            let queue = try await recipient.createQueue()
            #expect(try await recipient.acknowledge(RandomBytes.make(count: 24), queue) == .err(.noMsg))
            #expect(try await sender.post("a", to: queue) == .ok)
            let message = try await recipient.nextMessage(queue)
            #expect(try await recipient.acknowledge(RandomBytes.make(count: 24), queue) == .err(.noMsg))
            #expect(try await recipient.acknowledge(message.id, queue) == .ok)
            #expect(try await recipient.acknowledge(message.id, queue) == .err(.noMsg))
        }
    }

    @Test(arguments: [UInt16(11), 18])
    func `A client that subscribes to many queues gets all answers before the first message`(
        version: UInt16
    ) async throws {
        try await withRelay { relay in
            let sender = try await relay.connect()
            var queues: [TestQueue] = []
            for _ in 0..<40 {
                let queue = try await sender.createQueue(subscribe: false)
                let body = [UInt8](repeating: 7, count: 16000)
                #expect(try await sender.send(.send(.none, body: body), queue.sndID) == .ok)
                queues.append(queue)
            }
            let client = try await RawClient(relay.relay.address, version: version)
            let session = try #require(client.parameters)
            let transmissions = try queues.map { queue in
                let corrID = RandomBytes.make(count: 24)
                let content = try TransmissionContent(.sub, corrID: corrID, entityID: queue.rcvID, session: session)
                return content.encodeTransmission(
                    authorization: try content.makeAuthorization(by: queue.rcvKey, corrID: corrID, serverKey: nil)
                )
            }
            for case .block(let content, _) in TransmissionBatch.splitIntoBlocks(transmissions) {
                try await client.sendBlock(content)
            }
            var told: [BrokerMessage] = []
            while told.count < 80 { told += try await client.receiveAnswers().map(\.message) }
            #expect(
                told.prefix(40).allSatisfy { $0.tag == "SOK" || $0.tag == "OK" }
                    && told.suffix(40).allSatisfy { $0.tag == "MSG" },
                "\(told.map(\.tag))"
            )
            await client.close()
        }
    }

    @Test
    func `A repeated subscription delivers the unacknowledged message again`() async throws {
        try await withRelay { relay in
            let (recipient, sender) = (try await relay.connect(), try await relay.connect())
            let queue = try await recipient.createQueue()
            #expect(try await sender.post("a", to: queue) == .ok)
            let first = try await recipient.nextMessage(queue)
            #expect(try await recipient.send(.sub, queue.rcvID, queue.rcvKey) == .ok)
            #expect(try await recipient.nextMessage(queue) == first)
        }
    }

    @Test
    func `A queue that was created without a subscription delivers messages only after SUB`() async throws {
        try await withRelay { relay in
            let (recipient, sender) = (try await relay.connect(), try await relay.connect())
            let queue = try await recipient.createQueue(subscribe: false)
            #expect(try await sender.post("a", to: queue) == .ok)
            try await recipient.expectSilence()
            #expect(try await recipient.send(.sub, queue.rcvID, queue.rcvKey) == .ok)
            #expect(try await recipient.nextMessage(queue).text == "a")
        }
    }

    @Test(arguments: [(9, 16064), (11, 16048)])
    func `A message body of the maximum length is accepted, and a longer body gets LARGE_MSG`(
        version: UInt16,
        length: Int
    ) async throws {
        try await withRelay { relay in
            let (recipient, sender) = (
                try await relay.connect(version: version), try await relay.connect(version: version)
            )
            let queue = try await recipient.createQueue()
            let body = RandomBytes.make(count: length)
            #expect(try await sender.send(.send(MessageFlags(notification: true), body: body), queue.sndID) == .ok)
            guard case .message(_, let flags, let received) = try await recipient.nextMessage(queue).body else {
                Issue.record("the recipient got a quota message")
                return
            }
            #expect(received == body && flags.shouldNotify)
            #expect(try await sender.send(.send(.none, body: body + [0]), queue.sndID) == .err(.largeMsg))
        }
    }

    @Test
    func `A full queue refuses messages with QUOTA until the recipient acknowledges the quota marker`() async throws {
        try await withRelay({ $0.maxMessagesPerQueue = 3 }) { relay in
            let (recipient, sender) = (try await relay.connect(), try await relay.connect())
            let queue = try await recipient.createQueue()
            for index in 0..<3 { #expect(try await sender.post("\(index)", to: queue) == .ok) }
            #expect(try await sender.post("too many", to: queue) == .err(.quota))
            #expect(try await sender.post("too many", to: queue) == .err(.quota))
            var message = try await recipient.nextMessage(queue)
            var texts = [message.text]
            for _ in 0..<3 {
                // The queue has free space, but accepts no message until the marker is acknowledged.
                #expect(try await sender.post("too early", to: queue) == .err(.quota))
                message = try TestMessage(try await recipient.acknowledge(message.id, queue), queue)
                _ = try await recipient.nextEvent()
                texts.append(message.text)
            }
            #expect(texts == ["0", "1", "2", "QUOTA"])
            #expect(try await sender.post("too early", to: queue) == .err(.quota))
            #expect(try await recipient.acknowledge(message.id, queue) == .ok)
            #expect(try await sender.post("again", to: queue) == .ok)
            #expect(try await recipient.nextMessage(queue).text == "again")
        }
    }

    @Test
    func `The ACK of a message from GET is answered with OK instead of the next message`() async throws {
        try await withRelay { relay in
            let (recipient, sender) = (try await relay.connect(), try await relay.connect())
            let queue = try await recipient.createQueue(subscribe: false)
            let get = SMPRequest(.get, entityID: queue.rcvID, key: queue.rcvKey)
            #expect(try await recipient.send([get]) == [.ok])
            for text in ["a", "b"] { #expect(try await sender.post(text, to: queue) == .ok) }
            let first = try TestMessage(try await recipient.send([get])[0], queue)
            // Without an ACK, GET returns the same message.
            #expect(try TestMessage(try await recipient.send([get])[0], queue) == first)
            #expect(try await recipient.acknowledge(first.id, queue) == .ok)
            #expect(try await recipient.acknowledge(first.id, queue) == .err(.noMsg))
            #expect(try TestMessage(try await recipient.send([get])[0], queue).text == "b")
        }
    }

    @Test
    func `A session cannot use both GET and SUB for the same queue`() async throws {
        try await withRelay { relay in
            let session = try await relay.connect()
            let subscribed = try await session.createQueue()
            #expect(try await session.send(.get, subscribed.rcvID, subscribed.rcvKey) == .err(.cmd(.prohibited)))
            let polled = try await session.createQueue(subscribe: false)
            #expect(try await session.send(.get, polled.rcvID, polled.rcvKey) == .ok)
            #expect(try await session.send(.sub, polled.rcvID, polled.rcvKey) == .err(.cmd(.prohibited)))
        }
    }

    @Test
    func `Expired messages of a queue are deleted when another message is sent`() async throws {
        try await withRelay({ $0.messageLifetimeSeconds = -10 }) { relay in
            let (recipient, sender) = (try await relay.connect(), try await relay.connect())
            let queue = try await recipient.createQueue(subscribe: false)
            for text in ["old", "new"] { #expect(try await sender.post(text, to: queue) == .ok) }
            #expect(relay.relay.counts.messages == 1)
            #expect(try await recipient.send(.sub, queue.rcvID, queue.rcvKey) == .ok)
            #expect(try await recipient.nextMessage(queue).text == "new")
        }
    }
}
