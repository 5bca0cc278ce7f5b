import ChatAPI
import ChatProtocol
import JSON
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent
@testable import ChatCore

extension ChannelOwnerTests {
    /// A core whose user can choose from several relays.
    struct Stage {
        let world: World
        let alice: Core
        let relays: [ScriptedRelay]

        init(relays scripts: [ScriptedRelay.Script] = [.init(), .init()]) async throws {
            world = try await World()
            alice = try await world.core("alice")
            try await alice.createUser("alice")
            var relays: [ScriptedRelay] = []
            for (index, script) in scripts.enumerated() {
                relays.append(try await ScriptedRelay("rel\(index)", in: world, script))
            }
            self.relays = relays
            let set = try await alice.run(
                "/relays " + relays.map { "name=\($0.name) \($0.address)" }.joined(separator: " ")
            )
            try #require(set["type"] == "cmdOk", "\(set)")
        }

        @discardableResult
        func createChannel(_ ids: String = "1,2") async throws -> JSONValue {
            let answer = try await alice.run("/_public group 1 \(ids) \(ChannelOwnerTests.profileJSON)")
            try #require(answer["type"] == "publicGroupCreated", "\(answer)")
            return answer
        }

        /// Waits until the link lists `count` relays.
        @discardableResult
        func waitForRelays(_ count: Int, as status: String = "active") async throws -> JSONValue {
            for told in 1... {
                let event = try await alice.wait(for: "groupLinkDataUpdated", count: told)[told - 1]
                if event["groupRelays"]?.arrayValue?.count(where: { $0["relayStatus"]?.stringValue == status }) == count
                {
                    return event
                }
            }
            return .null
        }

        /// Returns the statuses of the relays in the order in which they were chosen.
        func relayStatuses() async throws -> [String] {
            (try await alice.run("/_get relays #1")["groupRelays"]?.arrayValue ?? [])
                .sorted {
                    ($0["userChatRelay"]?["chatRelayId"]?.integerValue ?? 0)
                        < ($1["userChatRelay"]?["chatRelayId"]?.integerValue ?? 0)
                }
                .compactMap { $0["relayStatus"]?.stringValue }
        }

        func listMembers() async throws -> [JSONValue] {
            try await alice.run("/_members #1")["group"]?["members"]?.arrayValue ?? []
        }

        /// Makes a relay announce a new subscriber.
        func announceSubscriber(
            _ name: String,
            at relay: Int = 0
        ) async throws -> (id: MemberID, key: Ed25519.PrivateKey, member: Int64) {
            let (id, key) = (MemberID.random(), try Ed25519.PrivateKey())
            let channel = try #require(relays[relay].channel)
            try await relays[relay].announceSubscriber(id, key.publicKey, named: name, in: channel)
            for told in 1... {
                let event = try await alice.wait(for: "joinedGroupMemberConnecting", count: told)[told - 1]
                guard event["member"]?["memberId"]?.stringValue == id.text else { continue }
                return (id, key, try #require(event["member"]?["groupMemberId"]?.integerValue))
            }
            throw ScriptedRelay.MissingChannel(received: [])
        }

        /// Reads the data of the channel's link.
        func fetchLink() async throws -> (data: ContactLinkData, shown: GroupShortLinkData, signers: LinkSigners) {
            let text = try #require(
                try await alice.run("/_get link #1")["groupLink"]?["connLinkContact"]?["connShortLink"]?.stringValue
            )
            let (_, data, signers) = try await alice.controller.services.agent.fetchLinkData(
                user: 1,
                ShortLink(atServer: text)
            )
            guard case .contact(let contact) = data,
                let shown: GroupShortLinkData = ShortLinkData.decode(contact.userData)
            else {
                throw ScriptedRelay.MissingChannel(received: [])
            }
            return (contact, shown, signers)
        }

        func close() async {
            for relay in relays { await relay.close() }
            await alice.controller.close()
        }
    }
}
