import JSON
import TestSupport
import Testing

/// A member of a group whose process is killed (-9) at certain writes while somebody joins, gets a role or is removed;
/// with `SXGW_LONG_TESTS` at every write. After the restart the member must see the same group as the others.
@Suite(.socketTimeLimit, .faultTests) struct GroupKillTests {
    /// The killed process: of the admin who invites, gives the role and removes, or of the affected member.
    enum Side: String, CaseIterable { case admin, member }

    /// A step of a group's life.
    enum Phase: CaseIterable { case joining, role, removal }

    /// A profile in a process.
    struct Person: Sendable {
        let name: String
        let node: Node
        let user: Int

        var path: String { "/v1/users/\(user)" }
    }

    private final class Stage {
        let disk: FullDisk
        let victim: Node
        let (alice, bob, carol): (Person, Person, Person)
        private(set) var kills = 0
        private var isArmed = false
        private var number = 0

        var all: [Person] { [alice, bob, carol] }

        init(_ side: Side, home: Node, relay: String, in folder: Folder) async throws {
            disk = try await FullDisk(of: folder.path + "/victim", controlFolder: folder.path)
            victim = Node(
                folder: folder.path + "/victim",
                ["--no-relay", "--smp-server", relay],
                environment: disk.environment
            )
            let isAdmin = side == .admin
            alice = Person(name: "alice", node: isAdmin ? victim : home, user: 1)
            bob = Person(name: "bob", node: isAdmin ? home : victim, user: 1)
            carol = Person(name: "carol", node: home, user: 2)
        }

        func connect() async throws {
            for person in all where person.user == 1 { try await create(person) }
            try await create(carol)
            for other in [bob, carol] {
                let invitation = try await alice.node.callForObject(
                    "POST",
                    alice.path + "/connections/invitations",
                    ["incognito": false]
                )
                _ = try await other.node.callForObject(
                    "POST",
                    other.path + "/connections",
                    ["incognito": false, "connLink": invitation["connLinkInvitation"]?["connFullLink"] ?? .null]
                )
                try await eventually("\(other.name) is a contact") { try await contact(other) != nil }
            }
        }

        private func create(_ person: Person) async throws {
            _ = try await person.node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": .string(person.name), "fullName": ""]]
            )
        }

        func contact(_ other: Person) async throws -> Int64? {
            let contacts =
                try await alice.node.callForObject("GET", alice.path + "/contacts")["contacts"]?.arrayValue ?? []
            return contacts.first {
                $0["localDisplayName"]?.stringValue == other.name && $0["activeConn"]?["connStatus"]?["type"] == "ready"
            }?["contactId"]?.integerValue
        }

        // MARK: Killing and restarting

        func arm(_ moment: Int) {
            isArmed = true
            disk.kill(after: moment)
        }

        /// Restarts the killed process.
        private func revive() async {
            guard isArmed, disk.refusalCount > 0 else { return }
            isArmed = false
            kills += 1
            disk.freeSpace()
            await victim.restart()
        }

        func disarm() async {
            await revive()
            isArmed = false
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
            number += 1
            var last: Node.Answer?
            try await eventually("\(method) \(path): \(last?.description ?? "no answer")") {
                await revive()
                last = try? await person.node.call(
                    method,
                    person.path + path,
                    body,
                    idempotencyKey: method == "POST" ? "repeated \(number)" : nil
                )
                return last.map { $0.status < 300 || $0.status == done } ?? false
            }
            return try last?.body.isEmpty == false ? last?.json : nil
        }

        func wait(_ what: String, _ condition: () async throws -> Bool) async throws {
            try await eventually(what) {
                await revive()
                return (try? await condition()) ?? false
            }
        }

        // MARK: State of the group at each person

        func group(_ name: String, _ person: Person) async throws -> JSONValue? {
            try await person.node.callForObject("GET", person.path + "/groups")["groups"]?.arrayValue?.first {
                $0["localDisplayName"]?.stringValue == name
            }
        }

        func id(_ name: String, _ person: Person) async throws -> Int64 {
            guard let id = try await group(name, person)?["groupId"]?.integerValue else {
                throw Program.UnexpectedOutput(description: "\(person.name) has no \(name)")
            }
            return id
        }

        /// Reads the id of a group until this succeeds, despite restarts of the process.
        func insistOnID(_ name: String, _ person: Person) async throws -> Int64 {
            var found: Int64 = 0
            try await wait("\(person.name) has \(name)") {
                found = try await id(name, person)
                return true
            }
            return found
        }

        func members(_ name: String, _ person: Person) async throws -> [JSONValue] {
            try await person.node.callForObject("GET", person.path + "/groups/\(id(name, person))/members")["group"]?[
                "members"
            ]?.arrayValue ?? []
        }

        /// Returns the roles of the members of the group by member id, including the user's role.
        func roles(_ name: String, _ person: Person) async throws -> [String: String] {
            let own = try await group(name, person)?["membership"]
            var roles: [String: String] = [:]
            for member in try await members(name, person) + [own].compactMap(\.self) {
                guard let status = member["memberStatus"]?.stringValue,
                    !["removed", "left", "deleted", "invited"].contains(status)
                else { continue }
                roles[member["memberId"]?.stringValue ?? ""] = member["memberRole"]?.stringValue
            }
            return roles
        }

        func agree(_ name: String, _ people: [Person], count: Int) async throws -> Bool {
            var views: [[String: String]] = []
            for person in people { views.append(try await roles(name, person)) }
            return views[0].count == count && views.allSatisfy { $0 == views[0] }
        }
    }

    @Test(
        .timeLimit(.minutes(30)),
        arguments: Side.allCases
    )
    func `All members have the same state of a group after a kill during a join, a role change or a removal`(
        side: Side
    ) async throws {
        try await Folder.withNewFolder { folder in
            let home = Node(folder: folder.path + "/home", ["--relay-port", "0"])
            let relay = try #require(try await home.waitUntilRunning().relay)
            let stage = try await Stage(side, home: home, relay: relay, in: folder)
            do {
                try await stage.connect()
                try await rounds(stage)
            } catch {
                for node in [stage.victim, home] { await node.stop() }
                throw error
            }
            for node in [stage.victim, home] { await node.stop() }
        }
    }

    private func rounds(_ stage: Stage) async throws {
        var writes: [Phase: Int] = [:]
        try await round(stage, "counted", killing: nil, after: 0, &writes)
        var number = 0
        for phase in Phase.allCases {
            for moment in FullDisk.moments(of: writes[phase] ?? 0, every: 3, otherwise: [0, 0.25, 0.5, 0.75]) {
                number += 1
                try await round(stage, "g\(number)", killing: phase, after: moment, &writes)
            }
        }
        #expect(stage.kills >= number - 3, "\(stage.kills) of \(number)")
    }

    private func round(
        _ stage: Stage,
        _ name: String,
        killing phase: Phase?,
        after moment: Int,
        _ writes: inout [Phase: Int]
    ) async throws {
        let (alice, bob, carol) = (stage.alice, stage.bob, stage.carol)
        let what = "\(name), \(phase.map { "\($0)" } ?? "nothing"), \(moment)"
        try await stage.repeatUntilDone(
            alice,
            "POST",
            "/groups",
            ["groupProfile": ["displayName": .string(name), "fullName": ""]]
        )
        try await join(stage, carol, name)
        try await stage.wait("\(what): carol is there") { try await stage.agree(name, [alice, carol], count: 2) }
        func step(_ this: Phase, _ body: () async throws -> Void) async throws {
            let before = stage.disk.writeCount
            if phase == this { stage.arm(moment) }
            try await body()
            await stage.disarm()
            if phase == nil { writes[this] = stage.disk.writeCount - before }
        }
        try await step(.joining) {
            try await join(stage, bob, name)
            try await stage.wait("\(what): bob is there") {
                guard try await stage.agree(name, stage.all, count: 3) else { return false }
                for person in stage.all {
                    let isReady = try await stage.members(name, person).allSatisfy {
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
                "/chats/group/\(stage.insistOnID(name, bob))/messages",
                textMessages(["hello \(name)"])
            )
            try await stage.wait("\(what): all hear bob") {
                for person in [alice, carol] {
                    let items =
                        try await person.node.callForObject(
                            "GET",
                            person.path + "/chats/group/\(stage.id(name, person))?limit=20"
                        )["chat"]?["chatItems"]?.arrayValue ?? []
                    guard
                        items.count(where: { $0["content"]?["msgContent"]?["text"]?.stringValue == "hello \(name)" })
                            == 1
                    else { return false }
                }
                return true
            }
        }
        let bobs = try #require(try await stage.group(name, bob)?["membership"]?["memberId"]?.stringValue)
        var number: Int64?
        try await stage.wait("bob's number") {
            number = try await stage.members(name, alice).first { $0["memberId"]?.stringValue == bobs }?[
                "groupMemberId"
            ]?.integerValue
            return number != nil
        }
        let member = try #require(number)
        try await step(.role) {
            let group = try await stage.insistOnID(name, alice)
            try await stage.repeatUntilDone(
                alice,
                "PUT",
                "/groups/\(group)/members/role",
                ["memberIds": [.integer(member)], "memberRole": "admin"]
            )
            try await stage.wait("\(what): bob is an admin for all") {
                guard try await stage.agree(name, stage.all, count: 3) else { return false }
                return try await stage.roles(name, carol)[bobs] == "admin"
            }
        }
        try await step(.removal) {
            let group = try await stage.insistOnID(name, alice)
            try await stage.repeatUntilDone(
                alice,
                "DELETE",
                "/groups/\(group)/members?memberIds=\(member)",
                orStatus: 404
            )
            try await stage.wait("\(what): bob is gone for all") {
                guard try await stage.group(name, bob)?["membership"]?["memberStatus"] == "removed" else {
                    return false
                }
                return try await stage.agree(name, [alice, carol], count: 2)
            }
        }
    }

    private func join(_ stage: Stage, _ person: Person, _ name: String) async throws {
        var contact: Int64?
        try await stage.wait("\(person.name) is a contact") {
            contact = try await stage.contact(person)
            return contact != nil
        }
        let group = try await stage.insistOnID(name, stage.alice)
        try await stage.repeatUntilDone(
            stage.alice,
            "POST",
            "/groups/\(group)/members",
            ["contactId": .integer(contact ?? 0), "memberRole": "member"]
        )
        let own = try await stage.insistOnID(name, person)
        try await stage.repeatUntilDone(person, "POST", "/groups/\(own)/join")
    }
}
