import NIOCore

/// Measures how many synced transactions a message with its receipt needs on each side. Two gateways, each with its own
/// relay and databases, send messages to each other one after the other. Each commit of a database is one sync.
func measureSyncs(executable: String, folder: String, count: Int, group: any EventLoopGroup) async throws -> [Figure] {
    func start(_ name: String) async throws -> BenchedGateway {
        let gateway = try await BenchedGateway(
            folder: "\(folder)/syncs-\(name)",
            port: try FreePort.takeNext(),
            relayPort: try FreePort.takeNext(),
            executable: executable,
            group: group
        )
        try await gateway.createUser(name)
        return gateway
    }
    let (alice, bob) = (try await start("alice"), try await start("bob"))
    let figures: [Figure]
    do { figures = try await measureSyncs(alice, bob, count: count) } catch {
        await alice.stop()
        await bob.stop()
        throw error
    }
    await alice.stop()
    await bob.stop()
    return figures
}

private func measureSyncs(_ alice: BenchedGateway, _ bob: BenchedGateway, count: Int) async throws -> [Figure] {
    try await alice.connectToGateway(with: bob)
    let (toAlice, toBob) = (try await alice.followTexts(key: alice.key), try await bob.followTexts(key: bob.key))
    func send(_ text: String, from gateway: BenchedGateway, _ follower: TextArrivals) async throws {
        _ = try await gateway.sendRequest(
            "POST",
            "/v1/users/1/chats/direct/1/messages",
            BenchedGateway.makeTextMessage(text)
        )
        _ = try await follower.waitForArrival(of: text)
    }
    /// Waits until all delayed writes are committed, and returns the counts of commits.
    func readSettledCommitCounts() async throws -> (alice: CommitCounts, bob: CommitCounts) {
        try await Task.sleep(for: .seconds(2))
        return (try await alice.readCommitCounts(), try await bob.readCommitCounts())
    }

    for index in 0..<20 { try await send("first \(index)", from: alice, toBob) }
    let before = try await readSettledCommitCounts()
    for index in 0..<count { try await send("one way \(index)", from: alice, toBob) }
    let afterOneWay = try await readSettledCommitCounts()
    // A gateway closes a connection that was idle for half a minute, so new connections are opened.
    try await alice.reconnect()
    try await bob.reconnect()
    for index in 0..<count {
        try await send("there \(index)", from: alice, toBob)
        try await send("back \(index)", from: bob, toAlice)
    }
    let afterBothWays = try await readSettledCommitCounts()
    await toAlice.close()
    await toBob.close()

    func makeFigures(
        _ name: String,
        _ from: CommitCounts,
        _ to: CommitCounts,
        target: Figure.Target = .none
    ) -> [Figure] {
        let (chat, agent) = (Double(to.chat - from.chat) / Double(count), Double(to.agent - from.agent) / Double(count))
        return [
            Figure(name: "synced transactions \(name)", value: chat + agent, unit: "", target: target),
            Figure(name: "of these, transactions of the chat database", value: chat, unit: ""),
            Figure(name: "of these, transactions of the agent's database", value: agent, unit: ""),
        ]
    }
    // Delayed writes usually share the commit of a later message. After the last message there is no such commit. So
    // these writes need up to four more commits, which the target allows.
    let target = Figure.Target.atMost(2 + 4 / Double(count))
    return makeFigures("of the sender, a message and its receipt", before.alice, afterOneWay.alice, target: target)
        + makeFigures("of the receiver, a message and its receipt", before.bob, afterOneWay.bob, target: target)
        + makeFigures("of one side, a message and its answer", afterOneWay.alice, afterBothWays.alice)
        + makeFigures("of the other side, a message and its answer", afterOneWay.bob, afterBothWays.bob)
}

/// The numbers of transactions that a gateway's two databases have committed since its start.
struct CommitCounts {
    var chat: Int
    var agent: Int
}

extension BenchedGateway {
    func readCommitCounts() async throws -> CommitCounts {
        let connection = try await HTTPConnection.openConnection(port: port, group: group)
        let answer = try await connection.sendRequest("GET", "/metrics", key: key)
        await connection.close()
        let lines = String(decoding: answer.body, as: UTF8.self).split(separator: "\n")
        func parseMetric(_ name: String) throws -> Int {
            guard
                let value = lines.first(where: { $0.hasPrefix(name + " ") })?.split(separator: " ").last.flatMap({
                    Int($0)
                })
            else {
                throw UnexpectedAnswer(request: "metrics: \(name)", status: answer.status, body: "")
            }
            return value
        }
        return CommitCounts(
            chat: try parseMetric("sxgw_chat_commits_total"),
            agent: try parseMetric("sxgw_agent_commits_total")
        )
    }

    /// Connects user 1 of this gateway with user 1 of another gateway, and waits until both users have the event
    /// `contactConnected`.
    func connectToGateway(with other: BenchedGateway) async throws {
        let (here, there) = (try await readLatestCursor(), try await other.readLatestCursor())
        let invitation = try await sendRequest("POST", "/v1/users/1/connections/invitations", #"{"incognito":false}"#)
        let link = invitation["connLinkInvitation"]?["connFullLink"]?.stringValue ?? ""
        _ = try await other.sendRequest(
            "POST",
            "/v1/users/1/connections",
            #"{"incognito":false,"connLink":"\#(link)"}"#
        )
        try await followEvents(from: here) { $0["event"]?["type"]?.stringValue == "contactConnected" }
        try await other.followEvents(from: there) { $0["event"]?["type"]?.stringValue == "contactConnected" }
    }
}
