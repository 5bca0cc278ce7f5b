import JSON
import TestSupport
import Testing

/// Tests a group in which a process is killed (-9) at certain writes while a member joins, gets a role or is removed.
/// With `SXGW_LONG_TESTS`, the process is killed at every write. After the restart the member must see the same group
/// as the others.
@Suite(.socketTimeLimit, .faultTests) struct GroupKillTests {
    /// The killed process: of the admin who invites, gives the role and removes, or of the affected member.
    enum KilledSide: String, CaseIterable { case admin, member }

    /// A step of a group's life.
    enum GroupPhase: CaseIterable { case joining, role, removal }

    /// A profile in a process.
    struct Person: Sendable {
        let name: String
        let node: Node
        let userID: Int

        var userPath: String { "/v1/users/\(userID)" }
    }

    private final class GroupWorld {
        let disk: FullDisk
        let victim: Node
        let (alice, bob, carol): (Person, Person, Person)
        private(set) var killCount = 0
        private var isKillPlanned = false
        private var requestNumber = 0

        var people: [Person] { [alice, bob, carol] }

        init(_ side: KilledSide, home: Node, relay: String, in folder: Folder) async throws {
            disk = try await FullDisk(of: folder.path + "/victim", controlFolder: folder.path)
            victim = Node(
                folder: folder.path + "/victim",
                ["--no-relay", "--smp-server", relay],
                environment: disk.environment
            )
            let isAdmin = side == .admin
            alice = Person(name: "alice", node: isAdmin ? victim : home, userID: 1)
            bob = Person(name: "bob", node: isAdmin ? home : victim, userID: 1)
            carol = Person(name: "carol", node: home, userID: 2)
        }

        func connectAll() async throws {
            for person in people where person.userID == 1 { try await createUser(person) }
            try await createUser(carol)
            for other in [bob, carol] {
                let invitation = try await alice.node.callForObject(
                    "POST",
                    alice.userPath + "/connections/invitations",
                    ["incognito": false]
                )
                _ = try await other.node.callForObject(
                    "POST",
                    other.userPath + "/connections",
                    ["incognito": false, "connLink": invitation["connLinkInvitation"]?["connFullLink"] ?? .null]
                )
                try await waitUntil("\(other.name) is a contact") { try await findContact(other) != nil }
            }
        }

        private func createUser(_ person: Person) async throws {
            _ = try await person.node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": .string(person.name), "fullName": ""]]
            )
        }

        func findContact(_ other: Person) async throws -> Int64? {
            let contacts =
                try await alice.node.callForObject("GET", alice.userPath + "/contacts")["contacts"]?.arrayValue ?? []
            return contacts.first {
                $0["localDisplayName"]?.stringValue == other.name && $0["activeConn"]?["connStatus"]?["type"] == "ready"
            }?["contactId"]?.integerValue
        }

        // MARK: Killing and restarting

        func planKill(_ moment: Int) {
            isKillPlanned = true
            disk.killProcess(after: moment)
        }

        /// Restarts the killed process.
        private func restartIfKilled() async {
            guard isKillPlanned, disk.refusalCount > 0 else { return }
            isKillPlanned = false
            killCount += 1
            disk.freeSpace()
            await victim.restart()
        }

        func cancelKill() async {
            await restartIfKilled()
            isKillPlanned = false
            disk.freeSpace()
        }

        /// Repeats a request until it succeeds, despite restarts of the process.
        /// - Parameter done: the status of a repetition if an earlier request succeeded.
        @discardableResult
        func repeatUntilDone(
            _ person: Person,
            _ method: String,
            _ path: String,
            _ body: JSONValue? = nil,
            orStatus done: Int? = nil
        ) async throws -> JSONValue? {
            requestNumber += 1
            var last: Node.Answer?
            try await waitUntil("\(method) \(path): \(last?.description ?? "no answer")") {
                await restartIfKilled()
                last = try? await person.node.call(
                    method,
                    person.userPath + path,
                    body,
                    idempotencyKey: method == "POST" ? "repeated \(requestNumber)" : nil
                )
                return last.map { $0.status < 300 || $0.status == done } ?? false
            }
            return try last?.body.isEmpty == false ? last?.json : nil
        }

        func waitDespiteKills(_ what: String, _ condition: () async throws -> Bool) async throws {
            try await waitUntil(what) {
                await restartIfKilled()
                return (try? await condition()) ?? false
            }
        }

        // MARK: State of the group at each person

        func findGroup(_ name: String, _ person: Person) async throws -> JSONValue? {
            try await person.node.callForObject("GET", person.userPath + "/groups")["groups"]?.arrayValue?.first {
                $0["localDisplayName"]?.stringValue == name
            }
        }

        func findGroupID(_ name: String, _ person: Person) async throws -> Int64 {
            guard let id = try await findGroup(name, person)?["groupId"]?.integerValue else {
                throw Program.UnexpectedOutput(description: "\(person.name) has no \(name)")
            }
            return id
        }

        /// Reads the id of a group until this succeeds, despite restarts of the process.
        func waitForGroupID(_ name: String, _ person: Person) async throws -> Int64 {
            var found: Int64 = 0
            try await waitDespiteKills("\(person.name) has \(name)") {
                found = try await findGroupID(name, person)
                return true
            }
            return found
        }

        func readMembers(_ name: String, _ person: Person) async throws -> [JSONValue] {
            try await person.node.callForObject(
                "GET",
                person.userPath + "/groups/\(findGroupID(name, person))/members"
            )["group"]?[
                "members"
            ]?.arrayValue ?? []
        }

        /// Returns the roles of the members of the group by member id, including the user's role.
        func readRoles(_ name: String, _ person: Person) async throws -> [String: String] {
            let own = try await findGroup(name, person)?["membership"]
            var roles: [String: String] = [:]
            for member in try await readMembers(name, person) + [own].compactMap(\.self) {
                guard let status = member["memberStatus"]?.stringValue,
                    !["removed", "left", "deleted", "invited"].contains(status)
                else { continue }
                roles[member["memberId"]?.stringValue ?? ""] = member["memberRole"]?.stringValue
            }
            return roles
        }

        func haveSameRoles(_ name: String, _ people: [Person], count: Int) async throws -> Bool {
            var views: [[String: String]] = []
            for person in people { views.append(try await readRoles(name, person)) }
            return views[0].count == count && views.allSatisfy { $0 == views[0] }
        }
    }

    @Test(
        .timeLimit(.minutes(30)),
        arguments: KilledSide.allCases
    )
    func `After a kill during a join, role change or removal, all members see the same state of the group`(
        side: KilledSide
    ) async throws {
        try await Folder.withNewFolder { folder in
            let home = Node(folder: folder.path + "/home", ["--relay-port", "0"])
            let relay = try #require(try await home.waitUntilRunning().relay)
            let stage = try await GroupWorld(side, home: home, relay: relay, in: folder)
            do {
                try await stage.connectAll()
                try await runRounds(stage)
            } catch {
                for node in [stage.victim, home] { await node.stop() }
                throw error
            }
            for node in [stage.victim, home] { await node.stop() }
        }
    }

    private func runRounds(_ stage: GroupWorld) async throws {
        var writes: [GroupPhase: Int] = [:]
        try await runRound(stage, "counted", killing: nil, after: 0, &writes)
        var number = 0
        for phase in GroupPhase.allCases {
            for moment in FullDisk.faultMoments(of: writes[phase] ?? 0, every: 3, otherwise: [0, 0.25, 0.5, 0.75]) {
                number += 1
                try await runRound(stage, "g\(number)", killing: phase, after: moment, &writes)
            }
        }
        #expect(stage.killCount >= number - 3, "\(stage.killCount) of \(number)")
    }

    private func runRound(
        _ stage: GroupWorld,
        _ name: String,
        killing phase: GroupPhase?,
        after moment: Int,
        _ writes: inout [GroupPhase: Int]
    ) async throws {
        let (alice, bob, carol) = (stage.alice, stage.bob, stage.carol)
        let what = "\(name), \(phase.map { "\($0)" } ?? "nothing"), \(moment)"
        try await stage.repeatUntilDone(
            alice,
            "POST",
            "/groups",
            ["groupProfile": ["displayName": .string(name), "fullName": ""]]
        )
        try await joinGroup(stage, carol, name)
        try await stage.waitDespiteKills("\(what): carol is there") {
            try await stage.haveSameRoles(name, [alice, carol], count: 2)
        }
        func step(_ this: GroupPhase, _ body: () async throws -> Void) async throws {
            let before = stage.disk.writeCount
            if phase == this { stage.planKill(moment) }
            try await body()
            await stage.cancelKill()
            if phase == nil { writes[this] = stage.disk.writeCount - before }
        }
        try await step(.joining) {
            try await joinGroup(stage, bob, name)
            try await stage.waitDespiteKills("\(what): bob is there") {
                guard try await stage.haveSameRoles(name, stage.people, count: 3) else { return false }
                for person in stage.people {
                    let isReady = try await stage.readMembers(name, person).allSatisfy {
                        $0["activeConn"]?["connStatus"]?["type"] == "ready"
                    }
                    guard isReady else { return false }
                }
                return true
            }
            // All members receive each other's messages.
            try await stage.repeatUntilDone(
                bob,
                "POST",
                "/chats/group/\(stage.waitForGroupID(name, bob))/messages",
                textMessages(["hello \(name)"])
            )
            try await stage.waitDespiteKills("\(what): all hear bob") {
                for person in [alice, carol] {
                    let items =
                        try await person.node.callForObject(
                            "GET",
                            person.userPath + "/chats/group/\(stage.findGroupID(name, person))?limit=20"
                        )["chat"]?["chatItems"]?.arrayValue ?? []
                    guard
                        items.count(where: { $0["content"]?["msgContent"]?["text"]?.stringValue == "hello \(name)" })
                            == 1
                    else { return false }
                }
                return true
            }
        }
        let bobs = try #require(try await stage.findGroup(name, bob)?["membership"]?["memberId"]?.stringValue)
        var number: Int64?
        try await stage.waitDespiteKills("bob's number") {
            number = try await stage.readMembers(name, alice).first { $0["memberId"]?.stringValue == bobs }?[
                "groupMemberId"
            ]?.integerValue
            return number != nil
        }
        let member = try #require(number)
        try await step(.role) {
            let group = try await stage.waitForGroupID(name, alice)
            try await stage.repeatUntilDone(
                alice,
                "PUT",
                "/groups/\(group)/members/role",
                ["memberIds": [.integer(member)], "memberRole": "admin"]
            )
            try await stage.waitDespiteKills("\(what): bob is an admin for all") {
                guard try await stage.haveSameRoles(name, stage.people, count: 3) else { return false }
                return try await stage.readRoles(name, carol)[bobs] == "admin"
            }
        }
        try await step(.removal) {
            let group = try await stage.waitForGroupID(name, alice)
            try await stage.repeatUntilDone(
                alice,
                "DELETE",
                "/groups/\(group)/members?memberIds=\(member)",
                orStatus: 404
            )
            try await stage.waitDespiteKills("\(what): bob is gone for all") {
                guard try await stage.findGroup(name, bob)?["membership"]?["memberStatus"] == "removed" else {
                    return false
                }
                return try await stage.haveSameRoles(name, [alice, carol], count: 2)
            }
        }
    }

    private func joinGroup(_ stage: GroupWorld, _ person: Person, _ name: String) async throws {
        var contact: Int64?
        try await stage.waitDespiteKills("\(person.name) is a contact") {
            contact = try await stage.findContact(person)
            return contact != nil
        }
        let group = try await stage.waitForGroupID(name, stage.alice)
        try await stage.repeatUntilDone(
            stage.alice,
            "POST",
            "/groups/\(group)/members",
            ["contactId": .integer(contact ?? 0), "memberRole": "member"]
        )
        let own = try await stage.waitForGroupID(name, person)
        try await stage.repeatUntilDone(person, "POST", "/groups/\(own)/join")
    }
}
