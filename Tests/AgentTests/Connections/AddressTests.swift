import SMP
import TestSupport
import Testing

@testable import Agent

@Suite(.socketTimeLimit) struct AddressTests {
    /// Sends a request from `bob` to `alice`'s address. Returns the id of his connection and her id of the invitation.
    private func requestConnection(
        _ address: ConnectionRequest,
        _ alice: TestAgent,
        _ bob: TestAgent,
        info: String
    ) async throws -> (ConnectionID, InvitationID) {
        let link = try ConnectionRequest(parsing: address.uri)
        let id = try await bob.agent.prepareJoin(user: bob.user, request: link)
        #expect(try await bob.agent.join(connection: id, request: link, connInfo: Array(info.utf8)) == false)
        let invitation = try await alice.waitForFirst("request") { event -> InvitationID? in
            if case .request(_, let id, let received) = event, received == Array(info.utf8) { id } else { nil }
        }
        return (id, invitation)
    }

    /// Accepts the owner's confirmation at the side that sent the request.
    private func allowConnection(_ id: ConnectionID, _ bob: TestAgent) async throws {
        let confirmation = try await bob.waitForFirst("confirmation") { event -> ConfirmationID? in
            if case .confirmation(id, let confirmation, let info) = event, info == Array("alice".utf8) {
                confirmation
            } else {
                nil
            }
        }
        try await bob.agent.allow(connection: id, confirmation: confirmation, connInfo: Array("bob".utf8))
    }

    @Test(arguments: [QueueMode.messaging, .contact])
    func `Each accepted request to an address connects the sender with the owner of the address`(
        mode: QueueMode
    ) async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address, queueMode: mode)
        let (_, address) = try await alice.agent.createAddress(user: alice.user)
        #expect(!address.isInvitation)
        for name in ["bob", "carol"] {
            let peer = try await TestAgent(relay.address, queueMode: mode)
            let (peerID, invitation) = try await requestConnection(address, alice, peer, info: name)
            let id = try await alice.agent.prepareAcceptance(invitation)
            try await alice.agent.acceptRequest(invitation, connection: id, connInfo: Array("alice".utf8))
            let isSecured = try await alice.waitForFirst("joined") {
                if case .joined(id, let isSecured) = $0 { isSecured } else { nil }
            }
            #expect(isSecured == (mode == .messaging))
            try await allowConnection(peerID, peer)
            try await alice.waitUntilConnected(id)
            try await peer.waitUntilConnected(peerID)
            try await alice.send(["welcome \(name)"], on: id)
            #expect(try await peer.waitForTexts(1) == ["welcome \(name)"])
            await #expect(throws: AgentError.command(.prohibited, context: "no invitation")) {
                try await alice.agent.prepareAcceptance(invitation)
            }
            await peer.agent.close()
        }
        await alice.agent.close()
        await relay.relay.stopAndWait()
    }

    @Test
    func `A rejected user can send the request again, and the second request can be accepted`() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (_, address) = try await alice.agent.createAddress(user: alice.user)
        let (bobID, rejected) = try await requestConnection(address, alice, bob, info: "bob")
        try await alice.agent.rejectRequest(rejected)
        _ = try await bob.agent.join(connection: bobID, request: address, connInfo: Array("bob".utf8))
        let invitations = try await alice.waitForAll("requests", 2) {
            if case .request(_, let id, _) = $0 { id } else { nil }
        }
        let id = try await alice.agent.prepareAcceptance(invitations[1])
        try await alice.agent.acceptRequest(invitations[1], connection: id, connInfo: Array("alice".utf8))
        try await allowConnection(bobID, bob)
        try await alice.waitUntilConnected(id)
        try await bob.waitUntilConnected(bobID)
    }

    @Test
    func `A request to an address cannot be accepted after it was rejected`() async throws {
        let relay = try await TestRelay()
        let first = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (_, address) = try await first.agent.createAddress(user: first.user)
        let (_, rejected) = try await requestConnection(address, first, bob, info: "bob")
        try await first.agent.rejectRequest(rejected)
        await #expect(throws: AgentError.self) { try await first.agent.prepareAcceptance(rejected) }
        await first.agent.close()
        let again = try await TestAgent(relay.address, folder: first.folder, user: first.user)
        let (_, invitation) = try await requestConnection(address, again, bob, info: "bob again")
        #expect(invitation != rejected)
        await again.agent.close()
        await bob.agent.close()
        await relay.relay.stopAndWait()
    }

    @Test
    func `A deleted address receives no requests`() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (id, address) = try await alice.agent.createAddress(user: alice.user)
        try await alice.agent.delete(connections: [id], waitDelivery: false)
        _ = try await alice.waitForFirst("deleted") { if case .connectionsDeleted([id]) = $0 { true } else { nil } }
        let asking = try await bob.agent.prepareJoin(user: bob.user, request: address)
        await #expect(throws: AgentError.smp(server: relay.address.withoutPassword.str, .auth)) {
            try await bob.agent.join(connection: asking, request: address, connInfo: [])
        }
        await alice.agent.close()
        await bob.agent.close()
        await relay.relay.stopAndWait()
    }

    @Test
    func `The short link of an address returns the address and the owner's latest data`() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (id, address, short) = try await alice.agent.createAddress(user: alice.user, userData: Array("alice".utf8))
        let link = try ShortLink(parsing: #require(short).uri)
        let (request, data, _) = try await bob.agent.fetchLinkData(user: bob.user, link)
        #expect(request == address && data.bytes == Array("alice".utf8))
        try await alice.agent.setLinkData(id, userData: Array("Alice".utf8))
        #expect(try await bob.agent.fetchLinkData(user: bob.user, link).1.bytes == Array("Alice".utf8))
        var other = link
        other.linkKey[0] ^= 1
        let wrong = other
        await #expect(throws: AgentError.smp(server: relay.address.withoutPassword.str, .auth)) {
            _ = try await bob.agent.fetchLinkData(user: bob.user, wrong)
        }
        _ = try await requestConnection(request, alice, bob, info: "bob")
        await alice.agent.close()
        await bob.agent.close()
        await relay.relay.stopAndWait()
    }

    @Test
    func `An address on a relay without support for short links has no short link`() async throws {
        let relay = try await TestRelay(versions: ProtocolVersionRange(SMPVersion(6), SMPVersion(14)))
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (_, address, short) = try await alice.agent.createAddress(user: alice.user, userData: [])
        #expect(short == nil)
        _ = try await requestConnection(address, alice, bob, info: "bob")
        await alice.agent.close()
        await bob.agent.close()
        await relay.relay.stopAndWait()
    }
}
