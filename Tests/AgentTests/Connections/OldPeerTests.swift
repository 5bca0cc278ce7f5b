import SMP
import TestSupport
import Testing

@testable import Agent

/// Peers with older programs. Each test limits a link to the versions of such a program, and both sides use this
/// program.
@Suite(.socketTimeLimit) struct OldPeerTests {
    struct ProgramVersions: CustomTestStringConvertible {
        var agent: UInt16, client: UInt16, e2e: UInt16
        var testDescription: String { "agent \(agent), client \(client), e2e \(e2e)" }
    }
    /// The protocol versions of the apps 5.7 (agent 5) to 6.4 (agent 7, client 4), and of older apps (agent 2 and 4).
    private static let oldPrograms = [
        ProgramVersions(agent: 2, client: 1, e2e: 2), ProgramVersions(agent: 4, client: 2, e2e: 2),
        ProgramVersions(agent: 5, client: 2, e2e: 3),
        ProgramVersions(agent: 6, client: 3, e2e: 3),
        ProgramVersions(agent: 7, client: 3, e2e: 3), ProgramVersions(agent: 7, client: 4, e2e: 3),
    ]

    @Test(arguments: oldPrograms)
    func `An invitation of an older program is answered in the message formats of the older program's version`(
        age: ProgramVersions
    ) async throws {
        let relay = try await TestRelay()
        let mode: QueueMode = age.client >= 3 ? .messaging : .contact
        let alice = try await TestAgent(relay.address, queueMode: mode, givesReceipts: true),
            bob = try await TestAgent(relay.address, givesReceipts: true)
        let (aliceID, made) = try await alice.agent.createInvitation(user: alice.user)
        let request = made.limited(to: age)
        let link = try ConnectionRequest(parsing: request.uri)
        let bobID = try await bob.agent.prepareJoin(user: bob.user, request: link)
        #expect(try await bob.agent.join(connection: bobID, request: link, connInfo: [1]) == (age.agent >= 7))
        let confirmation = try await alice.waitForFirst("confirmation") {
            if case .confirmation(aliceID, let id, _) = $0 { id } else { nil }
        }
        let (reply, hasSenderKey) = try await alice.agent.database.read { db in
            let row = try #require(try db.firstRow("SELECT * FROM confirmations"))
            return (try SMPQueueInfo(smpEncoded: row.blob("reply_queue")), try row.blobOrNil("sender_key") != nil)
        }
        #expect(reply.clientVersion == age.client)
        #expect(hasSenderKey == (age.client < 3))
        #expect(try await alice.agent.fetchConnectionQueueStates(aliceID).agentVersion == Int(age.agent))
        try await alice.agent.allow(connection: aliceID, confirmation: confirmation, connInfo: [2])
        try await alice.waitUntilConnected(aliceID)
        try await bob.waitUntilConnected(bobID)
        try await alice.send(["1", "2"], on: aliceID)
        try await bob.send(["3", "4"], on: bobID)
        #expect(try await bob.waitForTexts(2) == ["1", "2"])
        #expect(try await alice.waitForTexts(2) == ["3", "4"])
        #expect(alice.errors.isEmpty && bob.errors.isEmpty)
    }

    @Test(arguments: [oldPrograms[2], oldPrograms[3], oldPrograms[5]])
    func `If the peer's program is older, a message arrives over the new queue after a change of queue`(
        age: ProgramVersions
    ) async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address, queueMode: age.client >= 3 ? .messaging : .contact),
            bob = try await TestAgent(relay.address)
        let (aliceID, made) = try await alice.agent.createInvitation(user: alice.user)
        let link = made.limited(to: age)
        let bobID = try await bob.agent.prepareJoin(user: bob.user, request: link)
        _ = try await bob.agent.join(connection: bobID, request: link, connInfo: [1])
        let confirmation = try await alice.waitForFirst("confirmation") {
            if case .confirmation(aliceID, let id, _) = $0 { id } else { nil }
        }
        try await alice.agent.allow(connection: aliceID, confirmation: confirmation, connInfo: [2])
        try await alice.waitUntilConnected(aliceID)
        try await bob.waitUntilConnected(bobID)
        _ = try await bob.agent.switchConnection(bobID)
        _ = try await alice.waitForFirst("changed queue") {
            if case .queueSwitchChanged(_, let change) = $0, change.phase == .completed { true } else { nil }
        }
        // Clients before version 3 do not state the mode of a queue, so the mode stays unknown.
        let mode = try await alice.agent.database.read { db in try SndQueue.findCurrent(aliceID, db)?.mode }
        #expect(mode == (age.client < 3 ? nil : .messaging))
        try await alice.send(["over the new queue"], on: aliceID)
        #expect(try await bob.waitForTexts(1) == ["over the new queue"])
        #expect(alice.errors.isEmpty && bob.errors.isEmpty)
    }

    @Test(arguments: [oldPrograms[0], oldPrograms[2], oldPrograms[4]])
    func `A request to the address of an older program is accepted, and both sides are connected`(
        age: ProgramVersions
    ) async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (_, made) = try await alice.agent.createAddress(user: alice.user)
        let address = made.limited(to: age)
        let id = try await bob.agent.prepareJoin(user: bob.user, request: address)
        _ = try await bob.agent.join(connection: id, request: address, connInfo: [1])
        let invitation = try await alice.waitForFirst("request") {
            if case .request(_, let id, _) = $0 { id } else { nil }
        }
        let aliceID = try await alice.agent.prepareAcceptance(invitation)
        try await alice.agent.acceptRequest(invitation, connection: aliceID, connInfo: [2])
        let confirmation = try await bob.waitForFirst("confirmation") {
            if case .confirmation(id, let number, _) = $0 { number } else { nil }
        }
        try await bob.agent.allow(connection: id, confirmation: confirmation, connInfo: [3])
        try await alice.waitUntilConnected(aliceID)
        try await bob.waitUntilConnected(id)
        try await bob.send(["hello"], on: id)
        #expect(try await alice.waitForTexts(1) == ["hello"])
    }
}

extension ConnectionRequest {
    /// Returns the request with only the versions that a program of this age supports.
    fileprivate func limited(to age: OldPeerTests.ProgramVersions) -> ConnectionRequest {
        var request = self
        request.agentVersions = ProtocolVersionRange(SMPVersion(2), SMPVersion(age.agent))
        for index in request.queues.indices {
            request.queues[index].clientVersions = ProtocolVersionRange(SMPVersion(1), SMPVersion(age.client))
            if age.client < 3 { request.queues[index].mode = nil }
        }
        if case .invitation(var e2e) = request.kind {
            e2e.versions = ProtocolVersionRange(SMPVersion(2), SMPVersion(age.e2e))
            request.kind = .invitation(e2e: e2e)
        }
        return request
    }
}
