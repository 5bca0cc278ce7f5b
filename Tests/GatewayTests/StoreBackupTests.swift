import Files
import JSON
import TestSupport
import Testing

@testable import Gateway

/// Copies of single stores, and encrypted copies.
@Suite(.socketTimeLimit) struct StoreBackupTests {
    private func readUserNames(_ gateway: LockableGateway, _ key: String) async throws -> [String] {
        let client = try await gateway.connectClient(key)
        try await waitUntil("the store is open") { try await client.call("GET", "/v1/users").status == 200 }
        let users = try await client.call("GET", "/v1/users").json["users"]?.arrayValue ?? []
        return users.compactMap { $0["user"]?["localDisplayName"]?.stringValue }
    }

    private func readEvents(_ gateway: LockableGateway, _ key: String) async throws -> [(id: String, type: String)] {
        try await gateway.connectClient(key).call("GET", "/v1/events?timeout=0&limit=1000").json["events"]?.arrayValue?
            .compactMap { entry in
                guard let id = entry["id"]?.stringValue, let type = entry["event"]?["type"]?.stringValue else {
                    return nil
                }
                return (id, type)
            } ?? []
    }

    private func makeStore(
        _ gateway: LockableGateway,
        _ name: String,
        passphrase: String? = nil
    ) async throws -> (id: String, key: String) {
        var body: JSONObject = ["name": .string(name)]
        if let passphrase { body["passphrase"] = .string(passphrase) }
        let made = try await gateway.connectClient().post("/v1/stores", .object(body)).json
        let key = try #require(made["key"]?.stringValue)
        _ = try await gateway.connectClient(key).createUser(name)
        return (try #require(made["store"]?["storeId"]?.stringValue), key)
    }

    private func withGateway(_ body: (_ gateway: LockableGateway, _ copies: String) async throws -> Void) async throws {
        let (folder, copies) = (try TemporaryFolder(), try TemporaryFolder())
        defer {
            folder.remove()
            copies.remove()
        }
        try await LockableGateway.run(in: folder) { try await body($0, copies.path) }
    }

    @Test(arguments: [nil, "correct horse"])
    func `A store is restored from its backup with its id, keys and contents, and other stores do not change`(
        passphrase: String?
    ) async throws {
        try await withGateway { gateway, copies in
            let admin = try await gateway.connectClient()
            _ = try await admin.createUser("alice")
            let (bob, carol) = (try await makeStore(gateway, "bob"), try await makeStore(gateway, "carol"))
            var (wanted, given): (JSONObject, JSONObject) = (
                ["folder": .string(copies + "/bob"), "store": .string(bob.id)], ["backup": .string(copies + "/bob")]
            )
            if let passphrase {
                (wanted["passphrase"], given["passphrase"]) = (.string(passphrase), .string(passphrase))
            }
            let told = try await readEvents(gateway, bob.key)
            let made = try await admin.post("/v1/backup", .object(wanted))
            #expect(made.status == 201, "\(made.text)")
            // These data are newer than the copy, so the restoration removes them.
            let client = try await gateway.connectClient(bob.key)
            for _ in 0..<3 { _ = try await client.post("/v1/users/1/address", [:]) }
            let lost = try await readEvents(gateway, bob.key)
            #expect(
                DiskFiles.isFolder(copies + "/bob") == (passphrase == nil) && DiskFiles.listEntries(copies).count == 1
            )
            #expect(!DiskFiles.exists(gateway.folder + "/.backup"))
            let early = try await admin.post("/v1/restore", .object(given))
            #expect(early.status == 409, "\(early.text)")
            #expect(try await readUserNames(gateway, bob.key) == ["bob"])
            #expect(try await admin.call("DELETE", "/v1/stores/\(bob.id)").status == 204)
            let again = try await admin.post("/v1/restore", .object(given))
            #expect(
                try again.status == 201 && again.json["storeId"] == .string(bob.id)
                    && again.json["state"] == "unlocked",
                "\(again.text)"
            )
            #expect(again.header("location") == "/v1/stores/\(bob.id)")
            #expect(try await readUserNames(gateway, bob.key) == ["bob"])
            #expect(try await readUserNames(gateway, carol.key) == ["carol"])
            // After the restore, no id is reused for another event, and no cursor from before the copy is valid.
            let later = try await gateway.connectClient(bob.key)
            _ = try await later.createUser("later")
            let found = try await readEvents(gateway, bob.key)
            #expect(
                found.map(\.type).starts(with: told.map(\.type))
                    && Set(found.map(\.id)).isDisjoint(with: lost.map(\.id))
            )
            let old = try await later.call("GET", "/v1/events?timeout=0&cursor=\(try #require(told.first?.id))")
            #expect(old.status == 410, "\(old.text)")
            #expect(
                try gateway.server.stores?.requireStore(bob.id).openedStore?.core.eventSource.epoch
                    == found.first?.id.split(separator: "-").first.map(String.init)
            )
            #expect(DiskFiles.listEntries(gateway.folder + "/stores").filter { $0.hasPrefix(".making") } == [])
        }
    }

    @Test
    func `A locked store can be backed up, and is locked after its restoration`() async throws {
        try await withGateway { gateway, copies in
            let admin = try await gateway.connectClient()
            let bob = try await makeStore(gateway, "bob", passphrase: "a long passphrase")
            #expect(try await admin.post("/v1/stores/\(bob.id)/lock", [:]).status == 200)
            #expect(
                try await admin.post("/v1/backup", ["folder": .string(copies + "/bob"), "store": .string(bob.id)])
                    .status == 201
            )
            #expect(try await admin.call("DELETE", "/v1/stores/\(bob.id)").status == 204)
            #expect(try await admin.post("/v1/restore", ["backup": .string(copies + "/bob")]).json["state"] == "locked")
            #expect(try await admin.post("/v1/stores/\(bob.id)/unlock", ["passphrase": "another"]).status == 403)
            #expect(
                try await admin.post("/v1/stores/\(bob.id)/unlock", ["passphrase": "a long passphrase"]).status == 200
            )
            #expect(try await readUserNames(gateway, bob.key) == ["bob"])
        }
    }

    @Test
    func `An encrypted backup replaces an abandoned partial backup, but no backup in progress and no foreign file`()
        async throws
    {
        try await withGateway { gateway, copies in
            let admin = try await gateway.connectClient()
            func backUp(_ name: String) async throws -> HTTPClient.Answer {
                try await admin.post(
                    "/v1/backup",
                    ["folder": .string(copies + "/" + name), "passphrase": "correct horse"]
                )
            }
            let other = try UnfinishedFile(copies + "/one")
            let busy = try await backUp("one")
            #expect(
                busy.status == 409 && DiskFiles.isFile(copies + "/one.partial")
                    && !DiskFiles.exists(gateway.folder + "/.backup"),
                "\(busy.text)"
            )
            other.discard()
            #expect(try await backUp("one").status == 201)
            try DiskFiles.createFile(copies + "/two.partial", Array("SXGWBK1\n and more".utf8))
            #expect(try await backUp("two").status == 201)
            try DiskFiles.createFile(copies + "/three.partial", Array("mine".utf8))
            #expect(try await backUp("three").status == 422)
            #expect(try DiskFiles.readFile(copies + "/three.partial") == Array("mine".utf8))
            #expect(DiskFiles.listEntries(copies).sorted() == ["one", "three.partial", "two"])
        }
    }

    @Test
    func `If a file with the name of the backup is created during the backup, this file is not replaced`() throws {
        let place = try TemporaryFolder()
        defer { place.remove() }
        let file = try UnfinishedFile(place.path + "/copy")
        try file.write([1])
        try DiskFiles.createFile(place.path + "/copy", [2])
        #expect(throws: FileSystemError.self) { try file.publish() }
        file.discard()
        #expect(try DiskFiles.readFile(place.path + "/copy") == [2])
        #expect(DiskFiles.listEntries(place.path) == ["copy"])
    }

    @Test
    func `A store is not restored with a wrong passphrase, or from a damaged copy or a copy of all stores`()
        async throws
    {
        try await withGateway { gateway, copies in
            let admin = try await gateway.connectClient()
            let bob = try await makeStore(gateway, "bob")
            let backup: JSONObject = [
                "folder": .string(copies + "/bob"), "store": .string(bob.id), "passphrase": "correct horse",
            ]
            #expect(try await admin.post("/v1/backup", .object(backup)).status == 201)
            #expect(try await admin.post("/v1/backup", ["folder": .string(copies + "/all")]).status == 201)
            #expect(
                try await admin.post(
                    "/v1/backup",
                    ["folder": .string(copies + "/sealed"), "passphrase": "correct horse"]
                ).status == 201
            )
            #expect(try await admin.call("DELETE", "/v1/stores/\(bob.id)").status == 204)
            var bytes = try #require(try DiskFiles.readFile(copies + "/bob", limit: 1 << 26))
            bytes[bytes.count - 100] ^= 1
            try DiskFiles.createFile(copies + "/changed", bytes)
            try DiskFiles.createFile(copies + "/cut", Array(bytes.prefix(bytes.count / 2)))
            let cases: [(String, String?, Int, String)] = [
                ("bob", "wrong horse", 403, "wrongPassphrase"), ("bob", nil, 422, "invalidValue"),
                ("bob", String(repeating: "0", count: 64), 403, "wrongPassphrase"),
                ("changed", "correct horse", 422, "invalidValue"), ("cut", "correct horse", 422, "invalidValue"),
                ("all", nil, 422, "invalidValue"),
                ("sealed", "correct horse", 422, "invalidValue"), ("none", nil, 422, "invalidValue"),
            ]
            for (name, passphrase, status, code) in cases {
                var body: JSONObject = ["backup": .string(copies + "/" + name)]
                if let passphrase { body["passphrase"] = .string(passphrase) }
                let answer = try await admin.post("/v1/restore", .object(body))
                #expect(try answer.status == status && answer.json["code"] == .string(code), "\(name): \(answer.text)")
                if ["all", "sealed"].contains(name) {
                    let detail = try answer.json["detail"]?.stringValue ?? ""
                    #expect(
                        detail.contains("is a copy of everything") && !detail.contains("damaged"),
                        "\(name): \(detail)"
                    )
                }
                #expect(
                    DiskFiles.listEntries(gateway.folder + "/stores").filter { !$0.hasPrefix(".requests") } == [],
                    "\(name)"
                )
            }
            #expect(
                try await admin.post("/v1/backup", ["folder": .string(copies + "/first"), "store": "default"]).status
                    == 409
            )
            #expect(
                try await admin.post("/v1/backup", ["folder": .string(copies + "/first"), "store": .string(bob.id)])
                    .status == 404
            )
            let key = try #require(
                try await admin.post("/v1/keys", ["name": "less", "scopes": ["admin"]]).json["key"]?.stringValue
            )
            #expect(
                try await gateway.connectClient(key).post(
                    "/v1/restore",
                    ["backup": .string(copies + "/bob"), "passphrase": "correct horse"]
                ).status == 403
            )
        }
    }

    @Test(
        arguments: [nil, "correct horse"],
        ["keys.json", "simplex_v1_chat.db", "SHA256SUMS", "cut off", "changed"]
    )
    func `A store is not restored from a copy with unreadable keys or an incomplete database`(
        passphrase: String?,
        file: String
    ) async throws {
        try await withGateway { gateway, copies in
            let admin = try await gateway.connectClient()
            let bob = try await makeStore(gateway, "bob", passphrase: passphrase)
            let copy = copies + "/bob"
            #expect(
                try await admin.post("/v1/backup", ["folder": .string(copy), "store": .string(bob.id)]).status == 201
            )
            #expect(try await admin.call("DELETE", "/v1/stores/\(bob.id)").status == 204)
            let database = copy + "/simplex_v1_chat.db"
            switch file {
            case "keys.json", "SHA256SUMS": try DiskFiles.replaceFile(copy + "/" + file, with: Array("{".utf8))
            case "cut off":
                try DiskFiles.replaceFile(
                    database,
                    with: Array(try #require(try DiskFiles.readFile(database, limit: 1 << 26)).dropLast(4096))
                )
            case "changed":
                try DiskFiles.replaceFile(
                    database,
                    with: try #require(try DiskFiles.readFile(database, limit: 1 << 26)).dropLast() + [7]
                )
            default: DiskFiles.removeFile(copy + "/" + file)
            }
            let answer = try await admin.post("/v1/restore", ["backup": .string(copy)])
            #expect(try answer.status == 422 && answer.json["code"] == "invalidValue", "\(answer.text)")
            #expect(DiskFiles.listEntries(gateway.folder + "/stores").filter { !$0.hasPrefix(".requests") } == [])
        }
    }
}
