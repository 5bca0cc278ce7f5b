import ChatAPI
import ChatCore
import ChatModel
import JSON
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("The state of a profile with too many waiting changes", .socketTimeLimit)
struct ModelOverflowTests {
    private final class OriginNumbers: Sendable {
        private let lastNumber = Atomic<UInt64>(1 << 40)
        func nextNumber() -> UInt64 { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }
    }

    private static let origins = OriginNumbers()

    private func makeModel(_ gateway: RealGateway, _ userId: Int64, inbox: Int = 50_000) -> ProfileModel {
        ProfileModel(
            userId: userId,
            core: gateway.storeCore,
            settings: ProfileModel.Settings(
                heartbeatSeconds: 15,
                sessionLifetimeSeconds: 1800,
                maxSessions: 10,
                maxSessionItemsAndMembers: 1_000,
                maxInboxChanges: inbox,
                nextOrigin: { Self.origins.nextNumber() }
            )
        )
    }

    /// Passes changes to a state while the gate is open, and otherwise only the results of the state's own reads.
    private func passChanges(_ gateway: RealGateway, _ model: ProfileModel, isOpen: ChangeGate) {
        gateway.core.onChange { change in
            if change.orderedReadID != nil || isOpen.isOpen { model.addToInbox(change) }
        }
    }

    private final class ChangeGate: Sendable {
        private let state = Mutex(true)
        var isOpen: Bool { state.withLock { $0 } }
        func setOpen(_ value: Bool) { state.withLock { $0 = value } }
    }

    @Test
    func `Changes of a profile's state above the queue's limit are dropped, and the state is marked as incomplete`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            let model = makeModel(gateway, alice, inbox: 3)
            // The test marks the inbox as being read, so nobody empties the inbox.
            model.inbox.withLock { $0.isProcessing = true }
            passChanges(gateway, model, isOpen: ChangeGate())
            for index in 0..<3 {
                _ = try await client.post("/v1/users/\(alice)/chats/local/1/messages", textMessage("\(index)"))
            }
            #expect(model.inbox.withLock { [$0.changes.count, $0.hasOverflowed ? 1 : 0] } == [3, 0])
            for index in 0..<5 {
                _ = try await client.post("/v1/users/\(alice)/chats/local/1/messages", textMessage("\(index)"))
            }
            #expect(model.inbox.withLock { $0.changes.count <= 3 && $0.hasOverflowed })
        }
    }

    @Test
    func `After changes were dropped, the state of a profile and its sessions are read again from the store`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob, carol) = (
                try await client.createUser("alice"), try await client.createUser("bob"),
                try await client.createUser("carol")
            )
            let (bobOfAlice, aliceOfBob) = try await client.connectUsers(alice, bob)
            _ = try await client.connectUsers(alice, carol)
            let contacts = try await client.call("GET", "/v1/users/\(alice)/contacts").json["contacts"]?.arrayValue?
                .compactMap { $0["contactId"]?.integerValue }
            let carolOfAlice = try #require(contacts?.first { $0 != bobOfAlice })
            let (model, gate) = (makeModel(gateway, alice), ChangeGate())
            passChanges(gateway, model, isOpen: gate)
            try await model.loadState()
            let (one, two, three) = (
                try await model.openSession().id, try await model.openSession().id, try await model.openSession().id
            )
            let chat = ChatRef(chatType: .direct, chatId: bobOfAlice)
            _ = try await model.openChat(chat, around: nil, count: 50, in: one)
            _ = try await model.openSecondaryList(.contentTag(.voice), count: 50, in: one)
            _ = try await model.openChat(
                ChatRef(chatType: .direct, chatId: carolOfAlice),
                around: nil,
                count: 50,
                in: two
            )
            _ = try await model.setFilter(.unread, in: one)
            gate.setOpen(false)
            let voice: JSONValue = [
                "composedMessages": [["msgContent": ["type": "voice", "text": "", "duration": 1], "mentions": [:]]]
            ]
            for index in 0..<10 {
                _ = try await client.post(
                    "/v1/users/\(bob)/chats/direct/\(aliceOfBob)/messages",
                    index % 3 == 0 ? voice : textMessage("\(index)")
                )
                _ = try await client.post(
                    "/v1/users/\(alice)/chats/direct/\(bobOfAlice)/messages",
                    index % 3 == 0 ? voice : textMessage("\(index)")
                )
            }
            _ = try await client.post("/v1/users/\(alice)/tags", ["text": "work"])
            _ = try await client.call("DELETE", "/v1/users/\(alice)/chats/direct/\(carolOfAlice)?notify=false")
            // All messages are sent and received before the state is read.
            for place in ["\(alice)/chats/direct/\(bobOfAlice)", "\(bob)/chats/direct/\(aliceOfBob)"] {
                try await waitUntil("10 receipts at \(place)", every: .milliseconds(20)) {
                    let items =
                        try await client.call("GET", "/v1/users/\(place)?limit=100").json["chat"]?["chatItems"]?
                        .arrayValue ?? []
                    return items.count { $0["meta"]?["itemStatus"]?["type"] == "sndRcvd" } == 10
                }
            }
            gate.setOpen(true)
            model.inbox.withLock { $0.hasOverflowed = true }
            let known = await model.takeSnapshot().model

            let fresh = makeModel(gateway, alice)
            passChanges(gateway, fresh, isOpen: ChangeGate())
            try await fresh.loadState()
            let read = await fresh.takeSnapshot().model
            #expect(known.chats == read.chats && known.tags == read.tags && known.users == read.users)
            #expect(known.getChat("@\(carolOfAlice)") == nil && known.tags.userTags.count == 1)
            let again = try await fresh.openSession().id
            _ = try await fresh.openChat(chat, around: nil, count: 50, in: again)
            let (open, expected) = (
                try await model.requireSession(one).model,
                try await fresh.openSecondaryList(.contentTag(.voice), count: 50, in: again).model
            )
            #expect(open.im.reversedChatItems == expected.im.reversedChatItems && open.im.reversedChatItems.count > 20)
            #expect(open.secondaryIM?.reversedChatItems == expected.secondaryIM?.reversedChatItems)
            #expect(open.secondaryIM?.reversedChatItems.count == 8)
            #expect(!open.im.isLoading && open.activeFilter == .unread)
            let closed = try await model.requireSession(two).model
            #expect(closed.chatId == nil && closed.chatDeleted)
            #expect(try await model.requireSession(three).model == SessionModel(userId: alice))
        }
    }
}
