import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite(.socketTimeLimit) struct FieldMaskTests {
    private func findRefusal(_ text: String, of record: String = "AChat") -> String? {
        do throws(ProblemDetails) {
            _ = try FieldMask(text, of: record)
            return nil
        } catch {
            return error.detail
        }
    }

    @Test
    func `The parameter 'fields' accepts only JSON members that the contract has for the answer`() {
        for known in [
            "chatStats", "chatStats.unreadCount", "chatInfo.contact.profile.displayName",
            "chatInfo.groupInfo.groupProfile", "chatItems.meta.itemText,chatItems.chatDir",
            "chatItems.content.msgContent.text", "chatInfo.contact.customData",
        ] { #expect(findRefusal(known) == nil, "\(known)") }
        for wrong in [
            "", ",", "chatStats,", ".", "chatStats.", "chatStats..unreadCount", "chats", "chatStats.unreadCount.more",
            "chatInfo.contact.customData.any", " chatStats",
        ] { #expect(findRefusal(wrong)?.contains("fields") == true, "\(wrong)") }
        #expect(findRefusal("chatStats.unreadCont")?.contains("unreadCount") == true)
        #expect(findRefusal(Array(repeating: "chatStats", count: 32).joined(separator: ",")) == nil)
        #expect(findRefusal(Array(repeating: "chatStats", count: 33).joined(separator: ",")) != nil)
        #expect(findRefusal(Array(repeating: "chatItems", count: 9).joined(separator: ".")) != nil)
        #expect(findRefusal("localDisplayName,profile", of: "Contact") == nil)
    }

    @Test
    func `With the parameter 'fields', an answer keeps the requested members and the 'type' of their objects`() throws {
        let chat: JSONValue = [
            "chatInfo": ["type": "direct", "contact": ["contactId": 4, "localDisplayName": "bob"]],
            "chatItems": [["meta": ["itemId": 1, "itemText": "a"]], ["meta": ["itemId": 2, "itemText": "b"]]],
            "chatStats": ["unreadCount": 2, "unreadChat": false],
        ]
        func part(_ text: String) throws -> JSONValue { try FieldMask(text, of: "AChat").selectPart(of: chat) }
        #expect(try part("chatStats.unreadCount") == ["chatStats": ["unreadCount": 2]])
        #expect(
            try part("chatInfo.contact.contactId,chatInfo.groupInfo.groupId")
                == ["chatInfo": ["type": "direct", "contact": ["contactId": 4]]]
        )
        #expect(
            try part("chatItems.meta.itemText")
                == ["chatItems": [["meta": ["itemText": "a"]], ["meta": ["itemText": "b"]]]]
        )
        for both in ["chatStats,chatStats.unreadCount", "chatStats.unreadCount,chatStats"] {
            #expect(try part(both) == ["chatStats": ["unreadCount": 2, "unreadChat": false]])
        }
    }

    @Test
    func `All pages of a list have only the JSON members that the parameter 'fields' names`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (contact, _) = try await client.connectUsers(alice, bob)
            let user = "/v1/users/\(alice)"
            let path = "\(user)/chats/direct/\(contact)/messages"
            let sent = try await client.post(path, ["text": "hello"], headers: [("Prefer", "return=minimal")])
            #expect(sent.status == 201 && sent.header("preference-applied") == nil, "\(sent.text)")

            let fields = "fields=chatInfo.contact.localDisplayName,chatStats.unreadCount"
            let chats = try await client.call("GET", "\(user)/chats?\(fields)")
            #expect(chats.header("content-type") == FieldMask.partMediaType, "\(chats.text)")
            let page = try chats.json
            #expect(page["user"] == nil && page["type"] == "apiChats" && page["next"] == .null)
            let names = page["chats"]?.arrayValue?.compactMap { $0["chatInfo"]?["contact"]?["localDisplayName"] }
            #expect(names == ["bob"] && page["chats"]?[0]?["chatItems"] == nil)
            // The second answer comes from the cache, and must be the same.
            #expect(try await client.call("GET", "\(user)/chats?\(fields)").text == chats.text)
            #expect(try await client.call("GET", "\(user)/chats").json["user"] != nil)
            let pages = try await client.walkPages("\(user)/chats?limit=1&\(fields)") { $0["chats"]?.arrayValue ?? [] }
            #expect(pages.count == 2 && pages.joined().allSatisfy { $0["chatStats"]?["unreadCount"] != nil })
            let next = try await client.call("GET", "\(user)/chats?limit=1").json["next"]?.stringValue
            #expect(try await client.call("GET", "\(user)/chats?cursor=\(next ?? "")&\(fields)").status == 200)

            let chat = try await client.call("GET", "\(user)/chats/direct/\(contact)?fields=chatItems.meta.itemText")
            #expect(try chat.json["chat"]?["chatInfo"] == nil && chat.header("etag") != nil)
            let items = try chat.json["chat"]?["chatItems"]?.arrayValue ?? []
            #expect(items.last == ["meta": ["itemText": "hello"]], "\(chat.text)")
            let all = try await client.call("GET", "\(user)/messages?fields=chatItem.meta.itemText&limit=1")
            #expect(try all.json["chatItems"] == [["chatItem": ["meta": ["itemText": "hello"]]]])
            let contacts = try await client.call("GET", "\(user)/contacts?fields=contactId")
            #expect(try contacts.json["contacts"] == [["contactId": .integer(contact)]])
            #expect(try await client.call("GET", "\(user)/groups?fields=groupId").json["groups"] == [])
            for wrong in ["fields=", "fields=chatInf", "fields=chatStats,x", "field=chatStats"] {
                let answer = try await client.call("GET", "\(user)/chats?\(wrong)")
                #expect(answer.status == 400, "\(wrong): \(answer.text)")
            }
        }
    }
}
