import Foundation
import Glibc
import SimpleXCrypto
import SQLCipher
import TestSupport
import Testing

@Suite(.overSockets) struct CheckTests {
    private func check(_ folder: Folder, _ more: [String] = []) async throws -> Program.Ending {
        try await Program.run(["check", "--data", folder.path + "/data", "--port", "0", "--relay-port", "0"] + more)
    }

    /// Starts the program and expects a failure.
    private func serve(_ folder: Folder, _ more: [String] = []) async throws -> Program.Ending {
        try await Program.run(["serve", "--data", folder.path + "/data", "--port", "0", "--relay-port", "0"] + more)
    }

    private func databases(_ folder: Folder) throws -> [String: Data] {
        let data = folder.path + "/data"
        let names = try FileManager.default.contentsOfDirectory(atPath: data).filter { $0.hasSuffix(".db") }
        return Dictionary(
            uniqueKeysWithValues: names.map { ($0, FileManager.default.contents(atPath: data + "/" + $0) ?? Data()) }
        )
    }

    @Test("`check` succeeds for a missing, an intact and a used data folder, and changes no database")
    func sound() async throws {
        try await Folder.with { folder in
            let none = try await check(folder)
            #expect(none.code == 0 && none.output.contains("note:  there is no folder"), "\(none)")
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/data"))
            try await Node.runOnce(in: folder)
            let before = try databases(folder)
            let sound = try await check(folder)
            #expect(
                sound.code == 0 && sound.output.contains("_chat.db\n") && sound.output.contains("_agent.db\n")
                    && !sound.output.contains("wrong"),
                "\(sound)"
            )
            #expect(try databases(folder) == before)
            let node = Node(folder: folder.path + "/data", ["--relay-port", "0"])
            let running = try await node.running()
            let port = try #require(running.url.split(separator: ":").last.map(String.init))
            let used = try await Program.run([
                "check", "--data", folder.path + "/data", "--port", port, "--relay-port", "0",
            ])
            #expect(
                used.code == 0 && used.output.contains("a gateway uses") && used.output.contains("is ready"),
                "\(used)"
            )
            #expect(try await Program.run(["check", "--health", "--port", port]).code == 0)
            // Another data folder with the same port.
            let taken = try await Program.run([
                "check", "--data", folder.path + "/other", "--port", port, "--relay-port", "0",
            ])
            #expect(taken.code == 4 && taken.output.contains("wrong: port \(port)"), "\(taken)")
            await node.stop()
            let gone = try await Program.run(["check", "--health", "--port", port])
            #expect(gone.code == 1 && gone.errors.contains("no gateway answers"), "\(gone)")
        }
    }

    @Test("The exit code of `check` depends on the fault: configuration, database key or data folder")
    func exitCodesOfFaults() async throws {
        try await Folder.with { folder in
            try await Node.runOnce(in: folder)
            let data = folder.path + "/data"
            let notPEM = try folder.write("wrong.pem", "no certificate\n")
            for (arguments, word) in [
                (["--log-level", "loud"], "loud"), (["--smp-server", "http://x"], "http://x"),
                (["--host", "0.0.0.0"], "--insecure-remote"),
                (["--tls-certificate", notPEM], "--tls-key"),
                (["--tls-certificate", notPEM, "--tls-key", notPEM], "certificate"),
                (["--allow-origin", "*"], "--allow-origin"),
                (["--host", "nowhere.invalid", "--insecure-remote"], "nowhere.invalid"),
                (["--journal-size", "0"], "journal-size"), (["--store-items", "0"], "store-items"),
                (["--relay-quota", "0"], "relay-quota"), (["--file-hours", "0"], "file-hours"),
                (["--file-relay-port", "5999", "--terminal-port", "5999"], "have the same port, 5999"),
            ] {
                let ending = try await check(folder, arguments + ["--offline"])
                #expect(ending.code == 2 && ending.output.contains(word), "\(arguments): \(ending)")
            }
            let key = try await check(
                folder,
                ["--database-key-file", folder.write("key", "a secret that opens nothing")]
            )
            #expect(
                key.code == 3 && key.output.contains("wrong: the key does not open")
                    && !key.output.contains("a secret"),
                "\(key)"
            )
            chmod(data, 0o755)
            let open = try await check(folder)
            #expect(open.code == 1 && open.output.contains("chmod 700"), "\(open)")
            chmod(data, 0o700)
            try "{".write(toFile: data + "/keys.json", atomically: true, encoding: .utf8)
            let keys = try await check(folder)
            #expect(keys.code == 1 && keys.output.contains("keys.json is not a list of keys"), "\(keys)")
        }
    }

    @Test(
        "The check reports a damaged file of a relay, even if `serve` does not need this file",
        arguments: [
            ("relay/ca.crt", true), ("relay/server.crt", true), ("relay/server.key", true), ("relay/queues.log", true),
            ("file-relay/server.key", true), ("file-relay/files.log", true),
            ("relay/ca.key", false), ("file-relay/fingerprint", false),
        ]
    )
    func relayFiles(file: String, serveNeedsIt: Bool) async throws {
        try await Folder.with { folder in
            try await Node.runOnce(in: folder)
            let path = folder.path + "/data/" + file
            try "{".write(toFile: path, atomically: true, encoding: .utf8)
            let damaged = try await check(folder, ["--offline"])
            #expect(
                damaged.code == 1 && damaged.output.split(separator: "\n").contains { $0.hasPrefix("wrong: \(path)") },
                "\(damaged)"
            )
            #expect(try await check(folder, ["--offline", "--no-relay", "--servers", "network"]).code == 0)
            guard serveNeedsIt else { return }
            let served = try await serve(folder)
            #expect(served.code == 1 && served.errors.contains(path), "\(served)")
            guard !file.hasSuffix(".log") else { return }
            unlink(path)
            let absent = try await check(folder, ["--offline"])
            #expect(absent.code == 1 && absent.output.contains("wrong: \(path): No such file"), "\(absent)")
        }
    }

    @Test("`check` notes each file with secrets that other users can read")
    func openSecrets() async throws {
        try await Folder.with { folder in
            try await Node.runOnce(in: folder)
            let data = folder.path + "/data"
            for name in ["database.key", "admin.key", "simplex_v1_chat.db", "relay/server.key", "keys.json"] {
                chmod(data + "/" + name, 0o644)
            }
            let key = try folder.write("a.key", String(contentsOfFile: data + "/database.key", encoding: .utf8))
            let found = try await check(folder, ["--offline"])
            #expect(
                found.code == 0
                    && found.output.components(separatedBy: "note:  other users could read \(data)/").count == 6,
                "\(found)"
            )
            chmod(key, 0o640)
            #expect(try await check(folder, ["--offline", "--database-key-file", key]).code == 0)
            chmod(key, 0o644)
            let open = try await check(folder, ["--offline", "--database-key-file", key])
            #expect(
                open.code == 0 && open.output.contains("note:  everybody on this machine can read \(key)"),
                "\(open)"
            )
        }
    }

    @Test(
        "The check reports that the relay of existing queues is missing, replaced or on another port",
        arguments: ["gone", "empty", "swapped", "another port"]
    )
    func lostRelay(how: String) async throws {
        try await Folder.with { folder in
            let (data, port) = (folder.path + "/data", "\(TestPort.unused())")
            func check(_ port: String) async throws -> Program.Ending {
                try await Program.run([
                    "check", "--data", data, "--port", "0", "--relay-port", port, "--file-relay-port", "0", "--offline",
                ])
            }
            let node = Node(folder: data, ["--relay-port", port, "--file-relay-port", "0"])
            _ = try await node.object("POST", "/v1/users", ["profile": ["displayName": "alice", "fullName": ""]])
            _ = try await node.object("POST", "/v1/users/1/connections/invitations", ["incognito": false])
            await node.stop(SIGTERM)
            #expect(try await check(port).code == 0)
            let (relay, fileRelay, away) = (data + "/relay", data + "/file-relay", folder.path + "/away")
            if how != "another port" { try FileManager.default.moveItem(atPath: relay, toPath: away) }
            if how == "empty" {
                try FileManager.default.createDirectory(atPath: relay, withIntermediateDirectories: false)
            }
            if how == "swapped" { try FileManager.default.moveItem(atPath: fileRelay, toPath: relay) }
            if how == "swapped" { try FileManager.default.moveItem(atPath: away, toPath: fileRelay) }
            let found = try await check(how == "another port" ? "\(TestPort.unused())" : port)
            let words =
                how == "another port"
                ? "which now has another port" : "which no longer exists or was replaced by another relay"
            #expect(
                found.code == 1
                    && found.output.contains(
                        "nothing arrives from 1 queue of the store default on the relay at 127.0.0.1:\(port), \(words)"
                    ),
                "\(found)"
            )
            guard how == "gone" else { return }
            let again = Node(folder: data, ["--relay-port", port, "--file-relay-port", "0"])
            #expect(try await again.call("GET", "/readyz").description.contains("1 queue gets no messages"))
            try await again.running().program.error(with: "Another relay has replaced the relay of some queues")
            await again.stop()
        }
    }

    @Test(
        "The check reports queues that are missing in the relay's log",
        arguments: ["removed", "emptied", "earlier", "damaged"]
    )
    func lostQueues(how: String) async throws {
        try await Folder.with { folder in
            let (data, port) = (folder.path + "/data", "\(TestPort.unused())")
            let options = ["--relay-port", port, "--file-relay-port", "0"]
            func check() async throws -> Program.Ending {
                try await Program.run(["check", "--data", data, "--port", "0", "--offline"] + options)
            }
            try await Node.runOnce(in: folder)
            let (log, earlier) = (data + "/relay/queues.log", folder.path + "/earlier.log")
            try FileManager.default.copyItem(atPath: log, toPath: earlier)
            let node = Node(folder: data, options)
            _ = try await node.object("POST", "/v1/users", ["profile": ["displayName": "alice", "fullName": ""]])
            for _ in 0..<2 {
                _ = try await node.object("POST", "/v1/users/1/connections/invitations", ["incognito": false])
            }
            await node.stop(SIGTERM)
            #expect(try await check().code == 0)
            switch how {
            case "removed": try FileManager.default.removeItem(atPath: log)
            case "emptied": try #require(truncate(log, 0) == 0)
            case "earlier": try #require(rename(earlier, log) == 0)
            default:
                let file = try #require(FileHandle(forUpdatingAtPath: log))
                try file.seek(toOffset: 60)
                try file.write(contentsOf: [7])
                try file.close()
            }
            let found = try await check()
            #expect(
                found.code == 1
                    && found.output.contains(
                        "nothing arrives from 2 queues of the store default on the relay at 127.0.0.1:\(port), which no longer has them"
                    ),
                "\(found)"
            )
        }
    }

    @Test("`check` changes no database file of a killed gateway, and no empty database")
    func unchanged() async throws {
        try await Folder.with { folder in
            let data = folder.path + "/data"
            let node = Node(folder: data, ["--relay-port", "0"])
            _ = try await node.object("POST", "/v1/users", ["profile": ["displayName": "alice", "fullName": ""]])
            _ = try await node.object("POST", "/v1/users/1/connections/invitations", ["incognito": false])
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
            #expect(try await check(folder, ["--offline"]).output.contains("ok:    \(data)/simplex_v1_agent.db"))
            #expect(try files() == killed)
            try #require(truncate(data + "/simplex_v1_agent.db", 0) == 0)
            let emptied = try files()
            #expect(try await check(folder, ["--offline"]).code == 1)
            #expect(try files() == emptied)
        }
    }

    @Test("`check` and `serve` fail if the two databases of a store are from different times")
    func otherTimes() async throws {
        try await Folder.with { folder in
            let data = folder.path + "/data"
            func node() -> Node { Node(folder: data, ["--relay-port", "0"]) }
            let first = node()
            _ = try await first.object("POST", "/v1/users", ["profile": ["displayName": "alice", "fullName": ""]])
            await first.stop(SIGTERM)
            let agent = data + "/simplex_v1_agent.db"
            try FileManager.default.copyItem(atPath: agent, toPath: folder.path + "/earlier.db")
            let second = node()
            _ = try await second.object("POST", "/v1/users", ["profile": ["displayName": "bob", "fullName": ""]])
            await second.stop(SIGTERM)
            let chat = data + "/simplex_v1_chat.db"
            for (from, to) in [(agent, folder.path + "/agent.db"), (chat, agent), (folder.path + "/agent.db", chat)] {
                try #require(rename(from, to) == 0)
            }
            let exchanged = try await check(folder, ["--offline"])
            #expect(
                exchanged.code == 1
                    && exchanged.output.components(
                        separatedBy: "is damaged: it has the content of the other database of a store"
                    ).count == 3,
                "\(exchanged)"
            )
            for (from, to) in [(agent, folder.path + "/agent.db"), (chat, agent), (folder.path + "/agent.db", chat)] {
                try #require(rename(from, to) == 0)
            }
            try #require(rename(folder.path + "/earlier.db", agent) == 0)
            let checked = try await check(folder, ["--offline"])
            #expect(
                checked.code == 1
                    && checked.output.contains("\(agent) is damaged: it lacks profiles that the other database has"),
                "\(checked)"
            )
            let served = try await serve(folder)
            #expect(
                served.code == 1 && served.errors.contains("lacks profiles that the other database has"),
                "\(served)"
            )
        }
    }

    @Test(
        "A named pipe instead of a file of the data folder does not block the check",
        arguments: ["keys.json", "database.key"]
    )
    func pipe(name: String) async throws {
        try await Folder.with { folder in
            try await Node.runOnce(in: folder)
            let path = folder.path + "/data/" + name
            try #require(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
            let checked = try await check(folder, ["--offline"])
            #expect(checked.code != 0 && checked.output.contains(path), "\(checked)")
        }
    }

    @Test("`check` reports a file whose name is not UTF-8, since no backup can contain it")
    func nameWithoutUTF8() async throws {
        try await Folder.with { folder in
            try await Node.runOnce(in: folder)
            let path =
                Array((folder.path + "/data/files/").utf8CString.dropLast()) + [0x61, CChar(bitPattern: 0xFF), 0]
            try FileManager.default.createDirectory(
                atPath: folder.path + "/data/files",
                withIntermediateDirectories: true
            )
            try #require(close(open(path, O_CREAT | O_WRONLY, 0o600)) == 0)
            let found = try await check(folder, ["--offline"])
            #expect(
                found.code == 1
                    && found.output.contains(
                        "no copy of \(folder.path)/data can be made: \(folder.path)/data/files/a\\xff: its name is not UTF-8"
                    ),
                "\(found)"
            )
        }
    }

    @Test("`check` notes that the data folder has more stores than can be open at the same time")
    func manyStores() async throws {
        try await Folder.with { folder in
            let node = Node(folder: folder.path + "/data", ["--relay-port", "0"])
            _ = try await node.object("POST", "/v1/stores", ["name": "Bob"])
            await node.stop(SIGTERM)
            #expect(try await !check(folder, ["--offline"]).output.contains("can be open"))
            let found = try await check(folder, ["--offline", "--max-open-stores", "1"])
            #expect(
                found.code == 0
                    && found.output.contains("note:  there are 2 stores, but only 1 can be open at the same time"),
                "\(found)"
            )
        }
    }

    @Test("`check` reports a missing or truncated database of a store with a passphrase")
    func lostDatabases() async throws {
        try await Folder.with { folder in
            let data = folder.path + "/data"
            let node = Node(folder: data, ["--relay-port", "0"])
            let id = try #require(
                try await node.object("POST", "/v1/stores", ["name": "Bob", "passphrase": "a long one"])["store"]?[
                    "storeId"
                ]?.stringValue
            )
            await node.stop(SIGTERM)
            let path = "\(data)/stores/\(id)/simplex_v1_agent.db"
            #expect(try await check(folder, ["--offline"]).code == 0)
            try #require(truncate(path, 10_000) == 0)
            let cut = try await check(folder, ["--offline"])
            #expect(cut.code == 1 && cut.output.contains("\(path) was cut off"), "\(cut)")
            unlink(path)
            let gone = try await check(folder, ["--offline"])
            #expect(gone.code == 1 && gone.output.contains("there is no \(path)"), "\(gone)")
        }
    }

    @Test(
        "The check and `serve` fail if the databases of the first store are missing or empty",
        arguments: [false, true]
    )
    func lostFirst(emptied: Bool) async throws {
        try await Folder.with { folder in
            try await Node.runOnce(in: folder)
            let data = folder.path + "/data"
            for name in ["simplex_v1_chat.db", "simplex_v1_agent.db"] {
                try #require(emptied ? truncate(data + "/" + name, 0) == 0 : unlink(data + "/" + name) == 0)
            }
            let gone = try await check(folder, ["--offline"])
            #expect(gone.code == 1 && gone.output.contains("wrong: there is no \(data)/simplex_v1_chat.db"), "\(gone)")
            let served = try await serve(folder)
            #expect(served.code == 1 && served.errors.contains("are missing or empty"), "\(served)")
        }
    }

    @Test("If keys.json is missing, `check` fails, and the next start warns and creates a new key")
    func lostKeys() async throws {
        try await Folder.with { folder in
            try await Node.runOnce(in: folder)
            let data = folder.path + "/data"
            let before = try String(contentsOfFile: data + "/admin.key", encoding: .utf8)
            try #require(unlink(data + "/keys.json") == 0)
            for arguments in [
                ["check", "--offline", "--port", "0", "--relay-port", "0"], ["key", "list"], ["key", "add", "bot"],
            ] {
                let ending = try await Program.run(arguments + ["--data", data])
                #expect(
                    ending.code == 1 && (ending.output + ending.errors).contains("keys.json is missing"),
                    "\(ending)"
                )
            }
            let node = Node(folder: data, ["--relay-port", "0"])
            try await node.running().program.error(with: "the file of the keys is missing")
            #expect(try await node.call("GET", "/v1/whoami").status == 200)
            #expect(try String(contentsOfFile: data + "/admin.key", encoding: .utf8) != before)
            // While the gateway runs, the earlier keys stay valid.
            try #require(unlink(data + "/keys.json") == 0)
            try await node.running().program.signal(SIGHUP)
            try await node.running().program.error(with: "the previous keys stay in use")
            #expect(try await node.call("GET", "/v1/whoami").status == 200)
            await node.stop()
        }
    }

    @Test("`check` and `serve` refuse the copy of one store as a data folder")
    func copyOfStore() async throws {
        try await Folder.with { folder in
            let data = folder.path + "/data"
            let node = Node(folder: data, ["--relay-port", "0"])
            let id = try #require(
                try await node.object("POST", "/v1/stores", ["name": "Bob"])["store"]?["storeId"]?.stringValue
            )
            let copy = folder.path + "/copy"
            let made = try await Program.run([
                "backup", copy, "--store", id, "--url", try await node.running().url, "--data", data,
            ])
            #expect(made.code == 0, "\(made)")
            await node.stop()
            for command in ["check", "serve"] {
                let ending = try await Program.run([command, "--data", copy, "--port", "0", "--relay-port", "0"])
                #expect(
                    ending.code == 2 && (ending.output + ending.errors).contains("is the copy of one store"),
                    "\(ending)"
                )
            }
            #expect(FileManager.default.fileExists(atPath: copy + "/SHA256SUMS"))
        }
    }

    @Test(
        "Requests for a store with an unreadable keys.json get 503 until the file is repaired",
        arguments: [true, false]
    )
    func unreadableKeys(isThere: Bool) async throws {
        try await Folder.with { folder in
            let data = folder.path + "/data"
            let node = Node(folder: data, ["--relay-port", "0"])
            let made = try await node.object("POST", "/v1/stores", ["name": "Bob"])
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
            let checked = try await check(folder, ["--offline"])
            #expect(checked.code == 1 && checked.output.contains(path), "\(checked)")
            let damaged = Node(folder: data, ["--relay-port", "0"])
            #expect(try await damaged.call("GET", "/v1/users").status == 200)
            #expect(try await damaged.call("GET", "/v1/users", as: key).status == 503)
            #expect(try await damaged.call("GET", "/v1/stores/\(id)").status == 200)
            try await damaged.running().program.error(
                with: isThere ? "\(path) is not a list of keys" : "\(path) is missing"
            )
            try before.write(to: URL(fileURLWithPath: path), options: .atomic)
            try await eventually("the keys are read again") {
                try await damaged.call("GET", "/v1/users", as: key).status == 200
            }
            await damaged.stop()
        }
    }

    @Test("`check` reports each fault once, and names the port of a server that refuses connections")
    func words() async throws {
        try await Folder.with { folder in
            let port = try await Program.run([
                "check", "--data", folder.path, "--port", "0", "--relay-port", "70000", "--offline",
            ])
            #expect(port.code == 2 && port.output.components(separatedBy: "relay-port is 70000").count == 2, "\(port)")
            let (hash, closed) = (String(repeating: "A", count: 43), TestPort.unused())
            let away = try await check(
                folder,
                [
                    "--smp-server", "smp://\(hash)@127.0.0.1:\(closed)", "--xftp-server",
                    "xftp://\(hash)@127.0.0.1:\(closed)",
                ]
            )
            for scheme in ["smp", "xftp"] {
                #expect(
                    away.output.contains(
                        "wrong: \(scheme)://…@127.0.0.1:\(closed) cannot be used: Connection refused\n"
                    ),
                    "\(away)"
                )
            }
        }
    }

    /// Runs the program as a user other than root, since file permissions do not restrict root.
    private func runAsNobody(_ arguments: [String]) async throws -> Program.Ending {
        try await Program(
            "/usr/bin/setpriv",
            ["--reuid", "65534", "--regid", "65534", "--clear-groups", Program.path] + arguments
        ).end()
    }

    @Test(
        "The check and `serve` report files that belong to another user",
        .enabled(if: getuid() == 0, "only root can give files away"),
        arguments: [
            ("simplex_v1_chat.db", "simplex_v1_chat.db: Permission denied"),
            ("simplex_v1_agent.db", "simplex_v1_agent.db: Permission denied"),
            ("relay", "/relay"), ("relay/server.key", "relay/server.key: Permission denied"),
            ("relay/queues.log", "relay/queues.log: Permission denied"),
            ("file-relay/files.log", "file-relay/files.log: Permission denied"),
            ("keys.json", "keys.json: Permission denied"), ("database.key", "database.key: Permission denied"),
        ]
    )
    func rights(file: String, words: String) async throws {
        // The folder is outside of the tests' folder, which other users may not enter.
        var template = Array("/tmp/sxgw-rights-XXXXXX\0".utf8.map { CChar(bitPattern: $0) })
        try #require(mkdtemp(&template) != nil)
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let data = folder + "/data"
        let node = Node(folder: data, ["--relay-port", "0"])
        _ = try await node.running()
        await node.stop(SIGTERM)
        chmod(folder, 0o755)
        try #require(try await Program("/usr/bin/chown", ["-R", "65534:65534", data]).end().code == 0)
        let options = ["--data", data, "--port", "0", "--relay-port", "0"]
        #expect(try await runAsNobody(["check", "--offline"] + options).code == 0)
        try #require(
            chown(data + "/" + file, 0, 0) == 0 && chmod(data + "/" + file, file == "relay" ? 0o700 : 0o600) == 0
        )
        let checked = try await runAsNobody(["check", "--offline"] + options)
        #expect(
            checked.code != 0
                && checked.output.split(separator: "\n").contains {
                    $0.hasPrefix("wrong: ") && $0.contains(words) && !$0.contains("damaged")
                },
            "\(checked)"
        )
        let served = try await runAsNobody(["serve"] + options)
        #expect(
            served.code == 1 && !served.errors.contains("inputOutput")
                && (served.errors.contains(words) || served.errors.contains("check shows which")),
            "\(served)"
        )
    }

    @Test("`check` does not report a port as used if the socket unit keeps it open for the stopped service")
    func socketUnit() async throws {
        try await Folder.with { folder in
            let node = Node(folder: folder.path + "/other", ["--relay-port", "0"])
            let port = try #require(try await node.running().url.split(separator: ":").last.map(String.init))
            // A replacement for the systemctl of a machine with systemd.
            let tools = folder.path + "/tools"
            try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: false)
            func check(_ answer: String) async throws -> Program.Ending {
                try
                    "#!/bin/sh\n[ \"$*\" = 'show --property=ActiveState,Listen simplex-gateway.socket' ] && printf '\(answer)'\n"
                    .write(toFile: tools + "/systemctl", atomically: true, encoding: .utf8)
                chmod(tools + "/systemctl", 0o755)
                return try await Program.run(
                    ["check", "--data", folder.path + "/data", "--port", port, "--relay-port", "0"],
                    environment: ["PATH": tools + ":/usr/bin:/bin"]
                )
            }
            let held = try await check("ActiveState=active\\nListen=127.0.0.1:\(port) (Stream)\\n")
            #expect(held.code == 0 && held.output.contains("simplex-gateway.socket"), "\(held)")
            for answer in [
                "ActiveState=inactive\\nListen=127.0.0.1:\(port) (Stream)\\n",
                "ActiveState=active\\nListen=127.0.0.1:1 (Stream)\\n", "",
            ] {
                let taken = try await check(answer)
                #expect(taken.code == 4 && taken.output.contains("wrong: port \(port)"), "\(answer): \(taken)")
            }
            await node.stop()
        }
    }

    @Test("`check` fails for an expired certificate, and warns about a certificate that expires soon")
    func certificate() async throws {
        try await Folder.with { folder in
            let (certificate, key) = (folder.path + "/cert.pem", folder.path + "/key.pem")
            for (days, code, word) in [
                ("2", 0, "the TLS certificate expires in"), ("90", 0, "the TLS certificate is valid for"),
                ("-1", 2, "has expired"),
            ] as [(String, Int32, String)] {
                let made = try await Program(
                    "/usr/bin/openssl",
                    [
                        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
                        days, "-subj", "/CN=x", "-keyout", key,
                        "-out", certificate,
                    ]
                ).end()
                guard made.code == 0 else { continue }
                let ending = try await check(folder, ["--tls-certificate", certificate, "--tls-key", key])
                #expect(ending.code == code && ending.output.contains(word), "\(days): \(ending)")
            }
        }
    }

    @Test(
        "The check reports databases of a later program, and `serve` leaves them unchanged",
        arguments: ["chat", "agent"]
    )
    func later(name: String) async throws {
        try await Folder.with { folder in
            try await Node.runOnce(in: folder)
            let data = folder.path + "/data"
            _ = try await markAsLater(data, name)
            let before = try databases(folder)
            let checked = try await check(folder)
            #expect(
                checked.code == 1 && checked.output.contains("later version of this program (29990101_later)"),
                "\(checked)"
            )
            let served = try await serve(folder)
            #expect(
                served.code == 1 && served.errors.contains("later version of this program (29990101_later)"),
                "\(served)"
            )
            #expect(try databases(folder) == before)
        }
    }

    @Test("With --migrations ask, databases of an earlier program are not opened and not changed")
    func earlier() async throws {
        try await Folder.with { folder in
            try await Node.runOnce(in: folder)
            let data = folder.path + "/data"
            let original = try databases(folder)
            let newest = "(SELECT max(name) FROM migrations)"
            let path = try await changeDatabase("chat", of: data, "DELETE FROM migrations WHERE name = \(newest)")
            let before = try databases(folder)
            let served = try await serve(folder, ["--migrations", "ask"])
            #expect(served.code == 1 && served.errors.contains("earlier version of this program"), "\(served)")
            #expect(served.errors.contains("--migrations up"), "\(served)")
            #expect(try databases(folder) == before)
            let down = try await serve(folder, ["--migrations", "down"])
            #expect(down.code == 2 && down.errors.contains("a copy made before the upgrade"), "\(down)")
            #expect(try databases(folder) == before)
            try original["simplex_v1_chat.db"]?.write(to: URL(filePath: path))
            // Databases of this version are opened.
            let running = try await Node(folder: data, ["--relay-port", "0", "--migrations", "ask"]).running()
            running.program.signal(SIGTERM)
            #expect(await running.program.end().code == 0)
        }
    }

    @Test(
        "A store that a later program has changed is reported and not opened, and the first store is served",
        arguments: ["chat", "agent"]
    )
    func laterStore(name: String) async throws {
        try await Folder.with { folder in
            let data = folder.path + "/data"
            let node = Node(folder: data, ["--relay-port", "0"])
            let made = try await node.object("POST", "/v1/stores", ["name": "Bob"])
            let (id, key) = (
                try #require(made["store"]?["storeId"]?.stringValue), try #require(made["key"]?.stringValue)
            )
            await node.stop(SIGTERM)
            let path = try await markAsLater(data + "/stores/" + id, name)
            let before = FileManager.default.contents(atPath: path)
            let checked = try await check(folder)
            #expect(
                checked.code == 1 && checked.output.contains("later version of this program (29990101_later)"),
                "\(checked)"
            )
            let again = Node(folder: data, ["--relay-port", "0"])
            #expect(try await again.call("GET", "/v1/users").status == 200)
            #expect(try await again.call("GET", "/v1/users", as: key).status == 503)
            try await again.running().program.error(with: "29990101_later")
            await again.stop(SIGTERM)
            #expect(FileManager.default.contents(atPath: path) == before)
        }
    }

    @Test("`check` reports a database with changed pages")
    func damaged() async throws {
        try await Folder.with { folder in
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
            let ending = try await check(folder)
            #expect(
                ending.code != 0 && ending.output.contains("wrong: ") && ending.output.contains("simplex_v1_chat.db"),
                "\(ending)"
            )
        }
    }

    @Test("`check` reports a configured relay that is unreachable or has another fingerprint")
    func relays() async throws {
        try await Folder.with { folder in
            let relay = try Program(["relay", "--data", folder.path + "/relay", "--port", "0"])
            let address = try await relay.line("Relay:")
            let files = try Program(["relay", "--files", "--data", folder.path + "/files", "--port", "0"])
            let fileAddress = try await files.line("File relay:")
            let good = try await check(folder, ["--smp-server", address, "--xftp-server", fileAddress])
            #expect(good.code == 0 && good.output.components(separatedBy: " answers\n").count == 3, "\(good)")
            let other = address.replacing(/smp:\/\/.{43}/, with: "smp://" + String(repeating: "A", count: 43))
            let forged = try await check(folder, ["--smp-server", other])
            #expect(forged.code == 1 && forged.output.contains("cannot be used"), "\(forged)")
            relay.signal(SIGTERM)
            files.signal(SIGTERM)
            _ = await (relay.end(), files.end())
            let away = try await check(folder, ["--smp-server", address])
            #expect(away.code == 1 && away.output.contains("cannot be used"), "\(away)")
            #expect(try await check(folder, ["--smp-server", address, "--offline"]).code == 0)
        }
    }
}

/// Marks a database as changed by a later program.
/// - Returns: the path of the database.
func markAsLater(_ folder: String, _ name: String) async throws -> String {
    try await changeDatabase(name, of: folder, "INSERT INTO migrations (name) VALUES ('29990101_later')")
}

/// Changes a database of a store that no gateway uses.
/// - Returns: the path of the database.
@discardableResult
func changeDatabase(_ name: String, of folder: String, _ script: String) async throws -> String {
    let text = try String(contentsOfFile: folder + "/database.key", encoding: .utf8).trimmingCharacters(in: .newlines)
    let path = "\(folder)/simplex_v1_\(name).db"
    let key = try #require(Hex.decode(text.utf8))
    let database = try await Database.open(at: path, key: .raw(key), create: false, migrates: false)
    try await database.write { try $0.executeScript(script) }
    await database.close()
    return path
}
