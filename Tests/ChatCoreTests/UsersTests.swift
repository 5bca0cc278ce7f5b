import JSON
import Testing

@testable import ChatCore

@Suite struct UsersTests {
    @Test("Users are made, listed, switched and deleted with the answers of the recordings")
    func lifecycle() async throws {
        let core = try await World().core("users")
        #expect(try await core.run("/u").errorType == "noActiveUser")
        #expect(try await core.run("/_get chats 1 pcc=on").errorType == "noActiveUser")
        let created = try await core.run(#"/_create user {"profile":{"displayName":"alice","fullName":""},"pastTimestamp":false}"#)
        let user: JSONValue = [
            "userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice",
            "profile": ["profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""],
            "fullPreferences": [
                "timedMessages": ["allow": "yes"], "fullDelete": ["allow": "no"], "reactions": ["allow": "yes"],
                "voice": ["allow": "yes"], "files": ["allow": "always"], "calls": ["allow": "yes"], "sessions": ["allow": "no"],
                "commands": [],
            ], "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true,
            "autoAcceptMemberContacts": false,
        ]
        #expect(created == ["type": "activeUser", "user": user])
        #expect(try await core.run(#"/_create user {"profile":{"displayName":"alice","fullName":""},"pastTimestamp":false}"#)
            == ["type": "error", "errorType": ["type": "userExists", "contactName": "alice"]])
        #expect(try await core.run(#"/_create user {"profile":{"displayName":"@bad name!","fullName":""},"pastTimestamp":false}"#)
            == ["type": "error", "errorType": ["type": "invalidDisplayName", "displayName": "@bad name!", "validName": "bad name!"]])
        try await core.createUser("work")
        #expect(try await core.run("/_get chats 1 pcc=on")
            == ["type": "error", "errorType": ["type": "differentActiveUser", "commandUserId": 1, "activeUserId": 2]])
        #expect(try await core.run("/_get chats 1 pcc=on", as: 1)["type"] == "apiChats")
        #expect(try await core.run("/_delete user 2 del_smp=on").errorType == "cantDeleteActiveUser")
        #expect(try await core.run("/_user 9").errorType == "userUnknown")
        #expect(try await core.run("/_user 1")["user"]?["activeOrder"] == 3)
        #expect(try await core.run("/_delete user 2 del_smp=on")["type"] == "cmdOk")
        #expect(try await core.run("/users")["users"]?.arrayValue?.count == 1)
        await core.controller.close()
    }

    @Test("A hidden user is seen only with its password")
    func hidden() async throws {
        let core = try await World().core("users")
        try await core.createUser("alice")
        #expect(try await core.run(#"/_hide user 1 "x""#).errorType == "cantHideLastUser")
        try await core.createUser("second")
        #expect(try await core.run(#"/_hide user 1 """#).errorType == "emptyUserPassword")
        #expect(try await core.run(#"/_hide user 1 "s3cret""#)["updatedUser"]?["showNtfs"] == false)
        #expect(try await core.run(#"/_hide user 1 "s3cret""#).errorType == "userAlreadyHidden")
        #expect(try await core.run("/_unmute user 1").errorType == "hiddenUserAlwaysMuted")
        #expect(try await core.run("/_user 1").errorType == "userUnknown")
        #expect(try await core.run(#"/_user 1 "wrong""#).errorType == "userUnknown")
        #expect(try await core.run(#"/_user 1 "s3cret""#)["type"] == "activeUser")
        #expect(try await core.run(#"/_unhide user 1 "nope""#).errorType == "userUnknown")
        #expect(try await core.run(#"/_unhide user 1 "s3cret""#)["type"] == "userPrivacy")
        #expect(try await core.run(#"/_unhide user 1 "s3cret""#).errorType == "userNotHidden")
        await core.controller.close()
    }

    @Test("A database of another key is not opened, and not replaced")
    func wrongKey() async throws {
        let world = try await World()
        let core = try await world.core("keyed")
        try await core.createUser("alice")
        await core.controller.close()
        await #expect(throws: ChatOpenError.self) { try await world.core("keyed", key: "another") }
        let again = try await world.core("keyed")
        #expect(try await again.run("/u")["user"]?["localDisplayName"] == "alice")
        await again.controller.close()
    }
}
