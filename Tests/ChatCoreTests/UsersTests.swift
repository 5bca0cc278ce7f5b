import ChatAPI
import JSON
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent
@testable import ChatCore

@Suite(.socketTimeLimit) struct UsersTests {
    @Test
    func `The client service of a user is still on after the user has connected to a contact`() async throws {
        let world = try await World()
        let (alice, bob) = (try await world.core("alice"), try await world.core("bob"))
        let made = try await alice.run(
            #"/_create user {"profile":{"displayName":"alice","fullName":""},"pastTimestamp":false,"clientService":true}"#
        )
        #expect(made["user"]?["clientService"] == true, "\(made)")
        try await bob.createUser("bob")
        try await connectUsers(alice, 1, to: bob, 1)
        #expect(try await alice.run("/u")["user"]?["clientService"] == true)
        #expect(try await bob.run("/u")["user"]?["clientService"] == false)
        for core in [alice, bob] { await core.controller.close() }
    }

    /// Returns whether a user of the agent is a service, and the number of its certificates.
    private func readService(_ core: Core) async throws -> [Int64] {
        try await core.controller.services.agent.database.read { db in
            let row = try db.firstRow(
                """
                SELECT (SELECT is_service FROM users) AS is_service,
                  (SELECT count(*) FROM client_services) AS certificates
                """
            )
            return [try row?.int64("is_service") ?? -1, try row?.int64("certificates") ?? -1]
        }
    }

    @Test
    func `The client service of a stopped profile can be switched off and on, and messages still arrive`() async throws
    {
        let world = try await World()
        let (alice, bob) = (try await world.core("alice"), try await world.core("bob"))
        try await alice.run(
            #"/_create user {"profile":{"displayName":"alice","fullName":""},"pastTimestamp":false,"clientService":true}"#
        )
        try await bob.createUser("bob")
        try await connectUsers(alice, 1, to: bob, 1)
        let off = "/set client service 1:alice off"
        #expect(try await alice.run(off).errorType == "chatNotStopped")
        try await alice.run("/_stop")
        for unknown in ["/set client service 2:alice off", "/set client service 1:bob off"] {
            #expect(try await alice.run(unknown).errorType == "userUnknown", "\(unknown)")
        }
        for isOn in [false, true] {
            let answer = try await alice.run("/set client service 1:alice \(isOn ? "on" : "off")")
            #expect(answer["type"] == "cmdOk" && answer["user_"]?["clientService"] == .bool(isOn), "\(answer)")
            #expect(try await readService(alice) == [isOn ? 1 : 0, 0])
            try await bob.run("/_send @1 text \(isOn)")
            try await alice.controller.start()
            try await waitForText("\(isOn)", alice)
            try await waitUntil("a service has a certificate") { try await readService(alice)[1] == (isOn ? 1 : 0) }
            try await alice.run("/_stop")
        }
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `At a start, the agent gets a stored user setting that the agent missed because of a crash`() async throws {
        let core = try await World().core("crash")
        try await core.run(
            #"/_create user {"profile":{"displayName":"alice","fullName":""},"pastTimestamp":false,"clientService":true}"#
        )
        try await core.run("/_stop")
        try await core.controller.store.write { tx in try tx.db.execute("UPDATE users SET client_service = 0") }
        #expect(try await readService(core)[0] == 1)
        try await core.controller.start()
        #expect(try await readService(core) == [0, 0])
        await core.controller.close()
    }

    @Test
    func `A profile that is created as a channel relay gets a relay address`() async throws {
        let core = try await World().core("kinds")
        let relay = try await core.run(
            #"/_create user {"profile":{"displayName":"rel","fullName":""},"pastTimestamp":false,"userChatRelay":true}"#
        )
        #expect(relay["user"]?["userChatRelay"] == true, "\(relay)")
        let link = try #require(await core.run("/_address 1")["connLinkContact"]?["connShortLink"]?.stringValue)
        #expect(try ShortLink(parsing: link).kind == .contact(.relay))
        let (_, data, signers) = try await core.controller.services.agent.fetchLinkData(
            user: 1,
            ShortLink(atServer: link)
        )
        #expect(try JSONValue(parsing: data.bytes) == ["relayProfile": ["displayName": "rel", "fullName": ""]])
        #expect(signers.entityID == Digest.sha256(signers.rootKey.rawRepresentation))
        // The address stays a relay address when the profile changes.
        #expect(
            try await core.run("/_short_link_address 1")["contactLink"]?["connLinkContact"]?["connShortLink"]?
                .stringValue == link
        )
        await core.controller.close()
    }

    @Test
    func `Commands on users have the same answers as the recording`() async throws {
        let core = try await World().core("users")
        #expect(try await core.run("/u").errorType == "noActiveUser")
        #expect(try await core.run("/_get chats 1 pcc=on").errorType == "noActiveUser")
        let created = try await core.run(
            #"/_create user {"profile":{"displayName":"alice","fullName":""},"pastTimestamp":false}"#
        )
        let user: JSONValue = [
            "userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice",
            "profile": ["profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""],
            "fullPreferences": [
                "timedMessages": ["allow": "yes"], "fullDelete": ["allow": "no"], "reactions": ["allow": "yes"],
                "voice": ["allow": "yes"], "files": ["allow": "always"], "calls": ["allow": "yes"],
                "sessions": ["allow": "no"],
                "commands": [],
            ], "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true,
            "sendRcptsSmallGroups": true,
            "autoAcceptMemberContacts": false, "userChatRelay": false, "clientService": false,
        ]
        #expect(created == ["type": "activeUser", "user": user])
        #expect(
            try await core.run(
                #"/_create user {"profile":{"displayName":"alice","fullName":""},"pastTimestamp":false}"#
            )
                == ["type": "error", "errorType": ["type": "userExists", "contactName": "alice"]]
        )
        #expect(
            try await core.run(
                #"/_create user {"profile":{"displayName":"@bad name!","fullName":""},"pastTimestamp":false}"#
            )
                == [
                    "type": "error",
                    "errorType": ["type": "invalidDisplayName", "displayName": "@bad name!", "validName": "bad name!"],
                ]
        )
        try await core.createUser("work")
        #expect(
            try await core.run("/_get chats 1 pcc=on")
                == [
                    "type": "error",
                    "errorType": ["type": "differentActiveUser", "commandUserId": 1, "activeUserId": 2],
                ]
        )
        #expect(try await core.run("/_get chats 1 pcc=on", as: 1)["type"] == "apiChats")
        #expect(try await core.run("/_delete user 2 del_smp=on").errorType == "cantDeleteActiveUser")
        #expect(try await core.run("/_user 9").errorType == "userUnknown")
        #expect(try await core.run("/_user 1")["user"]?["activeOrder"] == 3)
        #expect(try await core.run("/_delete user 2 del_smp=on")["type"] == "cmdOk")
        #expect(try await core.run("/users")["users"]?.arrayValue?.count == 1)
        await core.controller.close()
    }

    @Test
    func `A hidden user who is not active is not listed, and is activated only with the right password`() async throws {
        let core = try await World().core("users")
        try await core.createUser("alice")
        #expect(try await core.run(#"/_hide user 1 "x""#).errorType == "cantHideLastUser")
        try await core.createUser("second")
        #expect(try await core.run(#"/_hide user 1 """#).errorType == "emptyUserPassword")
        #expect(try await core.run(#"/_hide user 1 "s3cret""#)["updatedUser"]?["showNtfs"] == false)
        #expect(try await core.run("/_user 1").errorType == "userUnknown")
        #expect(try await core.run(#"/_user 1 "wrong""#).errorType == "userUnknown")
        #expect(try await core.run(#"/_user 1 "s3cret""#)["type"] == "activeUser")
        #expect(try await core.run(#"/_hide user 1 "s3cret""#).errorType == "userAlreadyHidden")
        #expect(try await core.run(#"/_hide user 1 """#).errorType == "userAlreadyHidden")
        #expect(try await core.run("/_unmute user 1").errorType == "hiddenUserAlwaysMuted")
        #expect(try await core.run("/_mute user 1").errorType == "hiddenUserAlwaysMuted")
        #expect(try await core.run(#"/_unhide user 1 "nope""#).errorType == "userUnknown")
        #expect(try await core.run(#"/_unhide user 1 "s3cret""#)["type"] == "userPrivacy")
        #expect(try await core.run(#"/_unhide user 1 "s3cret""#).errorType == "userNotHidden")
        // The active user can be hidden like any other, and stays visible while it is active.
        let hidden = try await core.run(#"/_hide user 1 "s3cret""#)
        #expect(
            hidden["type"] == "userPrivacy" && hidden["updatedUser"]?["activeUser"] == true
                && hidden["updatedUser"]?["viewPwdHash"] != nil
        )
        #expect(try await core.run("/users")["users"]?.arrayValue?.count == 2)
        try await core.run("/_user 2")
        #expect(try await core.run("/users")["users"]?.arrayValue?.count == 1)
        await core.controller.close()
    }

    /// Makes a core whose second user is active and whose first user is hidden.
    private func makeCoreWithHiddenUser() async throws -> Core {
        let core = try await World().core("users")
        try await core.createUser("alice")
        try await core.createUser("second")
        try await core.run(#"/_hide user 1 "s3cret""#)
        return core
    }

    @Test
    func `No command shows whether a user is hidden or does not exist`() async throws {
        let core = try await makeCoreWithHiddenUser()
        let unknown = try await core.run("/_user 9")
        #expect(unknown == ["type": "error", "errorType": ["type": "userUnknown"]])
        for user in [1, 9] as [Int64] {
            for command in [
                "/_user \(user)", #"/_user \#(user) "wrong""#, #"/_hide user \#(user) "x""#,
                #"/_unhide user \#(user) "wrong""#, "/_mute user \(user)",
                "/_unmute user \(user)", "/_delete user \(user) del_smp=on",
                #"/_delete user \#(user) del_smp=on "wrong""#,
                "/_set receipts contacts \(user) on clear_overrides=off", "/_set accept member contacts \(user) on",
                "/_set accept group invitations \(user) on",
            ] { #expect(try await core.run(command) == unknown, "\(command)") }
            for command in ["/_get chats \(user) pcc=on", "/_get tags \(user)", "/_ttl \(user)"] {
                #expect(try await core.run(command, as: user) == unknown, "\(command)")
            }
            #expect(try await core.run("/_set theme user \(user)").errorType == "userNotFound")
        }
        #expect(try await core.run("/users")["users"]?.arrayValue?.count == 1)
        // Others can use the name of the hidden user.
        try await core.createUser("alice")
        #expect(try await core.run("/u")["user"]?["localDisplayName"] == "alice")
        #expect(
            try await core.run(
                #"/_create user {"profile":{"displayName":"alice","fullName":""},"pastTimestamp":false}"#
            ).errorType == "userExists"
        )
        #expect(try await core.run(#"/_user 1 "s3cret""#)["user"]?["localDisplayName"] == "alice")
        await core.controller.close()
    }

    @Test
    func `No console command shows whether a hidden user has a name, or whether the name is unknown`() async throws {
        let core = try await makeCoreWithHiddenUser()
        for name in ["alice", "nobody"] {
            for password in ["", " wrong"] {
                #expect(try await core.run("/user \(name)\(password)").errorType == "userUnknown")
                let answer = try await core.run("/delete user \(name)\(password)")
                #expect(answer["storeError"] == ["type": "userNotFoundByName", "contactName": .string(name)])
            }
        }
        // A password for an unknown name is counted as a wrong password.
        for _ in 0..<2 * ViewPasswordTries.maxTriesWithoutWait { try await core.run("/user nobody wrong") }
        #expect(try await core.run("/user alice s3cret").text.contains("too many"))
        await core.controller.close()
    }

    @Test
    func `A console command finds a visible user that has the name of a hidden user`() async throws {
        let core = try await makeCoreWithHiddenUser()
        try await core.createUser("alice")
        try await core.run("/_user 2")
        #expect(try await core.run("/user alice")["user"]?["userId"] == 3)
        // A password deletes only a hidden user.
        try await core.run("/_user 2")
        #expect(try await core.run("/delete user alice wrong").errorType == "userNotFoundByName")
        #expect(try await core.run("/delete user alice s3cret")["type"] == "cmdOk")
        #expect(try await core.run("/_user 3")["type"] == "activeUser")
        await core.controller.close()
    }

    @Test
    func `The check of a view password computes one hash of equal length for every user, hidden or not`() {
        let kept = ViewPassword.makeSaltedHash("s3cret")
        for password in [nil, "", "wrong", "s3cret", "s3cre"] {
            var hashed: [[Int]] = []
            for user in [(nil, nil), (kept.hash, kept.salt)] as [([UInt8]?, [UInt8]?)] {
                var counts: [Int] = []
                let matches = ViewPassword.matches(user.0, user.1, password) { text, salt in
                    counts.append(text.utf8.count + salt.count)
                    return ViewPassword.computeHash(text, salt)
                }
                #expect(matches == (user.0 != nil && password == "s3cret"))
                hashed.append(counts)
            }
            #expect(hashed == [[(password ?? "").utf8.count + 16], [(password ?? "").utf8.count + 16]])
        }
    }

    @Test
    func `After too many wrong passwords even the right password is refused, but right passwords are not counted`()
        async throws
    {
        let core = try await makeCoreWithHiddenUser()
        for _ in 0..<20 { #expect(try await core.run(#"/_user 1 "s3cret""#)["type"] == "activeUser") }
        try await core.run("/_user 2")
        for _ in 0..<ViewPasswordTries.maxTriesWithoutWait / 2 {
            #expect(try await core.run(#"/_user 1 "wrong""#).errorType == "userUnknown")
            #expect(try await core.run(#"/_unhide user 9 "wrong""#).errorType == "userUnknown")
        }
        for command in [#"/_user 1 "s3cret""#, #"/_delete user 1 del_smp=on "s3cret""#, #"/_unhide user 1 "s3cret""#] {
            let refused = try await core.run(command)
            #expect(refused.errorType == "commandError" && refused.text.contains("too many"), "\(command): \(refused)")
        }
        // Commands without a password are still accepted.
        #expect(try await core.run("/_user 2")["type"] == "activeUser")
        await core.controller.close()
    }

    @Test
    func `After many wrong passwords for hidden users, one more password is tried after each interval`() throws {
        let (tries, start) = (ViewPasswordTries(), ContinuousClock.now)
        for _ in 0..<ViewPasswordTries.maxTriesWithoutWait { try tries.beginTry(at: start) }
        #expect(throws: ChatFailure.self) { try tries.beginTry(at: start) }
        let later = start + ViewPasswordTries.intervalPerTry + .seconds(1)
        try tries.beginTry(at: later)
        #expect(throws: ChatFailure.self) { try tries.beginTry(at: later) }
    }

    @Test
    func `A password activates a hidden user, and switches between two hidden users with the same password`()
        async throws
    {
        let core = try await World().core("users")
        for name in ["alice", "bob", "carol", "dave"] { try await core.createUser(name) }
        for (user, password) in [(1, "one"), (2, "two"), (3, "two")] {
            try await core.run(#"/_hide user \#(user) "\#(password)""#)
        }
        func activate(_ password: String, with rights: CommandRights = .all) async throws -> JSONValue {
            switch await core.controller.activateHiddenUser(viewPwd: password, with: rights) {
            case .result(let response): try JSONEncoder().encodeValue(response)
            case .error(let error): try JSONEncoder().encodeValue(error)
            }
        }
        #expect(try await activate("one")["user"]?["localDisplayName"] == "alice")
        #expect(try await activate("two")["user"]?["localDisplayName"] == "bob")
        #expect(try await activate("two")["user"]?["localDisplayName"] == "carol")
        #expect(try await activate("") == ["type": "error", "errorType": ["type": "userUnknown"]])
        // A key without the right does not learn whether the user exists.
        let bound = CommandRights(scopes: [.read, .write], userId: 4, paths: .ownFolders)
        #expect(try await activate("one", with: bound) == activate("three", with: bound))
        #expect(
            try await activate("one", with: CommandRights(scopes: .read, paths: .ownFolders)).errorType
                == "commandError"
        )
        #expect(try await core.run("/u")["user"]?["localDisplayName"] == "carol")
        await core.controller.close()
    }

    @Test
    func `Settings of every visible user can be changed, also of an inactive user`() async throws {
        let core = try await World().core("users")
        try await core.createUser("alice")
        try await core.createUser("second")
        for command in [
            "/_set receipts contacts 1 off clear_overrides=on", "/_set receipts groups 1 off clear_overrides=off",
            "/_set accept member contacts 1 on",
            "/_set accept group invitations 1 on",
        ] { #expect(try await core.run(command)["user_"]?["userId"] == 2, "\(command)") }
        let first = try await core.run("/_user 1")["user"]
        #expect(
            first?["sendRcptsContacts"] == false && first?["sendRcptsSmallGroups"] == false
                && first?["autoAcceptMemberContacts"] == true && first?["autoAcceptGroupInvitations"] == true
        )
        try await core.run("/_set accept group invitations 1 off")
        #expect(try await core.run("/_user 1")["user"]?["autoAcceptGroupInvitations"] == nil)
        await core.controller.close()
    }

    @Test(arguments: [("contacts", "/_settings @1"), ("groups", "/_settings #1")])
    func `A setting of receipts clears the settings of single chats on request`(
        kind: String,
        settings: String
    ) async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.run("/g team")
        let table = kind == "contacts" ? "contacts" : "groups"
        func sendsReceipts() async throws -> Int64? {
            try await alice.controller.store.read { db in
                try db.firstRow("SELECT send_rcpts FROM \(table) WHERE user_id = 1")?.int64OrNil("send_rcpts")
            }
        }
        try await alice.run(settings + #" {"enableNtfs":"all","sendRcpts":false,"favorite":false}"#)
        try await alice.run("/_set receipts \(kind) 1 on clear_overrides=off")
        #expect(try await sendsReceipts() == 0)
        try await alice.run("/_set receipts \(kind) 1 on clear_overrides=on")
        #expect(try await sendsReceipts() == nil)
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test(arguments: ["on", "off"])
    func `The deletion of a user removes all data of the user, also if no other user exists`(
        deletingQueues: String
    ) async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await bob.run("/_send @1 text a secret")
        try await waitForText("a secret", alice)
        #expect(try await alice.run("/_delete user 1 del_smp=\(deletingQueues)") == ["type": "cmdOk"])
        if deletingQueues == "on" { try await alice.wait(for: "agentUserDeleted") }
        #expect(try await alice.run("/u").errorType == "noActiveUser")
        let told = try await alice.entries(after: 0, limit: 10_000)
        #expect(told.allSatisfy { $0.userId != 1 })
        let types = try told.map { try JSONValue(parsing: $0.eventJSON, limits: .forOwnText)["type"] }
        #expect(types.contains("agentUserDeleted") == (deletingQueues == "on"))
        for table in ["users", "contacts", "contact_profiles", "connections", "chat_items", "messages", "chat_tags"] {
            let rows = try await alice.controller.store.read { db in
                try db.firstRow("SELECT count(*) AS n FROM \(table)")?.int64("n")
            }
            #expect(rows == 0, "\(table)")
        }
        try await alice.createUser("again")
        #expect(try await alice.run("/_get chats 2 pcc=on")["type"] == "apiChats")
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test(arguments: [
        ("\u{200F}alice", "alice"), ("ali\u{202E}ce", "alice"),
        (String(repeating: "😀", count: 10_000), String(repeating: "😀", count: 50)),
        ("#alice", "alice"), (" alice ", "alice"), ("", ""),
    ])
    func `User names that are invalid or too long are refused, and the error contains the valid part of the name`(
        name: String,
        valid: String
    ) async throws {
        let core = try await World().core("users")
        let new: JSONValue = ["profile": ["displayName": .string(name), "fullName": ""], "pastTimestamp": false]
        let answer = try await core.run("/_create user \(new.text)")
        #expect(
            answer == [
                "type": "error",
                "errorType": ["type": "invalidDisplayName", "displayName": .string(name), "validName": .string(valid)],
            ]
        )
        await core.controller.close()
    }

    @Test
    func `A contact cannot have the same name as the user`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        #expect(
            try await alice.run(#"/_profile 1 {"displayName":"bob","fullName":""}"#) == [
                "type": "errorStore", "storeError": ["type": "duplicateName"],
            ]
        )
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test
    func `A start with a wrong database key is refused, and leaves the database unchanged`() async throws {
        let world = try await World()
        let core = try await world.core("keyed")
        try await core.createUser("alice")
        await core.controller.close()
        await #expect(throws: ChatOpenError.self) {
            try await world.core("keyed", key: World.databaseKey(of: "another"))
        }
        let again = try await world.core("keyed")
        #expect(try await again.run("/u")["user"]?["localDisplayName"] == "alice")
        await again.controller.close()
    }
}
