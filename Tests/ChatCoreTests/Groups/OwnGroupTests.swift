import JSON
import Testing
import TestSupport

@testable import ChatCore

/// A group whose only member is the user.
@Suite(.socketTimeLimit) struct OwnGroupTests {
    /// Returns the value without ids and times, which differ in each store. All other parts must be equal.
    private func withoutIdsAndTimes(_ value: JSONValue) -> JSONValue {
        if let object = value.objectValue {
            var result = JSONObject()
            for (key, value) in object {
                switch key {
                case "user", "itemTs", "createdAt", "updatedAt", "chatTs", "userMemberProfileSentAt", "memberId",
                    "itemId", "profileId", "memberContactId",
                    "memberContactProfileId", "memberChatVRange":
                    result[key] = "…"
                default: result[key] = withoutIdsAndTimes(value)
                }
            }
            return .object(result)
        }
        return value.arrayValue.map { .array($0.map(withoutIdsAndTimes)) } ?? value
    }

    @Test
    func `The creation of a group has the same answers and items as the recording`() async throws {
        let lines = try Fixture.readTranscript("group-basic").filter { $0["client"] == "alice" }
        let alice = try await World.makeAlice()
        var commands = 0
        for (index, line) in lines.enumerated() where line["dir"] == "cmd" {
            guard let command = line["cmd"]?.stringValue, command.hasPrefix("/_group 1"), commands < 3 else { continue }
            commands += 1
            let expected = try #require(
                lines[index...].first { $0["dir"] == "resp" && $0["corrId"] == line["corrId"] }?["json"]
            )
            let ours = try await alice.run(command)
            if expected["type"] == "chatCmdError" {
                #expect(ours == expected["chatError"])
            } else {
                #expect(withoutIdsAndTimes(ours) == withoutIdsAndTimes(expected))
            }
        }
        #expect(commands == 3)
        let events: [JSONValue] = lines.compactMap { $0["dir"] == "event" ? $0["json"] : nil }
        let recorded = events.filter { event in
            event["type"] == "newChatItems" && event["chatItems"]?[0]?["chatInfo"]?["type"] == "group"
        }.prefix(6)
        let emitted = try await alice.events().map(\.event).filter { $0["type"] == "newChatItems" }
        #expect(emitted.map(comparableItems) == recorded.map(comparableItems))
        await alice.controller.close()
    }

    /// The items of an event, without the state of the chat.
    private func comparableItems(_ event: JSONValue) -> [JSONValue] {
        (event["chatItems"]?.arrayValue ?? []).map { item in
            [
                "content": item["chatItem"]?["content"] ?? .null,
                "text": item["chatItem"]?["meta"]?["itemText"] ?? .null, "dir": item["chatItem"]?["chatDir"] ?? .null,
            ]
        }
    }

    @Test
    func `Messages of a group can be sent, quoted, edited, searched and deleted, and can get reactions`() async throws {
        let alice = try await World.makeAlice()
        try await alice.run(#"/_group 1 incognito=off {"displayName":"team","fullName":""}"#)
        let sent = try await alice.run(
            #"/_send #1 json [{"msgContent":{"type":"text","text":"hello team"},"mentions":{}}]"#
        )
        #expect(sent["chatItems"]?[0]?["chatInfo"]?["groupInfo"]?["localDisplayName"] == "team")
        #expect(sent["chatItems"]?[0]?["chatItem"]?["chatDir"]?["type"] == "groupSnd")
        let id = try #require(sent["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.text)
        let quote = try await alice.run(
            #"/_send #1 json [{"msgContent":{"type":"text","text":"yes"},"quotedItemId":\#(id),"mentions":{}}]"#
        )
        #expect(quote["chatItems"]?[0]?["chatItem"]?["quotedItem"]?["chatDir"]?["type"] == "groupSnd")
        #expect(
            try await alice.run(
                #"/_update item #1 \#(id) live=off json {"msgContent":{"type":"text","text":"hello all"},"mentions":{}}"#
            )["type"] == "chatItemUpdated"
        )
        #expect(try await alice.run(#"/_reaction #1 \#(id) on {"type":"emoji","emoji":"👍"}"#)["added"] == true)
        #expect(
            try await alice.run("/_get chat #1 count=10 search=hello")["chat"]?["chatItems"]?.arrayValue?.count == 1
        )
        let deletion = try await alice.run("/_delete item #1 \(id) broadcast")
        #expect(
            deletion["chatItemDeletions"]?[0]?["toChatItem"]?["chatItem"]?["meta"]?["itemDeleted"]?["type"]
                == "deleted",
            "\(deletion)"
        )
        await alice.controller.close()
    }

    @Test
    func `A group is found by its description and favourite mark, and keeps its settings when its name changes`()
        async throws
    {
        let alice = try await World.makeAlice()
        try await alice.run(#"/_group 1 incognito=off {"displayName":"team","fullName":"","shortDescr":"gardeners"}"#)
        func groups(_ tail: String) async throws -> [String] {
            (try await alice.run("/_get chats 1 pcc=on\(tail)")["chats"]?.arrayValue ?? []).compactMap {
                $0["chatInfo"]?["groupInfo"]?["localDisplayName"]?.stringValue
            }
        }
        #expect(try await groups("") == ["team"])
        #expect(try await groups(#" count=10 {"type":"search","search":"GARDEN"}"#) == ["team"])
        #expect(try await groups(#" count=10 {"type":"search","search":"nobody"}"#) == [])
        #expect(try await groups(#" count=10 {"type":"filters","favorite":true,"unread":false}"#) == [])
        try await alice.run(##"/_settings #1 {"enableNtfs":"none","favorite":true}"##)
        #expect(try await groups(#" count=10 {"type":"filters","favorite":true,"unread":false}"#) == ["team"])
        try await alice.run("/_unread chat #1 on")
        try await alice.run("/_ttl 1 #1 60")
        try await alice.run(#"/_create tag {"emoji":"🌱","text":"garden"}"#)
        #expect(try await alice.run("/_tags #1 1")["chatTags"] == [1])
        try await alice.run("/_set alias #1 mine")
        try await alice.run(#"/_set custom #1 {"color":"green"}"#)
        #expect(
            try await alice.run(#"/_group_profile #1 {"displayName":"club","fullName":""}"#)["toGroup"]?[
                "localDisplayName"
            ] == "club"
        )
        let info = try await alice.run("/_info #1")["groupInfo"]
        #expect(info?["chatSettings"] == ["enableNtfs": "none", "favorite": true])
        #expect(info?["localAlias"] == "mine")
        #expect(info?["customData"] == ["color": "green"])
        #expect(info?["chatTags"] == [1])
        #expect(info?["chatItemTTL"] == 60)
        #expect(try await groups(#" count=10 {"type":"search","search":"mine"}"#) == ["club"])
        #expect(try await groups(#" count=10 {"type":"search","search":"team"}"#) == [])
        #expect(try await alice.run("/_groups 1 CLU")["groups"]?.arrayValue?.count == 1)
        #expect(try await alice.run("/_groups 1 other")["groups"] == [])
        await alice.controller.close()
    }

    @Test
    func `Changed preferences of a group are shown as items in the chat, and are enforced`() async throws {
        let alice = try await World.makeAlice()
        try await alice.run(#"/_group 1 incognito=off {"displayName":"team","fullName":""}"#)
        let profile =
            #"{"displayName":"team","fullName":"","groupPreferences":{"timedMessages":{"enable":"on","ttl":3600},"voice":{"enable":"on","role":"admin"},"reactions":{"enable":"off"},"simplexLinks":{"enable":"off"}}}"#
        try await alice.run("/_group_profile #1 \(profile)")
        let items = try await alice.run("/_get chat #1 count=4")["chat"]?["chatItems"]?.arrayValue ?? []
        #expect(
            items.map { $0["meta"]?["itemText"]?.stringValue } == [
                "Disappearing messages: on (1 hour)", "Message reactions: off", "Voice messages: on for admins",
                "SimpleX links: off",
            ]
        )
        let sent = try await alice.run(
            #"/_send #1 json [{"msgContent":{"type":"text","text":"gone soon"},"mentions":{}}]"#
        )
        #expect(sent["chatItems"]?[0]?["chatItem"]?["meta"]?["itemTimed"]?["ttl"] == 3600)
        let id = try #require(sent["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.text)
        #expect(
            try await alice.run(#"/_reaction #1 \#(id) on {"type":"emoji","emoji":"👍"}"#)["errorType"]?["message"]
                == "feature not allowed Message reactions"
        )
        let link =
            "simplex:/invitation#/?v=2-7&smp=smp%3A%2F%2FV8c3_XjUAngNWljB4MuPSCnQvgbZWQKipURhNv4rwnY%3D%40smp.example.org%3A5223%2FKphLCXBSoJeuyIgEncn42U3EK-Uepg5b%23%2F%3Fv%3D1-4%26dh%3DMCowBQYDK2VuAyEAqB0KkSgAWn6J3bqJJ9D6x7DKfMhVP_5oll77plYBxf0%253D&e2e=v%3D2-3%26x3dh%3DMEIwBQYDK2VvAzkARm_Vvmr9gxJ47JfnK3iaaFVaIHq_3gjCsvpXgSsy6GtytUtHXCvyjY-XAZkemRH-KMA8mdLAX4o%3D%2CMEIwBQYDK2VvAzkApWZGkObbNlk5QO2em-YQV8QoG6d9_Xy2Mdi5SLi3nTju19XWzC5QtVQPJoAkSjvkMvsKCtgg2s8%3D"
        let refused = try await alice.run(
            #"/_send #1 json [{"msgContent":{"type":"text","text":"\#(link)"},"mentions":{}}]"#
        )
        #expect(refused["errorType"]?["message"] == "feature not allowed SimpleX links")
        let edited = try await alice.run(
            #"/_update item #1 \#(id) live=off json {"msgContent":{"type":"text","text":"\#(link)"},"mentions":{}}"#
        )
        #expect(edited["errorType"]?["message"] == "feature not allowed SimpleX links")
        await alice.controller.close()
    }

    @Test
    func `The change of a group profile has the same answer and items as the recording`() async throws {
        let lines = try Fixture.readTranscript("group-profile-prefs").filter { $0["client"] == "alice" }
        let alice = try await World.makeAlice()
        try await alice.run(#"/_group 1 incognito=off {"displayName":"prefs","fullName":""}"#)
        let before = try await alice.events().count
        var recorded: [[JSONValue]] = []
        var commands = 0
        for (index, line) in lines.enumerated() where line["dir"] == "cmd" {
            guard let command = line["cmd"]?.stringValue, command.hasPrefix("/_group_profile #1"), commands < 2 else {
                continue
            }
            commands += 1
            let expected = try #require(
                lines[index...].first { $0["dir"] == "resp" && $0["corrId"] == line["corrId"] }?["json"]
            )
            let ours = try await alice.run(command)
            #expect(ours["toGroup"]?["fullGroupPreferences"] == expected["toGroup"]?["fullGroupPreferences"])
            #expect(ours["toGroup"]?["localDisplayName"] == expected["toGroup"]?["localDisplayName"])
            #expect(ours["toGroup"]?["updatedAt"] == ours["fromGroup"]?["updatedAt"])
            let following = lines[index...].dropFirst().prefix { $0["dir"] != "cmd" }
            let events: [JSONValue] = following.compactMap { $0["dir"] == "event" ? $0["json"] : nil }
            let sent = events.filter { event in
                let item = event["chatItems"]?[0]?["chatItem"]
                return event["type"] == "newChatItems" && item?["chatDir"]?["type"] == "groupSnd"
            }
            recorded += sent.map(comparableItems)
        }
        #expect(commands == 2)
        let emitted = try await alice.events().dropFirst(before).map(\.event).filter { $0["type"] == "newChatItems" }
            .map(comparableItems)
        #expect(emitted == recorded)
        await alice.controller.close()
    }

    @Test
    func `A user who has left a group can read its messages, but cannot send, edit or change its profile`() async throws
    {
        let alice = try await World.makeAlice()
        try await alice.run(#"/_group 1 incognito=off {"displayName":"team","fullName":""}"#)
        let answer = try await alice.run("/_leave #1")["groupInfo"]
        #expect(answer?["membership"]?["memberStatus"] == "left")
        #expect(answer?["groupSummary"]?["currentMembers"] == 1)
        #expect(try await alice.run("/_info #1")["groupInfo"]?["groupSummary"]?["currentMembers"] == 0)
        let message = #"/_send #1 json [{"msgContent":{"type":"text","text":"left"},"mentions":{}}]"#
        #expect(try await alice.run(message)["errorType"]?["message"] == "not current member")
        #expect(
            try await alice.run(#"/_group_profile #1 {"displayName":"x","fullName":""}"#)["errorType"]?["type"]
                == "groupMemberUserRemoved"
        )
        let edit = #"/_update item #1 99 live=off json {"msgContent":{"type":"text","text":"no"},"mentions":{}}"#
        #expect(try await alice.run(edit)["errorType"]?["type"] == "groupMemberUserRemoved")
        #expect(try await alice.run("/_get chat #1 count=1")["chat"]?["chatItems"]?[0]?["meta"]?["itemText"] == "left")
        await alice.controller.close()
    }

    @Test
    func `A deleted group leaves no item, name, member or event in the database, and its id is not reused`()
        async throws
    {
        let alice = try await World.makeAlice()
        try await alice.run(#"/_group 1 incognito=on {"displayName":"team","fullName":""}"#)
        let own = try await alice.run("/_info #1")["groupInfo"]?["membership"]
        #expect(own?["memberProfile"]?["displayName"] != "alice")
        try await alice.run(#"/_send #1 json [{"msgContent":{"type":"text","text":"secret plan"},"mentions":{}}]"#)
        #expect(try await alice.run("/_clear chat #1")["type"] == "chatCleared")
        #expect(try await alice.run("/_get chat #1 count=10")["chat"]?["chatItems"]?.arrayValue?.count == 1)
        #expect(try await alice.run("/_delete #1 full notify=on")["type"] == "groupDeletedUser")
        #expect(try await alice.run("/_get chat #1 count=10")["storeError"] == ["type": "groupNotFound", "groupId": 1])
        let left = try await alice.controller.store.read { db in
            try ["groups", "group_members", "chat_items", "chat_item_days"].reduce(0) { sum, table in
                try sum
                    + (db.firstRow(
                        "SELECT count(*) AS n FROM \(table) WHERE \(table == "chat_items" ? "chat_type = 1" : table == "chat_item_days" ? "chat_type = 1" : "1")"
                    )?.int64("n") ?? 0)
            }
        }
        #expect(left == 0)
        let names = try await alice.controller.store.read { db in
            try db.query("SELECT local_display_name FROM display_names").map { try $0.string(0) }
        }
        #expect(names == ["alice"])
        #expect(try await alice.events().allSatisfy { !$0.event.text.contains("secret plan") })
        #expect(
            try await alice.run(#"/_group 1 incognito=off {"displayName":"team","fullName":""}"#)["groupInfo"]?[
                "groupId"
            ] == 2
        )
        await alice.controller.close()
    }

    @Test
    func `A group profile or a message that is too large to be sent to members is refused`() async throws {
        let alice = try await World.makeAlice()
        let large = String(repeating: "x", count: 16000)
        let refusal: JSONValue = ["type": "errorStore", "storeError": ["type": "largeMsg"]]
        #expect(
            try await alice.run(#"/_group 1 incognito=off {"displayName":"team","fullName":"","image":"\#(large)"}"#)
                == refusal
        )
        #expect(try await alice.run("/_groups 1")["groups"] == [])
        try await alice.run(#"/_group 1 incognito=off {"displayName":"team","fullName":""}"#)
        #expect(
            try await alice.run(#"/_group_profile #1 {"displayName":"team","fullName":"","description":"\#(large)"}"#)
                == refusal
        )
        #expect(
            try await alice.run(#"/_send #1 json [{"msgContent":{"type":"text","text":"\#(large)"},"mentions":{}}]"#)
                == refusal
        )
        await alice.controller.close()
    }

    @Test
    func `Console commands find a group by its name`() async throws {
        let alice = try await World.makeAlice()
        try await alice.run(#"/_group 1 incognito=off {"displayName":"team","fullName":""}"#)
        #expect(
            try await alice.run("#team hello all")["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"] == "hello all"
        )
        #expect(try await alice.run("/tail #team 1")["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"] == "hello all")
        #expect(try await alice.run("/mute #team")["type"] == "cmdOk")
        #expect(try await alice.run("/_info #1")["groupInfo"]?["chatSettings"]?["enableNtfs"] == "none")
        #expect(
            try await alice.run("#other hello")["storeError"] == ["type": "groupNotFoundByName", "groupName": "other"]
        )
        await alice.controller.close()
    }

    @Test
    func `A user profile finds only its own groups, and may give a group the name of another profile's group`()
        async throws
    {
        let alice = try await World.makeAlice()
        try await alice.run(#"/_group 1 incognito=off {"displayName":"team","fullName":""}"#)
        try await alice.createUser("work")
        #expect(try await alice.run("/_info #1", as: 2)["storeError"]?["type"] == "groupNotFound")
        #expect(
            try await alice.run(#"/_group 2 incognito=off {"displayName":"team","fullName":""}"#, as: 2)["groupInfo"]?[
                "localDisplayName"
            ] == "team"
        )
        #expect(try await alice.run("/_groups 1", as: 1)["groups"]?.arrayValue?.count == 1)
        try await alice.run("/_delete user 1 del_smp=on")
        #expect(try await alice.run("/_info #1", as: 2)["groupInfo"]?["groupId"] == 1)
        let groups = try await alice.controller.store.read { db in
            try db.firstRow("SELECT count(*) AS n FROM groups")?.int64("n")
        }
        #expect(groups == 1)
        await alice.controller.close()
    }
}
