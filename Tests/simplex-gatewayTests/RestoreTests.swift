import Foundation
import Glibc
import JSON
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct RestoreTests {
    /// Makes a copy of a gateway that has a profile and a store.
    private func makeCopy(_ folder: Folder) async throws -> String {
        let (data, copy) = (folder.path + "/data", folder.path + "/copy")
        let node = Node(folder: data, ["--relay-port", "0"])
        _ = try await node.callForObject("POST", "/v1/users", ["profile": ["displayName": "alice", "fullName": ""]])
        _ = try await node.callForObject("POST", "/v1/stores", ["name": "Bob"])
        let made = try await Program.run([
            "backup", copy, "--url", try await node.waitUntilRunning().url, "--data", data,
        ])
        #expect(made.exitCode == 0, "\(made)")
        await node.stop()
        return copy
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test
    func `A backup can be restored only to a new or empty data folder`() async throws {
        try await Folder.withNewFolder { folder in
            let copy = try await makeCopy(folder)
            for name in ["one", "two"] {
                let target = "\(folder.path)/\(name)"
                if name == "two" {
                    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
                }
                let restored = try await Program.run(["restore", copy, "--data", target])
                #expect(
                    restored.exitCode == 0 && !exists(target + ".partial") && !exists(target + "/SHA256SUMS")
                        && restored.errors.isEmpty,
                    "\(restored)"
                )
                let modes = try ["", "/admin.key", "/simplex_v1_chat.db"].map {
                    try FileManager.default.attributesOfItem(atPath: target + $0)[.posixPermissions] as? Int
                }
                #expect(modes == [0o700, 0o600, 0o600])
                let node = Node(folder: target, ["--relay-port", "0"])
                #expect(
                    try await node.callForObject("GET", "/v1/users")["users"]?.arrayValue?.first?["user"]?[
                        "localDisplayName"
                    ]
                        == "alice"
                )
                #expect(
                    try await node.callForObject("GET", "/v1/stores")["stores"]?.arrayValue?.contains {
                        $0["name"] == "Bob"
                    }
                        == true
                )
                await node.stop()
                let again = try await Program.run(["restore", copy, "--data", target])
                #expect(again.exitCode == 2 && again.errors.contains("exists already"), "\(again)")
            }
        }
    }

    @Test
    func `Restoring an unusable backup copy, or a backup copy without its key, creates no data folder`() async throws {
        try await Folder.withNewFolder { folder in
            let (copy, target) = (try await makeCopy(folder), folder.path + "/target")
            func restore(_ source: String, _ more: [String] = []) async throws -> Program.ProgramEnding {
                let ending = try await Program.run(["restore", source, "--data", target] + more)
                #expect(!exists(target) && !exists(target + ".partial"))
                return ending
            }
            #expect(try await restore(folder.path + "/none").exitCode == 2)
            #expect(try await Program.run(["restore", copy, "--data", copy + "/within"]).exitCode == 2)
            // The unfinished data folder gets the name with `.partial`. If a copy or another folder has this name, it
            // is kept.
            let moved = folder.path + "/moved"
            try FileManager.default.moveItem(atPath: copy, toPath: moved + ".partial")
            #expect(try await Program.run(["restore", moved + ".partial", "--data", moved]).exitCode == 2)
            #expect(exists(moved + ".partial/admin.key") && !exists(moved))
            try FileManager.default.moveItem(atPath: moved + ".partial", toPath: copy)
            try FileManager.default.createDirectory(atPath: target + ".partial/mine", withIntermediateDirectories: true)
            #expect(try await Program.run(["restore", copy, "--data", target]).exitCode == 2)
            #expect(exists(target + ".partial/mine") && !exists(target))
            try FileManager.default.removeItem(atPath: target + ".partial")
            let wrong = try await restore(
                copy,
                ["--database-key-file", folder.writeFile("key", "a secret that opens nothing")]
            )
            #expect(wrong.exitCode == 3 && !wrong.errors.contains("a secret"), "\(wrong)")
            let node = Node(folder: copy, ["--relay-port", "0"])
            _ = try await node.waitUntilRunning()
            #expect(try await restore(copy).exitCode == 4)
            await node.stop()
            truncate(copy + "/simplex_v1_agent.db", 10_000)
            let cut = try await restore(copy)
            #expect(cut.exitCode == 1 || cut.exitCode == 3, "\(cut)")
            unlink(copy + "/simplex_v1_agent.db")
            let absent = try await restore(copy)
            #expect(absent.exitCode == 1 && absent.errors.contains("simplex_v1_agent.db"), "\(absent)")
        }
    }

    @Test(arguments: [
        ("relay", true), ("relay/ca.key", true), ("file-relay/server.crt", true), ("admin.key", true),
        ("keys.json", false), ("relay/server.key", false), ("relay/queues.log", false),
        ("file-relay/ca.crt", false), ("file-relay/files.log", false),
    ])
    func `A backup copy with a list of checksums is refused if one of its files is missing or changed`(
        file: String,
        isRemoved: Bool
    ) async throws {
        try await Folder.withNewFolder { folder in
            let (copy, target) = (try await makeCopy(folder), folder.path + "/target")
            if isRemoved {
                try FileManager.default.removeItem(atPath: copy + "/" + file)
            } else {
                try "{".write(toFile: copy + "/" + file, atomically: true, encoding: .utf8)
            }
            let refused = try await Program.run(["restore", copy, "--data", target])
            #expect(
                refused.exitCode == 1 && refused.errors.contains(file) && !exists(target)
                    && !exists(target + ".partial"),
                "\(refused)"
            )
            // These removals make a copy like that of an older program version, without a list of checksums.
            for name in ["SHA256SUMS", "SHA256SUMS.sha256"] {
                try FileManager.default.removeItem(atPath: copy + "/" + name)
            }
            let unlisted = try await Program.run(["restore", copy, "--data", target])
            // The program can make a missing file of a relay again, so it notices only the loss of a certificate. It
            // refuses a copy without the API keys, because nobody could use the gateway.
            let isNoticed = !isRemoved || file.hasSuffix(".crt")
            #expect(
                unlisted.exitCode == (file == "keys.json" ? 1 : 0) && exists(target) == (file != "keys.json"),
                "\(unlisted)"
            )
            #expect(unlisted.errors.contains(isNoticed ? file : "has no list"), "\(unlisted)")
        }
    }

    @Test(arguments: ["keys.json", "store.json"])
    func `An unusable store in a backup copy is reported, and is restored unchanged`(file: String) async throws {
        try await Folder.withNewFolder { folder in
            let (data, copy, target) = (folder.path + "/data", folder.path + "/copy", folder.path + "/target")
            let node = Node(folder: data, ["--relay-port", "0"])
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": "alice", "fullName": ""]]
            )
            let id = try #require(
                try await node.callForObject("POST", "/v1/stores", ["name": "Bob"])["store"]?["storeId"]?.stringValue
            )
            await node.stop(SIGTERM)
            let (path, damaged) = ("\(data)/stores/\(id)/\(file)", "{")
            try damaged.write(toFile: path, atomically: true, encoding: .utf8)
            let again = Node(folder: data, ["--relay-port", "0"])
            let made = try await Program.run([
                "backup", copy, "--url", try await again.waitUntilRunning().url, "--data", data,
            ])
            #expect(
                made.exitCode == 1 && made.errors.contains("the copy is complete") && made.errors.contains(path),
                "\(made)"
            )
            await again.stop()
            let restored = try await Program.run(["restore", copy, "--data", target])
            #expect(restored.exitCode == 0 && restored.errors.contains("/target/stores/\(id)/\(file)"), "\(restored)")
            #expect(try String(contentsOfFile: "\(target)/stores/\(id)/\(file)", encoding: .utf8) == damaged)
            let other = Node(folder: target, ["--relay-port", "0"])
            #expect(try await other.call("GET", "/v1/users").description.contains("alice"))
            await other.stop()
        }
    }

    @Test
    func `The restore command refuses a file or folder that is not a backup copy, with this reason`() async throws {
        try await Folder.withNewFolder { folder in
            let file = try folder.writeFile("file", "no copy")
            for (path, words) in [
                (file, "is not an encrypted copy"), (folder.path, "is not a complete copy of a data folder"),
                (folder.path + "/none", "there is no copy at"),
            ] {
                let ending = try await Program.run(["restore", path, "--data", "/nonexistent/target"])
                #expect(ending.exitCode == 2 && ending.errors.contains(words), "\(ending)")
            }
        }
    }

    @Test
    func `If unpacking an encrypted backup copy stops, the keys unpacked before are overwritten and removed`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            let (data, copy, target) = (folder.path + "/data", folder.path + "/copy", folder.path + "/target")
            let node = Node(folder: data, ["--relay-port", "0"])
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": "alice", "fullName": ""]]
            )
            // The copy gets a large file after the keys, so that copying takes long enough.
            try FileManager.default.createDirectory(atPath: data + "/files", withIntermediateDirectories: true)
            #expect(
                FileManager.default.createFile(atPath: data + "/files/large", contents: nil)
                    && truncate(data + "/files/large", 200 << 20) == 0
            )
            let secret = try folder.writeFile("secret", "correct horse battery")
            let made = try await Program.run([
                "backup", copy, "--url", try await node.waitUntilRunning().url, "--data", data,
                "--backup-passphrase-file",
                secret,
            ])
            #expect(made.exitCode == 0, "\(made)")
            await node.stop()
            let size = try #require(try FileManager.default.attributesOfItem(atPath: copy)[.size] as? Int)
            #expect(truncate(copy, off_t(size - 100)) == 0)
            // The test makes a hard link to the key file, so that it can read the contents after the program has
            // removed the file.
            let seen = folder.path + "/seen"
            let program = try Program(["restore", copy, "--data", target, "--backup-passphrase-file", secret])
            try await waitUntil("the key is there") { link(target + ".partial/database.key", seen) == 0 }
            let ending = await program.waitForEnd()
            #expect(ending.exitCode == 1 && !exists(target) && !exists(target + ".partial"), "\(ending)")
            let key = try #require(FileManager.default.contents(atPath: data + "/database.key"))
            #expect(
                FileManager.default.contents(atPath: seen)?.count == key.count
                    && FileManager.default.contents(atPath: seen) != key
            )
        }
    }

    @Test
    func `A restoration of a backup that is killed leaves no data folder, and can be repeated`() async throws {
        try await Folder.withNewFolder { folder in
            let (copy, target) = (try await makeCopy(folder), folder.path + "/target")
            // The copy gets a large file, so that copying takes long enough for the kill.
            #expect(
                FileManager.default.createFile(atPath: copy + "/large", contents: nil)
                    && truncate(copy + "/large", 200 << 20) == 0
            )
            var inTime = 0
            for pause in [100, 50, 20, 0, 0, 0, 0] where inTime < 2 {
                let program = try Program(["restore", copy, "--data", target])
                try await waitUntil("the restoration has begun") { exists(target + ".partial") || exists(target) }
                try await Task.sleep(for: .milliseconds(pause))
                program.signal(SIGKILL)
                let ending = await program.waitForEnd()
                #expect(exists(target) == (ending.exitCode == 0), "\(ending)")
                if exists(target) { try FileManager.default.removeItem(atPath: target) } else { inTime += 1 }
            }
            #expect(inTime > 0, "each restoration was complete before the program was killed")
            let again = try await Program.run(["restore", copy, "--data", target])
            #expect(again.exitCode == 0 && exists(target + "/admin.key") && !exists(target + ".partial"), "\(again)")
        }
    }
}
