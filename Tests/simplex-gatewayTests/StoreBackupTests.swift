import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// Tests of copies of single stores and of encrypted copies that the program makes, also if it is killed.
@Suite(.socketTimeLimit) struct StoreBackupCommandTests {
    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private func listEntries(_ path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { $0 != ".requests" }.sorted()
    }

    /// Repeats `attempt` with different pauses until three kills came before the end of the work. Fails if no kill came
    /// before the end of the work.
    /// - Parameter attempt: kills after a pause, and returns whether the kill was in time.
    private func repeatUntilKilled(_ attempt: (_ pause: Duration) async throws -> Bool) async throws {
        var inTime = 0
        for pause in [120, 60, 30, 10, 0, 0, 0, 0] where inTime < 3 {
            inTime += try await attempt(.milliseconds(pause)) ? 1 : 0
        }
        #expect(inTime > 0, "each attempt was complete before the gateway was killed")
    }

    private func makeStore(_ node: Node) async throws -> (id: String, key: String) {
        let made = try await node.callForObject("POST", "/v1/stores", ["name": "Bob"])
        let key = try #require(made["key"]?.stringValue)
        #expect(
            try await node.call("POST", "/v1/users", ["profile": ["displayName": "bob", "fullName": ""]], as: key)
                .status == 201
        )
        return (try #require(made["store"]?["storeId"]?.stringValue), key)
    }

    @Test
    func `An encrypted backup of the whole gateway or of one store is restored with its passphrase`() async throws {
        try await Folder.withNewFolder { folder in
            let (data, secret) = (folder.path + "/data", try folder.writeFile("secret", "correct horse battery\n"))
            let node = Node(folder: data, ["--relay-port", "0"])
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": "alice", "fullName": ""]]
            )
            let bob = try await makeStore(node)
            let place = ["--url", try await node.waitUntilRunning().url, "--data", data]
            let sealed = ["--backup-passphrase-file", secret]
            let all = try await Program.run(["backup", folder.path + "/all"] + place + sealed)
            #expect(all.exitCode == 0 && all.output.hasPrefix("1 file,"), "\(all)")
            let one = try await Program.run(["backup", folder.path + "/bob", "--store", bob.id] + place + sealed)
            #expect(one.exitCode == 0, "\(one)")
            #expect(try await node.call("DELETE", "/v1/stores/\(bob.id)").status == 204)
            let again = try await Program.run(["restore", folder.path + "/bob"] + place + sealed)
            #expect(again.exitCode == 0 && again.output.contains(bob.id), "\(again)")
            #expect(try await node.call("GET", "/v1/users", as: bob.key).description.contains("bob"))
            await node.stop()
            let target = folder.path + "/target"
            // The copy of one store can be restored only by a running gateway, and no gateway runs.
            let nowhere = try await Program.run(["restore", folder.path + "/bob", "--data", target] + sealed)
            #expect(
                nowhere.exitCode == 2 && nowhere.errors.contains("there is no \(target)/admin.key") && !exists(target),
                "\(nowhere)"
            )
            for (arguments, code) in [
                ([], 2), (["--backup-passphrase-file", try folder.writeFile("wrong", "wrong horse")], 3),
            ] as [([String], Int32)] {
                let refused = try await Program.run(["restore", folder.path + "/all", "--data", target] + arguments)
                #expect(refused.exitCode == code && !exists(target) && !exists(target + ".partial"), "\(refused)")
            }
            let restored = try await Program.run(["restore", folder.path + "/all", "--data", target] + sealed)
            #expect(restored.exitCode == 0, "\(restored)")
            let other = Node(folder: target, ["--relay-port", "0"])
            #expect(try await other.call("GET", "/v1/users").description.contains("alice"))
            try await waitUntil("the store is open") {
                try await other.call("GET", "/v1/users", as: bob.key).description.contains("bob")
            }
            await other.stop()
        }
    }

    @Test
    func `A kill during an encrypted backup leaves no unencrypted data outside of the data folder`() async throws {
        try await Folder.withNewFolder { folder in
            let (data, copies) = (folder.path + "/data", folder.path + "/copies")
            try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: false)
            let node = Node(folder: data, ["--relay-port", "0"])
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": "alice", "fullName": ""]]
            )
            let large = data + "/files/large"
            try FileManager.default.createDirectory(atPath: data + "/files", withIntermediateDirectories: true)
            #expect(FileManager.default.createFile(atPath: large, contents: nil) && truncate(large, 300 << 20) == 0)
            let body: JSONValue = ["folder": .string(copies + "/all"), "passphrase": "correct horse"]
            for step in [data + "/.backup", copies + "/all.partial"] {
                try await repeatUntilKilled { pause in
                    let backup = Task { try await node.callOnce("POST", "/v1/backup", body) }
                    try await waitUntil("the backup has begun") { exists(step) || exists(copies + "/all") }
                    try await Task.sleep(for: pause)
                    await node.restart()
                    _ = try await node.waitUntilRunning()
                    _ = try await backup.value
                    // A copy gets its final name when it is complete. If the name exists, the kill was too late, and
                    // the next attempt kills earlier.
                    guard !exists(copies + "/all") else {
                        try FileManager.default.removeItem(atPath: copies + "/all")
                        return false
                    }
                    #expect(!exists(data + "/.backup"), "\(step)")
                    for left in listEntries(copies) {
                        let bytes = try #require(
                            FileHandle(forReadingAtPath: copies + "/" + left)?.readData(ofLength: 8)
                        )
                        #expect(bytes.isEmpty || bytes.elementsEqual("SXGWBK1\n".utf8), "\(left)")
                    }
                    return true
                }
            }
            let made = try await node.call("POST", "/v1/backup", body)
            #expect(made.status == 201 && listEntries(copies) == ["all"], "\(made) \(listEntries(copies))")
            await node.stop()
            let restored = try await Program.run([
                "restore", copies + "/all", "--data", folder.path + "/target", "--backup-passphrase-file",
                folder.writeFile("secret", "correct horse"),
            ])
            #expect(restored.exitCode == 0, "\(restored)")
        }
    }

    @Test
    func `A kill during the restoration of a store leaves no store, and a repeated request restores the store`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            let (data, copy) = (folder.path + "/data", folder.path + "/bob")
            let node = Node(folder: data, ["--relay-port", "0"])
            let bob = try await makeStore(node)
            let large = data + "/stores/\(bob.id)/files/large"
            try FileManager.default.createDirectory(
                atPath: data + "/stores/\(bob.id)/files",
                withIntermediateDirectories: true
            )
            #expect(FileManager.default.createFile(atPath: large, contents: nil) && truncate(large, 300 << 20) == 0)
            let secret: JSONValue = ["folder": .string(copy), "store": .string(bob.id), "passphrase": "correct horse"]
            #expect(try await node.call("POST", "/v1/backup", secret).status == 201)
            #expect(try await node.call("DELETE", "/v1/stores/\(bob.id)").status == 204)
            let body: JSONValue = ["backup": .string(copy), "passphrase": "correct horse"]
            try await repeatUntilKilled { pause in
                let restoring = Task { try await node.callOnce("POST", "/v1/restore", body) }
                try await waitUntil("the restoration has begun") { !listEntries(data + "/stores").isEmpty }
                try await Task.sleep(for: pause)
                await node.restart()
                _ = try await node.waitUntilRunning()
                let answer = try await restoring.value
                guard answer?.status != 201, listEntries(data + "/stores") != [bob.id] else {
                    #expect(try await node.callWhenOpen("DELETE", "/v1/stores/\(bob.id)").status == 204)
                    return false
                }
                #expect(listEntries(data + "/stores") == [])
                #expect(try await node.call("GET", "/v1/users", as: bob.key).status == 401)
                return true
            }
            let again = try await node.call("POST", "/v1/restore", body)
            #expect(again.status == 201, "\(again)")
            #expect(try await node.call("GET", "/v1/users", as: bob.key).description.contains("bob"))
            await node.stop()
        }
    }
}
