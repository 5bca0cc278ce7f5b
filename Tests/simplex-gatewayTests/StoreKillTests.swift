import Foundation
import JSON
import TestSupport
import Testing

@Suite(.socketTimeLimit, .faultTests) struct StoreKillTests {
    /// The expected state of a store after the answers so far.
    private struct ExpectedStore {
        let id: String
        let key: String
        var userNames: [String]
        var isLocked = false
        /// The app password, if the store has one.
        var appPassword: String?
        var selfDestructPassword: String?
    }

    /// All parts share these random numbers. They run one after the other, so that each part gets other numbers.
    private static let sharedRandom = SharedRandom(of: "StoreKillTests")
    private var sharedRandom: SharedRandom { Self.sharedRandom }

    private func callDuringKill(
        _ node: Node,
        _ method: String,
        _ path: String,
        _ body: JSONValue? = nil,
        key: String? = nil
    ) async throws -> Node.Answer {
        // The process is killed during the request, which is then repeated.
        async let answer = node.call(method, path, body, idempotencyKey: key)
        try await sharedRandom.sleepRandomly(in: 0..<60_000)
        await node.restart()
        let told = try await answer
        // Answered changes must survive a kill that follows immediately.
        if sharedRandom.randomNumber(2) == 0 { await node.restart() }
        return told
    }

    private func readUsers(_ node: Node, _ key: String) async throws -> (Int, [String]) {
        let answer = try await node.call("GET", "/v1/users", as: key)
        return (
            answer.status,
            try answer.json["users"]?.arrayValue?.compactMap { $0["user"]?["localDisplayName"]?.stringValue } ?? []
        )
    }

    private func expectStores(_ node: Node, _ folder: String, _ stores: [ExpectedStore]) async throws {
        let list = try await node.callForObject("GET", "/v1/stores")["stores"]?.arrayValue ?? []
        #expect(list.compactMap { $0["storeId"]?.stringValue }.sorted() == (["default"] + stores.map(\.id)).sorted())
        let left = try FileManager.default.contentsOfDirectory(atPath: folder + "/stores").filter {
            $0 != ".requests" && !$0.hasPrefix(".deleted-")
        }
        #expect(Set(left) == Set(stores.map(\.id)))
        for store in stores {
            let isOpen = list.first { $0["storeId"]?.stringValue == store.id }?["state"] == "unlocked"
            #expect(!(isOpen && store.isLocked))
            // A store with a password is locked after each start. Other stores open automatically, which may take a
            // moment.
            if store.isLocked {
                let (status, _) = try await readUsers(node, store.key)
                #expect(status == 503)
                continue
            }
            if let password = store.appPassword {
                #expect(
                    try await node.call("POST", "/v1/stores/\(store.id)/unlock", ["passphrase": .string(password)])
                        .status == 200
                )
            }
            _ = try await node.callWhenOpen("GET", "/v1/users", as: store.key)
            let found = try await readUsers(node, store.key)
            #expect(found.0 == 200 && found.1 == store.userNames)
        }
    }

    /// Each part has new stores, so that the number of stores, which all open after each kill, stays small.
    @Test(arguments: 0..<3)
    func `Kills while stores are created, changed or deleted leave no partial store and undo nothing answered`(
        part: Int
    ) async throws {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0"])
            var stores: [ExpectedStore] = []
            for round in part * 12..<(part + 1) * 12 {
                let index = stores.isEmpty ? 0 : sharedRandom.randomNumber(stores.count)
                switch stores.count < 2 ? 0 : round % 6 {
                case 0, 1:
                    let made = try await callDuringKill(
                        node,
                        "POST",
                        "/v1/stores",
                        ["name": .string("\(round)")],
                        key: "\(round)"
                    )
                    #expect(made.status == 201)
                    let id = try #require(made.json["store"]?["storeId"]?.stringValue)
                    let key = try #require(made.json["key"]?.stringValue)
                    var store = ExpectedStore(id: id, key: key, userNames: ["user-\(round)"])
                    let profile: JSONValue = ["profile": ["displayName": .string(store.userNames[0]), "fullName": ""]]
                    #expect(try await node.callWhenOpen("POST", "/v1/users", profile, as: key).status == 201)
                    if round % 2 == 1 {
                        (store.appPassword, store.selfDestructPassword) = ("1234", "666")
                        #expect(
                            try await node.call("PUT", "/v1/stores/\(id)/app-password", ["password": "1234"]).status
                                == 204
                        )
                        let body: JSONValue = ["password": "666", "current": "1234"]
                        #expect(
                            try await node.call("PUT", "/v1/stores/\(id)/self-destruct-password", body).status == 204
                        )
                    }
                    stores.append(store)
                case 2:
                    #expect(try await callDuringKill(node, "POST", "/v1/stores/\(stores[index].id)/lock").status == 200)
                    stores[index].isLocked = true
                case 3:
                    let body: JSONValue = stores[index].appPassword.map { ["passphrase": .string($0)] } ?? [:]
                    #expect(
                        try await callDuringKill(node, "POST", "/v1/stores/\(stores[index].id)/unlock", body).status
                            == 200
                    )
                    stores[index].isLocked = false
                case 4:
                    guard let index = stores.firstIndex(where: { $0.selfDestructPassword != nil }),
                        let last = stores[index].selfDestructPassword
                    else { continue }
                    #expect(
                        try await callDuringKill(
                            node,
                            "POST",
                            "/v1/stores/\(stores[index].id)/unlock",
                            ["passphrase": .string(last)]
                        ).status == 200
                    )
                    (stores[index].userNames, stores[index].isLocked) = ([], false)
                    (stores[index].appPassword, stores[index].selfDestructPassword) = (last, nil)
                default:
                    let status = try await callDuringKill(node, "DELETE", "/v1/stores/\(stores[index].id)").status
                    #expect(status == 204 || status == 404)
                    let gone = stores.remove(at: index)
                    #expect(try await node.call("GET", "/v1/users", as: gone.key).status == 401)
                }
                try await expectStores(node, folder.path, stores)
            }
            await node.stop()
        }
    }

    @Test
    func `Kills during changes of the first store undo no change that was answered`() async throws {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0"])
            let own = "/v1/stores/default"
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": "alice", "fullName": ""]]
            )
            for _ in 0..<3 {
                #expect(try await callDuringKill(node, "POST", own + "/lock").status == 200)
                #expect(try await node.call("GET", "/v1/users").status == 503)
                #expect(try await callDuringKill(node, "POST", own + "/unlock").status == 200)
                #expect(try await node.callForObject("GET", "/v1/users")["users"]?.arrayValue?.count == 1)
            }
            let set = try await callDuringKill(node, "PUT", own + "/app-password", ["password": "1234"]).status
            // If the kill came after the change, the repeated request lacks the current password (422), or the store is
            // locked (503).
            #expect([204, 422, 503].contains(set))
            #expect(try await node.call("POST", own + "/unlock", ["passphrase": "1234"]).status == 200)
            #expect(
                try await node.call("PUT", own + "/self-destruct-password", ["password": "666", "current": "1234"])
                    .status == 204
            )
            #expect(try await node.callForObject("GET", "/v1/users")["users"]?.arrayValue?.count == 1)
            #expect(try await callDuringKill(node, "POST", own + "/unlock", ["passphrase": "666"]).status == 200)
            #expect(try await node.call("POST", own + "/unlock", ["passphrase": "666"]).status == 200)
            #expect(try await node.callForObject("GET", "/v1/users")["users"]?.arrayValue?.count == 0)
            #expect(try await node.call("POST", own + "/unlock", ["passphrase": "1234"]).status == 403)
            await node.stop()
        }
    }
}
