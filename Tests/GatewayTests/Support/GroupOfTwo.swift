import JSON
import Testing

/// Alice's group, which Bob has joined.
struct GroupOfTwo {
    let client: HTTPClient
    let alice: Int64
    let bob: Int64
    let bobOfAlice: Int64
    let bobAsMember: Int64
    /// The path of the group for Alice. `theirs` is the path for Bob.
    let ours: String
    let theirs: String

    var ourChat: String { "/v1/users/\(alice)/chats/group/\(ours.split(separator: "/").last ?? "")" }
    var theirChat: String { "/v1/users/\(bob)/chats/group/\(theirs.split(separator: "/").last ?? "")" }

    init(_ client: HTTPClient) async throws {
        self.client = client
        alice = try await client.user("alice")
        bob = try await client.user("bob")
        (bobOfAlice, _) = try await client.connect(alice, bob)
        let made = try await client.post(
            "/v1/users/\(alice)/groups",
            ["groupProfile": ["displayName": "team", "fullName": ""]]
        )
        ours = try #require(made.header("location"))
        var cursor = try await client.now()
        theirs = try await client.join(bob, to: ours, contact: bobOfAlice, as: "member", after: &cursor)
        let members = try await client.call("GET", ours + "/members").json["group"]?["members"]
        bobAsMember = try #require(members?[0]?["groupMemberId"]?.integerValue)
    }

    /// Waits for the user's event of an item with this text.
    func item(_ text: String, of user: Int64) async throws -> JSONValue {
        var cursor: String?
        while true {
            let told = try await client.event(after: &cursor, "newChatItems", user: user)
            for item in (told["chatItems"]?.arrayValue ?? []).compactMap({ $0["chatItem"] })
            where item["meta"]?["itemText"] == .string(text) && item["chatDir"]?["type"] == "groupRcv" { return item }
        }
    }
}

extension HTTPClient {
    /// Returns the cursor of the present end of the journal.
    func now() async throws -> String? {
        try await call("GET", "/v1/events?cursor=now&timeout=0").json["cursor"]?.stringValue
    }

    /// Invites a contact to a group, and makes the contact's user join.
    /// - Returns: the path of the group for this user.
    func join(
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
        let told = try await event(after: &cursor, "receivedGroupInvitation", user: user)
        #expect(told["memberRole"] == .string(role))
        let theirs = "/v1/users/\(user)/groups/\(try #require(told["groupInfo"]?["groupId"]?.integerValue))"
        let begin = cursor
        let joined = try await post(theirs + "/join", [:])
        #expect(joined.status == 202, "\(joined.text)")
        _ = try await event(after: &cursor, "userJoinedGroup", user: user)
        cursor = begin
        let owner = try #require(group.split(separator: "/").dropFirst(2).first.flatMap { Int64($0) })
        _ = try await event(after: &cursor, "joinedGroupMember", user: owner)
        return theirs
    }
}
