import JSON
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct GroupsTests {
    @Test
    func `The routes of a group answer as in the contract, from a member's invitation to the member's removal`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let pair = try await GroupOfTwo(client)
            let (ours, theirs) = (pair.ourPath, pair.theirPath)

            let sent = try await client.post(pair.ourChatPath + "/messages", textMessage("hello"))
            #expect(sent.status == 201, "\(sent.text)")
            let received = try await pair.waitForItem("hello", of: pair.bobID)
            #expect(received["chatDir"]?["groupMember"]?["localDisplayName"] == "alice")
            _ = try await client.post(pair.theirChatPath + "/messages", textMessage("to you too"))
            let answer = try await pair.waitForItem("to you too", of: pair.aliceID)
            #expect(answer["chatDir"]?["groupMember"]?["groupMemberId"] == .integer(pair.bobMemberID))

            // Reactions
            let helloId = try #require(received["meta"]?["itemId"]?.integerValue)
            let thumb: JSONValue = ["add": true, "reaction": ["type": "emoji", "emoji": "👍"]]
            var cursor = try await client.readCurrentCursor()
            #expect(try await client.post(pair.theirChatPath + "/messages/\(helloId)/reactions", thumb).status == 200)
            _ = try await client.waitForEvent(after: &cursor, "chatItemReaction", user: pair.aliceID)
            let sentId = try #require(try sent.json["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue)
            let reacted = try await client.call("GET", ours + "/messages/\(sentId)/reactions?emoji=%F0%9F%91%8D")
            #expect(reacted.status == 200)
            #expect(
                try reacted.json["memberReactions"]?.arrayValue?.map { $0["groupMember"]?["groupMemberId"] } == [
                    .integer(pair.bobMemberID)
                ]
            )
            #expect(try await client.post(pair.ourChatPath + "/messages/\(sentId)/reactions", thumb).status == 200)
            let pages = try await client.walkPages(ours + "/messages/\(sentId)/reactions?emoji=%F0%9F%91%8D&limit=1") {
                $0["memberReactions"]?.arrayValue ?? []
            }
            #expect(pages.map(\.count) == [1, 1])
            #expect(pages.first?.first?["groupMember"]?["groupMemberId"] == .integer(pair.bobMemberID))
            #expect(
                try await client.call("GET", ours + "/messages/\(sentId)/reactions?emoji=%F0%9F%91%8E").json[
                    "memberReactions"
                ] == []
            )

            // A member has no rights of an admin, and cannot delete a message of an owner.
            let aliceAsMember = try #require(
                try await client.call("GET", theirs + "/members").json["group"]?["members"]?[0]?["groupMemberId"]?
                    .integerValue
            )
            #expect(try await client.post(theirs + "/moderations", ["itemIds": [.integer(helloId)]]).status == 409)
            #expect(
                try await client.put(
                    theirs + "/members/role",
                    ["memberIds": [.integer(aliceAsMember)], "memberRole": "member"]
                ).status == 403
            )

            // Moderation
            cursor = try await client.readCurrentCursor()
            let answerId = try #require(answer["meta"]?["itemId"])
            let moderated = try await client.post(ours + "/moderations", ["itemIds": [answerId]])
            #expect(moderated.status == 200, "\(moderated.text)")
            #expect(try moderated.json["type"] == "chatItemsDeleted")
            let moderation = try await client.waitForEvent(after: &cursor, "chatItemsDeleted", user: pair.bobID)
            #expect(
                moderation["chatItemDeletions"]?[0]?["toChatItem"]?["chatItem"]?["meta"]?["itemDeleted"] != nil,
                "\(moderation.text)"
            )
            // A repeated moderation succeeds, since another moderator may have been faster.
            #expect(try await client.post(ours + "/moderations", ["itemIds": [answerId]]).status == 200)

            // Roles
            cursor = try await client.readCurrentCursor()
            let promoted = try await client.put(
                ours + "/members/role",
                ["memberIds": [.integer(pair.bobMemberID)], "memberRole": "admin"]
            )
            #expect(promoted.status == 200, "\(promoted.text)")
            #expect(try promoted.json["members"]?[0]?["memberRole"] == "admin" && promoted.json["toRole"] == "admin")
            let promotion = try await client.waitForEvent(after: &cursor, "memberRole", user: pair.bobID)
            #expect(promotion["toRole"] == "admin")
            #expect(try await client.call("GET", theirs).json["groupInfo"]?["membership"]?["memberRole"] == "admin")

            // Info and settings of a member
            let member = ours + "/members/\(pair.bobMemberID)"
            let info = try await client.call("GET", member)
            #expect(info.status == 200)
            #expect(
                try info.json["member"]?["localDisplayName"] == "bob"
                    && info.json["connectionStats_"]?["rcvQueuesInfo"]?.arrayValue?.count == 1
            )
            #expect(try await client.patch(member, ["settings": ["showMessages": false]]).status == 200)
            #expect(try await client.call("GET", member).json["member"]?["memberSettings"]?["showMessages"] == false)

            // Blocking
            for isBlocked in [true, false] {
                let blocked = try await client.put(
                    ours + "/members/blocked",
                    ["memberIds": [.integer(pair.bobMemberID)], "blocked": .bool(isBlocked)]
                )
                #expect(blocked.status == 200, "\(blocked.text)")
                #expect(try await client.call("GET", member).json["member"]?["blockedByAdmin"] == .bool(isBlocked))
            }

            // Removal
            cursor = try await client.readCurrentCursor()
            let removed = try await client.call(
                "DELETE",
                ours + "/members?memberIds=\(pair.bobMemberID)&withMessages=true"
            )
            #expect(removed.status == 200, "\(removed.text)")
            #expect(
                try removed.json["members"]?[0]?["memberStatus"] == "removed" && removed.json["withMessages"] == true
            )
            let removal = try await client.waitForEvent(after: &cursor, "deletedMemberUser", user: pair.bobID)
            #expect(removal["withMessages"] == true)
            #expect(try await client.call("GET", theirs).json["groupInfo"]?["membership"]?["memberStatus"] == "removed")
            let late = try await client.post(pair.theirChatPath + "/messages", textMessage("still here?"))
            #expect(late.status == 422, "\(late.text)")
        }
    }

    @Test
    func `An observer of a group reads the messages of another member, and gets 403 for sending a message`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let pair = try await GroupOfTwo(client)
            let carol = try await client.createUser("carol")
            let (carolOfAlice, _) = try await client.connectUsers(pair.aliceID, carol)
            var cursor = try await client.readCurrentCursor()
            let theirs = try await client.joinGroup(
                carol,
                to: pair.ourPath,
                contact: carolOfAlice,
                as: "observer",
                after: &cursor
            )
            for user in [pair.bobID, carol] {
                var from = cursor
                _ = try await client.waitForEvent(after: &from, "connectedToGroupMember", user: user)
            }
            cursor = try await client.readCurrentCursor()
            _ = try await client.post(pair.theirChatPath + "/messages", textMessage("welcome"))
            #expect(
                try await pair.waitForItem("welcome", of: carol)["chatDir"]?["groupMember"]?["localDisplayName"]
                    == "bob"
            )
            // An observer can only read.
            let chat = "/v1/users/\(carol)/chats/group/\(theirs.split(separator: "/").last ?? "")/messages"
            #expect(try await client.post(chat, textMessage("thanks")).status == 403)
            #expect(try await client.post(theirs + "/leave", [:]).status == 200)
            for user in [pair.aliceID, pair.bobID] {
                var from = cursor
                #expect(
                    try await client.waitForEvent(after: &from, "leftMember", user: user)["member"]?["localDisplayName"]
                        == "carol"
                )
            }
            let members =
                try await client.call("GET", pair.ourPath + "/members").json["group"]?["members"]?.arrayValue ?? []
            #expect(members.first { $0["localDisplayName"] == "carol" }?["memberStatus"] == "left")
        }
    }

    @Test
    func `An invalid request about groups is refused and has no effect`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let pair = try await GroupOfTwo(client)
            let (ours, bob) = (pair.ourPath, JSONValue.integer(pair.bobMemberID))
            let contact = JSONValue.integer(pair.bobContactID)
            let unknown = "/v1/users/\(pair.aliceID)/groups/77"
            let requests: [(method: String, target: String, body: JSONValue?, status: Int)] = [
                // Unknown ids
                ("POST", unknown + "/members", ["contactId": contact, "memberRole": "member"], 404),
                ("POST", ours + "/members", ["contactId": 77, "memberRole": "member"], 404),
                ("POST", unknown + "/join", nil, 404),
                ("DELETE", unknown + "/members?memberIds=\(pair.bobMemberID)", nil, 404),
                ("DELETE", ours + "/members?memberIds=77", nil, 404),
                ("DELETE", ours + "/members?memberIds=\(pair.bobMemberID),77", nil, 404),
                ("PUT", ours + "/members/role", ["memberIds": [77], "memberRole": "admin"], 404),
                ("PUT", ours + "/members/blocked", ["memberIds": [77], "blocked": true], 404),
                ("GET", ours + "/members/77", nil, 404),
                ("GET", unknown + "/members/\(pair.bobMemberID)", nil, 404),
                ("PATCH", ours + "/members/77", ["settings": ["showMessages": true]], 404),
                ("GET", ours + "/messages/7777/reactions?emoji=a", nil, 404),
                ("GET", unknown + "/messages/1/reactions?emoji=a", nil, 404),
                ("POST", unknown + "/moderations", ["itemIds": [1]], 404),
                // Unknown roles, and roles that a user cannot give
                ("POST", ours + "/members", ["contactId": contact, "memberRole": "king"], 422),
                ("PUT", ours + "/members/role", ["memberIds": [bob], "memberRole": "king"], 422),
                ("PUT", ours + "/members/role", ["memberIds": [bob], "memberRole": "relay"], 422),
                // Wrong types and missing members
                ("POST", ours + "/members", ["contactId": "4", "memberRole": "member"], 422),
                ("POST", ours + "/members", ["memberRole": "member"], 422),
                ("POST", ours + "/members", nil, 422),
                ("PUT", ours + "/members/role", ["memberIds": bob, "memberRole": "admin"], 422),
                ("PUT", ours + "/members/role", ["memberIds": [], "memberRole": "admin"], 422),
                ("PUT", ours + "/members/role", ["memberIds": [bob]], 422),
                ("PUT", ours + "/members/blocked", ["memberIds": [bob], "blocked": "yes"], 422),
                ("PUT", ours + "/members/blocked", ["memberIds": [bob]], 422),
                ("PATCH", ours + "/members/\(pair.bobMemberID)", ["settings": ["showMessages": 1]], 422),
                ("PATCH", ours + "/members/\(pair.bobMemberID)", ["role": "relay"], 422),
                ("POST", ours + "/moderations", ["itemIds": []], 422),
                // Invalid parameters of the path and the query
                ("DELETE", ours + "/members", nil, 400),
                ("DELETE", ours + "/members?memberIds=", nil, 400),
                ("DELETE", ours + "/members?memberIds=1,", nil, 400),
                ("DELETE", ours + "/members?memberIds=a", nil, 400),
                ("DELETE", ours + "/members?memberIds=\(pair.bobMemberID)&withMessages=maybe", nil, 400),
                ("DELETE", ours + "/members?memberIds=\(pair.bobMemberID)", ["memberIds": [bob]], 400),
                ("GET", ours + "/members/zero", nil, 400),
                ("GET", ours + "/messages/1/reactions", nil, 400),
                // Unknown members of the body and unknown parameters of the query
                ("POST", ours + "/members", ["contactId": contact, "memberRole": "member", "role": "admin"], 400),
                ("DELETE", ours + "/members", ["memberIds": [bob]], 400),
                ("DELETE", ours + "/members?memberIds=\(pair.bobMemberID)&force=true", nil, 400),
                ("PUT", ours + "/members/role", ["memberIds": [bob], "memberRole": "admin", "role": "admin"], 400),
                (
                    "PUT", ours + "/members/role?memberIds=\(pair.bobMemberID)",
                    ["memberIds": [bob], "memberRole": "admin"], 400
                ),
                ("PUT", ours + "/members/blocked", ["memberIds": [bob], "blocked": true, "until": 1], 400),
                (
                    "PATCH", ours + "/members/\(pair.bobMemberID)", ["settings": ["showMessages": true, "mute": true]],
                    400
                ),
                ("POST", ours + "/join", ["incognito": true], 400),
                ("POST", ours + "/moderations", ["itemIds": [1], "mode": "internal"], 400),
                // Commands that the state does not allow
                ("POST", ours + "/members", ["contactId": contact, "memberRole": "member"], 409),
                ("POST", pair.theirPath + "/join", nil, 409),
                ("POST", ours + "/join", nil, 404),
            ]
            let before = try await client.call("GET", ours + "/members").text
            for request in requests {
                let answer = try await client.call(request.method, request.target, body: request.body?.text)
                #expect(
                    answer.status == request.status,
                    "\(request.method) \(request.target) \(request.body?.text ?? ""): \(answer.text)"
                )
            }
            #expect(try await client.call("GET", ours + "/members").text == before)
        }
    }
}
