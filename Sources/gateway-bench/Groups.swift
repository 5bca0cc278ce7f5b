import JSON
import NIOCore

/// Sends posts in turn to a contact, to a group of four and to a larger group. All members are on one gateway. Measures
/// the time until the post is answered, the time until the last member has the event, and the number of members that
/// get the event per second.
func measureGroups(
    executable: String,
    folder: String,
    members: Int,
    count: Int,
    group: any EventLoopGroup
) async throws -> [Figure] {
    let gateway = try await BenchedGateway(
        folder: folder + "/groups",
        port: try FreePort.takeNext(),
        relayPort: try FreePort.takeNext(),
        executable: executable,
        group: group
    )
    do {
        let figures = try await measureGroups(gateway, members: members, count: count)
        await gateway.stop()
        return figures
    } catch {
        await gateway.stop()
        throw error
    }
}

private func measureGroups(_ gateway: BenchedGateway, members: Int, count: Int) async throws -> [Figure] {
    for member in 1...members { try await gateway.createUser("member\(member)") }
    for member in 2...members { try await gateway.connectToUser(with: member) }
    let chats = [("direct/1", 1), ("group/1", 3), ("group/2", members - 1)]
    for (name, others) in [("four", 3), ("many", members - 1)] { try await gateway.createGroup(name, with: others) }
    let resident = gateway.child.residentBytes
    try await gateway.reconnect()
    let follower = try await gateway.followTexts(key: gateway.key)
    var answered: [[Double]] = [[], [], []], received: [[Double]] = [[], [], []]
    for index in 0..<count {
        for (chatIndex, (path, others)) in chats.enumerated() {
            let text = "\(path) \(index)"
            let start = NIODeadline.now()
            _ = try await gateway.sendRequest(
                "POST",
                "/v1/users/1/chats/\(path)/messages",
                BenchedGateway.makeTextMessage(text)
            )
            answered[chatIndex].append(millisecondsPassed(since: start))
            received[chatIndex].append(
                Double((try await follower.waitForArrival(of: text, times: others) - start).nanoseconds) / 1e6
            )
        }
    }
    let start = NIODeadline.now()
    for index in 0..<count {
        _ = try await gateway.sendRequest(
            "POST",
            "/v1/users/1/chats/group/2/messages",
            BenchedGateway.makeTextMessage("burst \(index)")
        )
    }
    let lastArrival = try await follower.waitForArrival(of: "burst \(count - 1)", times: members - 1)
    await follower.close()
    let deliveriesPerSecond = Double(count * (members - 1)) / (Double((lastArrival - start).nanoseconds) / 1e9)
    return makeGroupFigures(answered, received, members: members) + [
        Figure(
            name: "members reached in a second, posts in sequence to a group of \(members)",
            value: deliveriesPerSecond,
            unit: "1/s"
        ),
        Figure(
            name: "resident memory with \(members) users in two groups",
            value: Double(resident) / 1_048_576,
            unit: "MiB"
        ),
    ]
}

/// Makes the figures of posts to the group of four and to the larger group.
/// - Parameters:
///   - answered: the milliseconds until the POST was answered, for the contact, the group of four and the larger group.
///   - received: the milliseconds until the last member had the post, in the same order.
private func makeGroupFigures(_ answered: [[Double]], _ received: [[Double]], members: Int) -> [Figure] {
    var figures: [Figure] = []
    for (place, size) in [(1, 4), (2, members)] {
        for (name, part) in [("p50", 0.5), ("p99", 0.99)] {
            figures.append(
                Figure(
                    name: "POST to a group of \(size) answered, \(name)",
                    value: percentile(answered[place], part),
                    unit: "ms",
                    baseline: ("to a contact", percentile(answered[0], part)),
                    target: part == 0.5 ? .atMost(1.5) : .none
                )
            )
            figures.append(
                Figure(
                    name: "POST to a group of \(size) until its last member has it, \(name)",
                    value: percentile(received[place], part),
                    unit: "ms",
                    baseline: ("a contact", percentile(received[0], part)),
                    target: part == 0.5 && size == 4 ? .atMost(1.5) : .none
                )
            )
        }
    }
    return figures
}

extension BenchedGateway {
    /// Connects a user with user 1 as contacts of each other, and waits until each of them has the event
    /// `contactConnected`.
    func connectToUser(with user: Int) async throws {
        let cursor = try await readLatestCursor()
        let invitation = try await sendRequest("POST", "/v1/users/1/connections/invitations", #"{"incognito":false}"#)
        let link = invitation["connLinkInvitation"]?["connFullLink"]?.stringValue ?? ""
        _ = try await sendRequest(
            "POST",
            "/v1/users/\(user)/connections",
            #"{"incognito":false,"connLink":"\#(link)"}"#
        )
        var connected = 0
        try await followEvents(from: cursor) { entry in
            if entry["event"]?["type"]?.stringValue == "contactConnected" { connected += 1 }
            return connected == 2
        }
    }

    /// Creates a group of user 1 with its first `others` contacts, and waits until all members are connected to each
    /// other.
    func createGroup(_ name: String, with others: Int) async throws {
        let created = try await sendRequest(
            "POST",
            "/v1/users/1/groups",
            #"{"incognito":false,"groupProfile":{"displayName":"\#(name)","fullName":""}}"#
        )
        let groupId = created["groupInfo"]?["groupId"]?.integerValue ?? 0
        for contact in 1...others {
            var cursor = try await readLatestCursor()
            _ = try await sendRequest(
                "POST",
                "/v1/users/1/groups/\(groupId)/members",
                #"{"contactId":\#(contact),"memberRole":"member"}"#
            )
            var joins: Int64 = 0
            try await followEvents(from: cursor) { entry in
                guard entry["event"]?["type"]?.stringValue == "receivedGroupInvitation" else { return false }
                joins = entry["event"]?["groupInfo"]?["groupId"]?.integerValue ?? 0
                return true
            }
            cursor = try await readLatestCursor()
            _ = try await sendRequest("POST", "/v1/users/\(contact + 1)/groups/\(joins)/join", "{}")
            // The loop waits until the new member has joined, and until both members of each new connection have
            // reported the connection.
            var (connected, joined) = (0, false)
            try await followEvents(from: cursor) { entry in
                switch entry["event"]?["type"]?.stringValue {
                case "userJoinedGroup": joined = true
                case "connectedToGroupMember": connected += 1
                default: break
                }
                return joined && connected == 2 * (contact - 1)
            }
        }
    }
}
