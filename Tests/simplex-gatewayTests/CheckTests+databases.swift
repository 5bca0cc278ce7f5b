import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of `check` for the databases and keys of the data folder.
extension CheckTests {
    @Test
    func `The command 'check' changes no database file of a killed gateway, and no empty database`() async throws {
        try await Folder.withNewFolder { folder in
            let data = folder.path + "/data"
            let node = Node(folder: data, ["--relay-port", "0"])
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": "alice", "fullName": ""]]
            )
            _ = try await node.callForObject("POST", "/v1/users/1/connections/invitations", ["incognito": false])
            await node.stop()
            func files() throws -> [String: Data] {
                let names = try FileManager.default.contentsOfDirectory(atPath: data).filter {
                    $0.hasPrefix("simplex_v1") && !$0.hasSuffix("-shm")
                }
                return Dictionary(
                    uniqueKeysWithValues: names.map {
                        ($0, FileManager.default.contents(atPath: data + "/" + $0) ?? Data())
                    }
                )
            }
            let killed = try files()
            #expect(killed["simplex_v1_agent.db-wal"]?.isEmpty == false)
            #expect(try await runCheck(folder, ["--offline"]).output.contains("ok:    \(data)/simplex_v1_agent.db"))
            #expect(try files() == killed)
            try #require(truncate(data + "/simplex_v1_agent.db", 0) == 0)
            let emptied = try files()
            #expect(try await runCheck(folder, ["--offline"]).exitCode == 1)
            #expect(try files() == emptied)
        }
    }

    @Test
    func `The commands 'check' and 'serve' fail if the two databases of a store are from different times`() async throws
    {
        try await Folder.withNewFolder { folder in
            let data = folder.path + "/data"
            func node() -> Node { Node(folder: data, ["--relay-port", "0"]) }
            let first = node()
            _ = try await first.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": "alice", "fullName": ""]]
            )
            await first.stop(SIGTERM)
            let agent = data + "/simplex_v1_agent.db"
            try FileManager.default.copyItem(atPath: agent, toPath: folder.path + "/earlier.db")
            let second = node()
            _ = try await second.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": "bob", "fullName": ""]]
            )
            await second.stop(SIGTERM)
            let chat = data + "/simplex_v1_chat.db"
            for (from, to) in [(agent, folder.path + "/agent.db"), (chat, agent), (folder.path + "/agent.db", chat)] {
                try #require(rename(from, to) == 0)
            }
            let exchanged = try await runCheck(folder, ["--offline"])
            #expect(
                exchanged.exitCode == 1
                    && exchanged.output.components(
                        separatedBy: "is damaged: it has the content of the other database of a store"
                    ).count == 3,
                "\(exchanged)"
            )
            for (from, to) in [(agent, folder.path + "/agent.db"), (chat, agent), (folder.path + "/agent.db", chat)] {
                try #require(rename(from, to) == 0)
            }
            try #require(rename(folder.path + "/earlier.db", agent) == 0)
            let checked = try await runCheck(folder, ["--offline"])
            #expect(
                checked.exitCode == 1
                    && checked.output.contains("\(agent) is damaged: it lacks profiles that the other database has"),
                "\(checked)"
            )
            let served = try await runServe(folder)
            #expect(
                served.exitCode == 1 && served.errors.contains("lacks profiles that the other database has"),
                "\(served)"
            )
        }
    }

    @Test
    func `The command 'check' reports a missing or truncated database of a store with a passphrase`() async throws {
        try await Folder.withNewFolder { folder in
            let data = folder.path + "/data"
            let node = Node(folder: data, ["--relay-port", "0"])
            let id = try #require(
                try await node.callForObject("POST", "/v1/stores", ["name": "Bob", "passphrase": "a long one"])[
                    "store"
                ]?[
                    "storeId"
                ]?.stringValue
            )
            await node.stop(SIGTERM)
            let path = "\(data)/stores/\(id)/simplex_v1_agent.db"
            #expect(try await runCheck(folder, ["--offline"]).exitCode == 0)
            try #require(truncate(path, 10_000) == 0)
            let cut = try await runCheck(folder, ["--offline"])
            #expect(cut.exitCode == 1 && cut.output.contains("\(path) was cut off"), "\(cut)")
            unlink(path)
            let gone = try await runCheck(folder, ["--offline"])
            #expect(gone.exitCode == 1 && gone.output.contains("there is no \(path)"), "\(gone)")
        }
    }

    @Test(arguments: [false, true])
    func `The commands 'check' and 'serve' fail if the databases of the first store are missing or empty`(
        emptied: Bool
    ) async throws {
        try await Folder.withNewFolder { folder in
            try await Node.runOnce(in: folder)
            let data = folder.path + "/data"
            for name in ["simplex_v1_chat.db", "simplex_v1_agent.db"] {
                try #require(emptied ? truncate(data + "/" + name, 0) == 0 : unlink(data + "/" + name) == 0)
            }
            let gone = try await runCheck(folder, ["--offline"])
            #expect(
                gone.exitCode == 1 && gone.output.contains("wrong: there is no \(data)/simplex_v1_chat.db"),
                "\(gone)"
            )
            let served = try await runServe(folder)
            #expect(served.exitCode == 1 && served.errors.contains("are missing or empty"), "\(served)")
        }
    }

    @Test
    func `If keys.json is missing, the command 'check' fails, and the next start warns and creates a new API key`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            try await Node.runOnce(in: folder)
            let data = folder.path + "/data"
            let before = try String(contentsOfFile: data + "/admin.key", encoding: .utf8)
            try #require(unlink(data + "/keys.json") == 0)
            for arguments in [
                ["check", "--offline", "--port", "0", "--relay-port", "0"], ["key", "list"], ["key", "add", "bot"],
            ] {
                let ending = try await Program.run(arguments + ["--data", data])
                #expect(
                    ending.exitCode == 1 && (ending.output + ending.errors).contains("keys.json is missing"),
                    "\(ending)"
                )
            }
            let node = Node(folder: data, ["--relay-port", "0"])
            try await node.waitUntilRunning().program.waitForError(with: "the file of the keys is missing")
            #expect(try await node.call("GET", "/v1/whoami").status == 200)
            #expect(try String(contentsOfFile: data + "/admin.key", encoding: .utf8) != before)
            // While the gateway runs, the earlier keys stay valid.
            try #require(unlink(data + "/keys.json") == 0)
            try await node.waitUntilRunning().program.signal(SIGHUP)
            try await node.waitUntilRunning().program.waitForError(with: "the previous keys stay in use")
            #expect(try await node.call("GET", "/v1/whoami").status == 200)
            await node.stop()
        }
    }

    @Test
    func `The commands 'check' and 'serve' refuse a copy of only one store as a data folder`() async throws {
        try await Folder.withNewFolder { folder in
            let data = folder.path + "/data"
            let node = Node(folder: data, ["--relay-port", "0"])
            let id = try #require(
                try await node.callForObject("POST", "/v1/stores", ["name": "Bob"])["store"]?["storeId"]?.stringValue
            )
            let copy = folder.path + "/copy"
            let made = try await Program.run([
                "backup", copy, "--store", id, "--url", try await node.waitUntilRunning().url, "--data", data,
            ])
            #expect(made.exitCode == 0, "\(made)")
            await node.stop()
            for command in ["check", "serve"] {
                let ending = try await Program.run([command, "--data", copy, "--port", "0", "--relay-port", "0"])
                #expect(
                    ending.exitCode == 2 && (ending.output + ending.errors).contains("is the copy of one store"),
                    "\(ending)"
                )
            }
            #expect(FileManager.default.fileExists(atPath: copy + "/SHA256SUMS"))
        }
    }

    @Test(arguments: [true, false])
    func `Requests for a store with an unreadable keys.json get 503 until the file is repaired`(
        isThere: Bool
    ) async throws {
        try await Folder.withNewFolder { folder in
            let data = folder.path + "/data"
            let node = Node(folder: data, ["--relay-port", "0"])
            let made = try await node.callForObject("POST", "/v1/stores", ["name": "Bob"])
            let (id, key) = (
                try #require(made["store"]?["storeId"]?.stringValue), try #require(made["key"]?.stringValue)
            )
            await node.stop(SIGTERM)
            let path = "\(data)/stores/\(id)/keys.json"
            let before = try #require(FileManager.default.contents(atPath: path))
            if isThere {
                try "{".write(toFile: path, atomically: true, encoding: .utf8)
            } else {
                try #require(unlink(path) == 0)
            }
            let checked = try await runCheck(folder, ["--offline"])
            #expect(checked.exitCode == 1 && checked.output.contains(path), "\(checked)")
            let damaged = Node(folder: data, ["--relay-port", "0"])
            #expect(try await damaged.call("GET", "/v1/users").status == 200)
            #expect(try await damaged.call("GET", "/v1/users", as: key).status == 503)
            #expect(try await damaged.call("GET", "/v1/stores/\(id)").status == 200)
            try await damaged.waitUntilRunning().program.waitForError(
                with: isThere ? "\(path) is not a list of keys" : "\(path) is missing"
            )
            try before.write(to: URL(fileURLWithPath: path), options: .atomic)
            try await waitUntil("the keys are read again") {
                try await damaged.call("GET", "/v1/users", as: key).status == 200
            }
            await damaged.stop()
        }
    }

    @Test(arguments: ["chat", "agent"])
    func `The command 'check' reports databases of a later version, and 'serve' leaves them unchanged`(
        name: String
    ) async throws {
        try await Folder.withNewFolder { folder in
            try await Node.runOnce(in: folder)
            let data = folder.path + "/data"
            _ = try await markAsLaterVersion(data, name)
            let before = try readDatabases(folder)
            let checked = try await runCheck(folder)
            #expect(
                checked.exitCode == 1 && checked.output.contains("later version of this program (29990101_later)"),
                "\(checked)"
            )
            let served = try await runServe(folder)
            #expect(
                served.exitCode == 1 && served.errors.contains("later version of this program (29990101_later)"),
                "\(served)"
            )
            #expect(try readDatabases(folder) == before)
        }
    }

    @Test
    func `With the option '--migrations ask', databases of an earlier version are neither opened nor changed`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            try await Node.runOnce(in: folder)
            let data = folder.path + "/data"
            let original = try readDatabases(folder)
            let newest = "(SELECT max(name) FROM migrations)"
            let path = try await changeDatabase("chat", of: data, "DELETE FROM migrations WHERE name = \(newest)")
            let before = try readDatabases(folder)
            let served = try await runServe(folder, ["--migrations", "ask"])
            #expect(served.exitCode == 1 && served.errors.contains("earlier version of this program"), "\(served)")
            #expect(served.errors.contains("--migrations up"), "\(served)")
            #expect(try readDatabases(folder) == before)
            let down = try await runServe(folder, ["--migrations", "down"])
            #expect(down.exitCode == 2 && down.errors.contains("a copy made before the upgrade"), "\(down)")
            #expect(try readDatabases(folder) == before)
            try original["simplex_v1_chat.db"]?.write(to: URL(filePath: path))
            // The gateway can open the databases of this version again.
            let running = try await Node(folder: data, ["--relay-port", "0", "--migrations", "ask"]).waitUntilRunning()
            running.program.signal(SIGTERM)
            #expect(await running.program.waitForEnd().exitCode == 0)
        }
    }

    @Test(arguments: ["chat", "agent"])
    func `A store that a later program version has changed is not opened, and the first store is served`(
        name: String
    ) async throws {
        try await Folder.withNewFolder { folder in
            let data = folder.path + "/data"
            let node = Node(folder: data, ["--relay-port", "0"])
            let made = try await node.callForObject("POST", "/v1/stores", ["name": "Bob"])
            let (id, key) = (
                try #require(made["store"]?["storeId"]?.stringValue), try #require(made["key"]?.stringValue)
            )
            await node.stop(SIGTERM)
            let path = try await markAsLaterVersion(data + "/stores/" + id, name)
            let before = FileManager.default.contents(atPath: path)
            let checked = try await runCheck(folder)
            #expect(
                checked.exitCode == 1 && checked.output.contains("later version of this program (29990101_later)"),
                "\(checked)"
            )
            let again = Node(folder: data, ["--relay-port", "0"])
            #expect(try await again.call("GET", "/v1/users").status == 200)
            #expect(try await again.call("GET", "/v1/users", as: key).status == 503)
            try await again.waitUntilRunning().program.waitForError(with: "29990101_later")
            await again.stop(SIGTERM)
            #expect(FileManager.default.contents(atPath: path) == before)
        }
    }

    @Test
    func `The command 'check' reports a database with changed pages`() async throws {
        try await Folder.withNewFolder { folder in
            try await Node.runOnce(in: folder)
            let path = folder.path + "/data/simplex_v1_chat.db"
            let file = try #require(FileHandle(forUpdatingAtPath: path))
            let size = try file.seekToEnd()
            // The test changes all pages except the first, which shows whether the key is right.
            for offset in stride(from: 8192 as UInt64, to: size, by: 4096) {
                try file.seek(toOffset: offset)
                try file.write(contentsOf: Data(repeating: 7, count: 64))
            }
            try file.close()
            let ending = try await runCheck(folder)
            #expect(
                ending.exitCode != 0 && ending.output.contains("wrong: ")
                    && ending.output.contains("simplex_v1_chat.db"),
                "\(ending)"
            )
        }
    }
}
