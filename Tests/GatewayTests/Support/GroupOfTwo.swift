import JSON
import Testing

/// Alice's group, which Bob has joined.
struct GroupOfTwo {
    let client: HTTPClient
    let aliceID: Int64
    let bobID: Int64
    let bobContactID: Int64
    let bobMemberID: Int64
    /// The path of the group for Alice. `theirs` is the path for Bob.
    let ourPath: String
    let theirPath: String

    var ourChatPath: String { "/v1/users/\(aliceID)/chats/group/\(ourPath.split(separator: "/").last ?? "")" }
    var theirChatPath: String { "/v1/users/\(bobID)/chats/group/\(theirPath.split(separator: "/").last ?? "")" }

    init(_ client: HTTPClient) async throws {
        self.client = client
        aliceID = try await client.createUser("alice")
        bobID = try await client.createUser("bob")
        (bobContactID, _) = try await client.connectUsers(aliceID, bobID)
        let made = try await client.post(
            "/v1/users/\(aliceID)/groups",
            ["groupProfile": ["displayName": "team", "fullName": ""]]
        )
        ourPath = try #require(made.header("location"))
        var cursor = try await client.readCurrentCursor()
        theirPath = try await client.joinGroup(bobID, to: ourPath, contact: bobContactID, as: "member", after: &cursor)
        let members = try await client.call("GET", ourPath + "/members").json["group"]?["members"]
        bobMemberID = try #require(members?[0]?["groupMemberId"]?.integerValue)
    }

    /// Waits for the user's event of an item with this text.
    func waitForItem(_ text: String, of user: Int64) async throws -> JSONValue {
        var cursor: String?
        while true {
            let told = try await client.waitForEvent(after: &cursor, "newChatItems", user: user)
            for item in (told["chatItems"]?.arrayValue ?? []).compactMap({ $0["chatItem"] })
            where item["meta"]?["itemText"] == .string(text) && item["chatDir"]?["type"] == "groupRcv" { return item }
        }
    }
}

extension HTTPClient {
    /// Returns the cursor of the present end of the journal.
    func readCurrentCursor() async throws -> String? {
        try await call("GET", "/v1/events?cursor=now&timeout=0").json["cursor"]?.stringValue
    }

    /// Invites a contact to a group, and makes the contact's user join.
    /// - Returns: the path of the group for this user.
    func joinGroup(
        _ user: Int64,
        to group: String,
        contact: Int64,
        as role: String,
        after cursor: inout String?
    ) async throws -> String {
        let invited = try await post(group + "/members", ["contactId": .integer(contact), "memberRole": .string(role)])
        #expect(invited.status == 201, "\(invited.text)")
        let member = try #require(invited.header("location"))
        #expect(try await call("GET", member).json["member"]?["memberStatus"] == "invited")
        let told = try await waitForEvent(after: &cursor, "receivedGroupInvitation", user: user)
        #expect(told["memberRole"] == .string(role))
        let theirs = "/v1/users/\(user)/groups/\(try #require(told["groupInfo"]?["groupId"]?.integerValue))"
        let begin = cursor
        let joined = try await post(theirs + "/join", [:])
        #expect(joined.status == 202, "\(joined.text)")
        _ = try await waitForEvent(after: &cursor, "userJoinedGroup", user: user)
        cursor = begin
        let owner = try #require(group.split(separator: "/").dropFirst(2).first.flatMap { Int64($0) })
        _ = try await waitForEvent(after: &cursor, "joinedGroupMember", user: owner)
        return theirs
    }
}
