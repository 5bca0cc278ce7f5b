import ChatAPI
import ChatModel
import JSON
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("Patches of the states of profiles and sessions")
struct ModelPatchTests {
    /// All updates that clients of the original got, for user 1.
    private static let recordedUpdates: [ModelUpdates] = {
        var updates: [ModelUpdates] = []
        for name in [
            "messages-direct", "messages-content", "group-basic", "connect-address", "receipts-statuses", "tags",
            "group-links", "notes-folder", "calls",
            "remote-control", "notifications", "group-moderation", "group-profile-prefs", "merged-members",
            "chat-settings", "servers", "users",
        ] {
            var commands: [String: String] = [:]
            for line in (try? Fixture.readTranscript(name)) ?? [] {
                let key = "\(line["client"]?.text ?? "") \(line["corrId"]?.text ?? "")"
                if line["dir"] == "cmd" { commands[key] = line["cmd"]?.stringValue }
                guard let json = line["json"], json["type"] != "chatCmdError" else { continue }
                if line["dir"] == "event", let event = try? JSONDecoder().decode(ChatEvent.self, from: json) {
                    updates.append(ModelUpdates(event))
                }
                if line["dir"] == "resp", let text = commands[key], let command = try? ChatCommand(parsing: text),
                    let response = try? JSONDecoder().decode(ChatResponse.self, from: json)
                {
                    updates.append(ModelUpdates(response, to: command))
                }
            }
        }
        return updates.filter { !$0.updates.isEmpty }
    }()

    @Test(arguments: 1...4)
    func `A reader that applies all patches has the server's state after thousands of random events`(
        seed: UInt64
    ) throws {
        var random = SeededRandom(seed: seed)
        var model = ChatModel(userId: 1)
        model.apply(ModelUpdates(userId: 1, [.chats([])]))
        var session = SessionModel(userId: 1)
        var (shown, shownSession) = (model, session)
        var documents = (all: try encodeDocument(model, true), own: try encodeDocument(model, false))
        var sessionDocument = try JSONEncoder().encodeValue(session)
        _ = model.takeChanges()
        #expect(Self.recordedUpdates.count > 1_000)
        for step in 0..<2500 {
            guard let update = Self.recordedUpdates.randomElement(using: &random) else { return }
            model.apply(update)
            session.apply(update)
            if step % 40 == 0, let chat = model.chats.randomElement(using: &random) {
                guard let reference = chat.chatInfo.chatRef else { continue }
                session.openChat(reference)
                let page = AChat(chatInfo: chat.chatInfo, chatItems: chat.chatItems, chatStats: chat.chatStats)
                session.addPage(.primary, page, page: .last, count: 50, navigation: nil)
            }
            if step % 60 == 0, let info = session.chatInfo {
                session.openSecondaryList(
                    step % 120 == 0
                        ? .msgContentTagContext(contentTag: .text)
                        : .groupChatScopeContext(groupScopeInfo: .memberSupport(groupMember_: nil))
                )
                session.addPage(
                    .secondary,
                    AChat(chatInfo: info, chatItems: [], chatStats: .none),
                    page: .last,
                    count: 50,
                    navigation: nil
                )
            }
            if step % 150 == 0 { session.closeSecondaryList() }
            if step % 50 == 0 {
                session.activeFilter = step % 100 == 0 ? .unread : model.tags.userTags.first.map { .userTag($0) }
            }
            if step % 45 == 0, let chat = model.chats.randomElement(using: &random) {
                model.setDraft(ComposeState(message: "\(step)"), in: chat.id)
            }
            if step % 97 == 0, let chat = model.chats.randomElement(using: &random) { model.removeChat(chat.id) }
            guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
            let changes = model.takeChanges()
            let common = try ProfileDocument.makeSharedPatch(from: shown, to: model, changes, JSONEncoder()).operations
            let all = try ProfileDocument.makeReaderPatch(from: shown, to: model, allUsers: true, JSONEncoder())
            let own = try ProfileDocument.makeReaderPatch(from: shown, to: model, allUsers: false, JSONEncoder())
            documents.all = try documents.all.applying(JSONPatch(JSONPatch(common + all).jsonValue))
            documents.own = try documents.own.applying(JSONPatch(JSONPatch(common + own).jsonValue))
            sessionDocument = try sessionDocument.applying(
                SessionPatches.makePatch(from: shownSession, to: session, JSONEncoder())
            )
            (shown, shownSession) = (model, session)
            guard Int.random(in: 0..<30, using: &random) == 0 || step > 2490 else { continue }
            #expect(documents.all.withSortedMembers == (try encodeDocument(model, true)).withSortedMembers)
            #expect(documents.own.withSortedMembers == (try encodeDocument(model, false)).withSortedMembers)
            #expect(sessionDocument.withSortedMembers == (try JSONEncoder().encodeValue(session)).withSortedMembers)
        }
    }

    private func encodeDocument(_ model: ChatModel, _ all: Bool) throws -> JSONValue {
        try JSONValue(parsing: ProfileDocument(model: model, showsAllUsers: all).encode(chats: .max, JSONEncoder()))
    }

    /// A reader that refuses events until the test permits them.
    private final class SlowReader: EventSink {
        let receivedCalls = Mutex((events: [UInt64](), gaps: [UInt64](), takes: true))

        func deliverEvents(_ events: [Event]) -> Bool {
            receivedCalls.withLock { seen in
                seen.events += events.map(\.seq)
                return seen.takes
            }
        }
        func reportGap(oldest: UInt64) { receivedCalls.withLock { $0.gaps.append(oldest) } }
        func sendHeartbeat(passed: UInt64?) {}
        func end(_ reason: StreamEnd) {}
    }

    /// A reader that takes two events at a time.
    private final class NarrowReader: EventSink {
        let receivedNumbers = Mutex<[[UInt64]]>([])

        func deliverEvents(_ events: [Event]) -> Bool { writeFittingEvents(events).hasRoom }
        func writeFittingEvents(_ events: [Event]) -> (count: Int, hasRoom: Bool) {
            receivedNumbers.withLock { $0.append(events.prefix(2).map(\.seq)) }
            return (min(2, events.count), events.count < 2)
        }
        func reportGap(oldest: UInt64) {}
        func sendHeartbeat(passed: UInt64?) {}
        func end(_ reason: StreamEnd) {}
    }

    @Test
    func `Events that a reader has not accepted are delivered to this reader again, in order`() async throws {
        let journal = MemoryJournal()
        journal.publish(["a", "b", "a", "b", "b", "a", "b"])
        let hub = EventHub(source: journal)
        let reader = NarrowReader()
        let feed = EventFeed(
            after: 0,
            filter: EventFilter(types: ["b"]),
            credential: nil,
            source: journal,
            sink: reader
        )
        #expect(hub.addFeed(feed))
        for count in 1...2 {
            try await waitUntil("the reader gets events") { reader.receivedNumbers.withLock { $0.count } == count }
            feed.resumeSending()
        }
        try await waitUntil("all events were read") { reader.receivedNumbers.withLock { $0.joined().last } == 7 }
        #expect(Array(reader.receivedNumbers.withLock { $0 }.joined()) == [2, 4, 5, 7])
        journal.publish(["b", "a"])
        feed.resumeSending()
        try await waitUntil("the new event is read") { reader.receivedNumbers.withLock { $0.joined().last } == 8 }
        hub.stop()
    }

    @Test
    func `A slow reader gets a gap instead of missed patches, and does not delay other readers`() async throws {
        let log = ModelLog(epoch: "test", limit: ModelLog.LogLimits(maxCount: 100, maxBytes: 1 << 20))
        let hub = EventHub(source: log)
        let (slow, quick) = (SlowReader(), SlowReader())
        slow.receivedCalls.withLock { $0.takes = false }
        let feeds = [slow, quick].map {
            EventFeed(after: 0, filter: EventFilter(), credential: nil, source: log, sink: $0)
        }
        for feed in feeds { #expect(hub.addFeed(feed)) }
        for index in 0..<1000 {
            log.publishPatch(JSONPatch([.replace(path: "/a", .integer(Int64(index)))]), cursor: "c")
        }
        #expect(quick.receivedCalls.withLock { $0.events } == Array(1...1000))
        #expect(slow.receivedCalls.withLock { $0.events } == [1])
        #expect(log.oldestSeq > 900)
        slow.receivedCalls.withLock { $0.takes = true }
        feeds[0].resumeSending()
        try await waitUntil("the last event comes") { slow.receivedCalls.withLock { $0.events.last == 1000 } }
        #expect(slow.receivedCalls.withLock { $0.gaps } == [log.oldestSeq])
        #expect(slow.receivedCalls.withLock { $0.events } == [1] + Array(log.oldestSeq...1000))
        hub.stop()
    }
}
