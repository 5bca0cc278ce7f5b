import JSON
import TestSupport
import Testing

@testable import ChatCore

@Suite(.socketTimeLimit) struct TagsTests {
    private func tagTexts(_ answer: JSONValue) -> [String] {
        (answer["userTags"]?.arrayValue ?? []).map { tag in
            "\(tag["chatTagId"]?.integerValue ?? 0) \(tag["chatTagEmoji"]?.stringValue ?? "-") \(tag["chatTagText"]?.stringValue ?? "")"
        }
    }

    @Test
    func `Commands on tags have the same answers as the recording`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        #expect(try await alice.run("/_get tags 1")["userTags"] == [])
        #expect(tagTexts(try await alice.run(#"/_create tag {"text":"work","emoji":"💼"}"#)) == ["1 💼 work"])
        #expect(tagTexts(try await alice.run(#"/_create tag {"text":"family"}"#)) == ["1 💼 work", "2 - family"])
        #expect(
            try await alice.run(#"/_create tag {"text":"work"}"#) == [
                "type": "errorStore",
                "storeError": [
                    "type": "dBException",
                    "message":
                        "SQLite3 returned ErrorConstraint while attempting to perform step: UNIQUE constraint failed: chat_tags.user_id, chat_tags.chat_tag_text",
                ],
            ]
        )
        #expect(try await alice.run(#"/_create tag {"text":"other","emoji":"💼"}"#).errorType == "dBException")
        #expect(tagTexts(try await alice.run(#"/_create tag {"text":""}"#)).last == "3 - ")
        #expect(try await alice.run("/_tags @1 1,2")["chatTags"] == [1, 2])
        let unknown: JSONValue = [
            "type": "errorStore",
            "storeError": [
                "type": "dBException",
                "message":
                    "SQLite3 returned ErrorConstraint while attempting to perform step: FOREIGN KEY constraint failed",
            ],
        ]
        #expect(try await alice.run("/_tags @1 99") == unknown)
        #expect(try await alice.run("/_tags @99 1").errorType == "contactNotFound")
        #expect(
            try await alice.run("/_get chats 1 pcc=on")["chats"]?[0]?["chatInfo"]?["contact"]?["chatTags"] == [1, 2]
        )
        #expect(try await alice.run("/_info @1")["contact"]?["chatTags"] == [1, 2])
        #expect(try await alice.run(#"/_update tag 2 {"text":"relatives","emoji":"👪"}"#)["type"] == "cmdOk")
        #expect(try await alice.run(#"/_update tag 77 {"text":"none"}"#)["type"] == "cmdOk")
        #expect(try await alice.run(#"/_update tag 2 {"text":"work"}"#).errorType == "dBException")
        #expect(try await alice.run("/_reorder tags 2,1")["type"] == "cmdOk")
        #expect(tagTexts(try await alice.run("/_get tags 1")) == ["2 👪 relatives", "1 💼 work", "3 - "])
        #expect(try await alice.run("/_tags @1")["chatTags"] == [])
        #expect(try await alice.run("/_tags @1 1")["chatTags"] == [1])
        #expect(try await alice.run("/_delete tag 1")["type"] == "cmdOk")
        #expect(try await alice.run("/_delete tag 77")["type"] == "cmdOk")
        #expect(tagTexts(try await alice.run("/_get tags 1")) == ["2 👪 relatives", "3 - "])
        #expect(try await alice.run("/_info @1")["contact"]?["chatTags"] == [])
        #expect(
            try await alice.run("/_tags *1 2") == [
                "type": "error", "errorType": ["type": "commandError", "message": "not supported"],
            ]
        )
        #expect(try await alice.run("/_get tags 2").errorType == "differentActiveUser")
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test
    func `A user can neither see, assign, change nor delete the tags of another user`() async throws {
        let core = try await World().core("tags")
        try await core.createUser("alice")
        try await core.createUser("bob")
        #expect(tagTexts(try await core.run(#"/_create tag {"text":"work"}"#, as: 1)) == ["1 - work"])
        #expect(tagTexts(try await core.run(#"/_create tag {"text":"work"}"#, as: 2)) == ["2 - work"])
        for command in [#"/_update tag 1 {"text":"stolen"}"#, "/_delete tag 1", "/_reorder tags 1"] {
            #expect(try await core.run(command, as: 2)["type"] == "cmdOk")
        }
        #expect(tagTexts(try await core.run("/_get tags 1", as: 1)) == ["1 - work"])
        await core.controller.close()
    }
}
