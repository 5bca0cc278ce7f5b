import Foundation
import RelayBase
import SMP
import SMPRelay
import SimpleXCrypto
import TestSupport
import Testing

@Suite("Relay: persistence", .socketTimeLimit)
struct PersistenceTests {
    @Test
    func `Queues, keys, statuses and unacknowledged messages survive a restart of the relay`() async throws {
        try await withRelay { relay in
            var session = try await relay.connect()
            let (queue, off, gone) = (
                try await session.createQueue(), try await session.createQueue(), try await session.createQueue()
            )
            #expect(try await session.send(.skey(queue.sndKey.publicKey), queue.sndID, queue.sndKey) == .ok)
            for text in ["1", "2", "3"] { #expect(try await session.post(text, to: queue, secured: true) == .ok) }
            let first = try await session.nextMessage(queue)
            guard case .msg = try await session.acknowledge(first.id, queue) else {
                throw UnexpectedAnswer(answer: .ok)
            }
            #expect(try await session.send(.off, off.rcvID, off.rcvKey) == .ok)
            #expect(try await session.send(.del, gone.rcvID, gone.rcvKey) == .ok)
            let address = relay.relay.address
            try await relay.restart()
            #expect(relay.relay.address.keyHash == address.keyHash)
            #expect(relay.relay.counts.queues == 2 && relay.relay.counts.messages == 2)

            session = try await relay.connect()
            #expect(try await session.post("4", to: queue) == .err(.auth))
            #expect(try await session.post("4", to: queue, secured: true) == .ok)
            #expect(try await session.post("a", to: off) == .err(.auth))
            #expect(try await session.send(.sub, gone.rcvID, gone.rcvKey) == .err(.auth))
            #expect(try await session.send(.sub, queue.rcvID, queue.rcvKey) == .ok)
            let messages = try await session.drainQueue(queue, from: try await session.nextMessage(queue))
            #expect(messages.map(\.text) == ["2", "3", "4"])
        }
    }

    @Test
    func `A full queue is still full after a restart of the relay`() async throws {
        try await withRelay({ $0.maxMessagesPerQueue = 2 }) { relay in
            var session = try await relay.connect()
            let queue = try await session.createQueue(subscribe: false)
            for text in ["1", "2"] { #expect(try await session.post(text, to: queue) == .ok) }
            #expect(try await session.post("3", to: queue) == .err(.quota))
            try await relay.restart()
            session = try await relay.connect()
            #expect(try await session.post("3", to: queue) == .err(.quota))
            #expect(try await session.send(.sub, queue.rcvID, queue.rcvKey) == .ok)
            let messages = try await session.drainQueue(queue, from: try await session.nextMessage(queue))
            #expect(messages.map(\.text) == ["1", "2", "QUOTA"])
            #expect(try await session.post("3", to: queue) == .ok)
        }
    }

    @Test
    func `If the relay has answered a message with OK, the message survives a kill of the relay`() async throws {
        try await withRelay { relay in
            let session = try await relay.connect()
            let queue = try await session.createQueue(subscribe: false)
            for index in 0..<20 {
                #expect(try await session.post("\(index)", to: queue) == .ok)
                // The copied files are equal to those of a relay that is killed now.
                var copy = relay.configuration
                copy.directory += "-copy"
                copy.port = 0
                defer { try? FileManager.default.removeItem(atPath: copy.directory) }
                try FileManager.default.copyItem(atPath: relay.configuration.directory, toPath: copy.directory)
                let other = try await Relay.start(configuration: copy, group: TestRelay.group, logger: TestRelay.logger)
                #expect(other.counts.messages == index + 1)
                await other.stopAndWait()
            }
        }
    }

    @Test(arguments: [1, 7, 8, 60, 20_000])
    func `A relay's log that ends in the middle of a record keeps all earlier records`(cut: Int) async throws {
        try await withRelay { relay in
            let session = try await relay.connect()
            let queue = try await session.createQueue(subscribe: false)
            let body = [UInt8](repeating: 1, count: 16000)
            for _ in 0..<3 { #expect(try await session.send(.send(.none, body: body), queue.sndID) == .ok) }
            try await relay.restart { log in
                let handle = try FileHandle(forWritingTo: log)
                let size = try handle.seekToEnd()
                try handle.truncate(atOffset: size - UInt64(cut))
                try handle.close()
            }
            #expect(relay.relay.counts.messages == (cut > 16100 ? 1 : 2))
            // A message that is written after the repair survives another restart.
            let again = try await relay.connect()
            #expect(try await again.post("after", to: queue) == .ok)
            let before = relay.relay.counts.messages
            try await relay.restart()
            #expect(relay.relay.counts.messages == before)
        }
    }

    @Test
    func `Random bytes after the last record of a relay's log are moved to a separate file`() async throws {
        try await withRelay { relay in
            let session = try await relay.connect()
            let queue = try await session.createQueue(subscribe: false)
            #expect(try await session.post("a", to: queue) == .ok)
            let noise = RandomBytes.make(count: 100)
            try await relay.restart { log in
                let handle = try FileHandle(forWritingTo: log)
                try handle.seekToEnd()
                try handle.write(contentsOf: noise)
                try handle.close()
            }
            #expect(relay.relay.counts.messages == 1)
            let kept = try Data(contentsOf: URL(fileURLWithPath: relay.logFile.path + ".damaged"))
            #expect(Array(kept) == noise)
        }
    }

    @Test
    func `A file at the path of the relay's log that is not a log is not overwritten`() async throws {
        try await withRelay { relay in
            let copy = relay.configuration.directory + "-foreign"
            try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: copy) }
            let text = Data("something else altogether, and longer than the first line of a log".utf8)
            try text.write(to: URL(fileURLWithPath: copy + "/queues.log"))
            await #expect(throws: RelayError.self) {
                try await Relay.start(configuration: RelayConfiguration(directory: copy), group: TestRelay.group)
            }
            let after = try Data(contentsOf: URL(fileURLWithPath: copy + "/queues.log"))
            #expect(after == text)
        }
    }

    @Test
    func `A relay's log of version 1 is upgraded to version 2, and a log of a later version is refused`() async throws {
        try await withRelay { relay in
            var session = try await relay.connect()
            let queue = try await session.createQueue(subscribe: false)
            #expect(try await session.post("old", to: queue) == .ok)
            let position = Array("simplex-gateway relay log ".utf8).count
            func version(_ log: URL) throws -> UInt8 { try Data(contentsOf: log)[position] }
            try await relay.restart { log in
                // Without links, notifiers and services the records are those of version 1.
                var bytes = try Data(contentsOf: log)
                #expect(bytes[position] == UInt8(ascii: "2"))
                bytes[position] = UInt8(ascii: "1")
                try bytes.write(to: log)
            }
            #expect(try version(relay.logFile) == UInt8(ascii: "2"))
            session = try await relay.connect()
            #expect(try await session.send(.sub, queue.rcvID, queue.rcvKey) == .ok)
            #expect(try await session.nextMessage(queue).text == "old")
            await #expect(throws: RelayError.self) {
                try await relay.restart { log in
                    var bytes = try Data(contentsOf: log)
                    bytes[position] = UInt8(ascii: "3")
                    try bytes.write(to: log)
                }
            }
            var bytes = try Data(contentsOf: relay.logFile)
            #expect(bytes[position] == UInt8(ascii: "3"))
            bytes[position] = UInt8(ascii: "2")
            try bytes.write(to: relay.logFile)
        }
    }

    @Test
    func `A data folder is used by only one relay at a time`() async throws {
        try await withRelay { relay in
            await #expect(throws: RelayError.self) {
                try await Relay.start(configuration: relay.configuration, group: TestRelay.group)
            }
        }
    }

    @Test
    func `A compacted relay log contains only unacknowledged messages, and new messages are appended`() async throws {
        try await withRelay { relay in
            let session = try await relay.connect()
            let queue = try await session.createQueue()
            let body = [UInt8](repeating: 1, count: 16000)
            for _ in 0..<20 {
                #expect(try await session.send(.send(.none, body: body), queue.sndID) == .ok)
                let message = try await session.nextMessage(queue)
                #expect(try await session.acknowledge(message.id, queue) == .ok)
            }
            #expect(try await session.post("kept", to: queue) == .ok)
            let before = try Data(contentsOf: relay.logFile).count
            await relay.relay.compactLog()
            #expect(try Data(contentsOf: relay.logFile).count < before / 100)
            #expect(try await session.post("after", to: queue) == .ok)
            try await relay.restart()
            #expect(relay.relay.counts.messages == 2)
        }
    }

    @Test
    func `A compaction of the relay's log that fails on a full disk keeps the log usable`() async throws {
        try await withRelay { relay in
            let session = try await relay.connect()
            let queue = try await session.createQueue(subscribe: false)
            #expect(try await session.post("1", to: queue) == .ok)
            let new = relay.logFile.path + ".new"
            try FileManager.default.createSymbolicLink(atPath: new, withDestinationPath: "/dev/full")
            await relay.relay.compactLog()
            #expect((try? FileManager.default.attributesOfItem(atPath: new)) == nil)
            #expect(try await session.post("2", to: queue) == .ok)
            await relay.relay.compactLog()
            try await relay.restart()
            let again = try await relay.connect()
            #expect(try await again.send(.sub, queue.rcvID, queue.rcvKey) == .ok)
            #expect(
                try await again.drainQueue(queue, from: try await again.nextMessage(queue)).map(\.text) == ["1", "2"]
            )
        }
    }

    @Test
    func `A compaction of the relay's log during traffic neither loses nor repeats a message`() async throws {
        try await withRelay({ $0.maxMessagesPerQueue = 1000 }) { relay in
            let sessions = [try await relay.connect(), try await relay.connect()]
            var queues: [TestQueue] = []
            for session in sessions { queues.append(try await session.createQueue(subscribe: false)) }
            let running = relay.relay
            let compacting = Task {
                for _ in 0..<5 { await running.compactLog() }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (session, queue) in zip(sessions, queues) {
                    group.addTask {
                        for index in 0..<100 {
                            let answer = try await session.post("\(index)", to: queue)
                            #expect(answer == .ok)
                        }
                    }
                }
                try await group.waitForAll()
            }
            await compacting.value
            try await relay.restart()
            let session = try await relay.connect()
            for queue in queues {
                #expect(try await session.send(.sub, queue.rcvID, queue.rcvKey) == .ok)
                let messages = try await session.drainQueue(queue, from: try await session.nextMessage(queue))
                #expect(messages.map(\.text) == (0..<100).map { "\($0)" })
            }
        }
    }
}
