import Foundation
import Glibc
import SimpleXCrypto
import SQLCipher
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct CheckTests {
    func runCheck(_ folder: Folder, _ more: [String] = []) async throws -> Program.ProgramEnding {
        try await Program.run(["check", "--data", folder.path + "/data", "--port", "0", "--relay-port", "0"] + more)
    }

    /// Starts the program and expects a failure.
    func runServe(_ folder: Folder, _ more: [String] = []) async throws -> Program.ProgramEnding {
        try await Program.run(["serve", "--data", folder.path + "/data", "--port", "0", "--relay-port", "0"] + more)
    }

    func readDatabases(_ folder: Folder) throws -> [String: Data] {
        let data = folder.path + "/data"
        let names = try FileManager.default.contentsOfDirectory(atPath: data).filter { $0.hasSuffix(".db") }
        return Dictionary(
            uniqueKeysWithValues: names.map { ($0, FileManager.default.contents(atPath: data + "/" + $0) ?? Data()) }
        )
    }

    @Test
    func `The command 'check' succeeds for a missing, an intact and a used data folder, and changes no database`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            let none = try await runCheck(folder)
            #expect(none.exitCode == 0 && none.output.contains("note:  there is no folder"), "\(none)")
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/data"))
            try await Node.runOnce(in: folder)
            let before = try readDatabases(folder)
            let sound = try await runCheck(folder)
            #expect(
                sound.exitCode == 0 && sound.output.contains("_chat.db\n") && sound.output.contains("_agent.db\n")
                    && !sound.output.contains("wrong"),
                "\(sound)"
            )
            #expect(try readDatabases(folder) == before)
            let node = Node(folder: folder.path + "/data", ["--relay-port", "0"])
            let running = try await node.waitUntilRunning()
            let port = try #require(running.url.split(separator: ":").last.map(String.init))
            let used = try await Program.run([
                "check", "--data", folder.path + "/data", "--port", port, "--relay-port", "0",
            ])
            #expect(
                used.exitCode == 0 && used.output.contains("a gateway uses") && used.output.contains("is ready"),
                "\(used)"
            )
            #expect(try await Program.run(["check", "--health", "--port", port]).exitCode == 0)
            // With another data folder, the port is in use by another program.
            let taken = try await Program.run([
                "check", "--data", folder.path + "/other", "--port", port, "--relay-port", "0",
            ])
            #expect(taken.exitCode == 4 && taken.output.contains("wrong: port \(port)"), "\(taken)")
            await node.stop()
            let gone = try await Program.run(["check", "--health", "--port", port])
            #expect(gone.exitCode == 1 && gone.errors.contains("no gateway answers"), "\(gone)")
        }
    }

    @Test
    func `The exit code of 'check' tells whether the configuration, database key or data folder has the fault`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            try await Node.runOnce(in: folder)
            let data = folder.path + "/data"
            let notPEM = try folder.writeFile("wrong.pem", "no certificate\n")
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
                let ending = try await runCheck(folder, arguments + ["--offline"])
                #expect(ending.exitCode == 2 && ending.output.contains(word), "\(arguments): \(ending)")
            }
            let key = try await runCheck(
                folder,
                ["--database-key-file", folder.writeFile("key", "a secret that opens nothing")]
            )
            #expect(
                key.exitCode == 3 && key.output.contains("wrong: the key does not open")
                    && !key.output.contains("a secret"),
                "\(key)"
            )
            chmod(data, 0o755)
            let open = try await runCheck(folder)
            #expect(open.exitCode == 1 && open.output.contains("chmod 700"), "\(open)")
            chmod(data, 0o700)
            try "{".write(toFile: data + "/keys.json", atomically: true, encoding: .utf8)
            let keys = try await runCheck(folder)
            #expect(keys.exitCode == 1 && keys.output.contains("keys.json is not a list of keys"), "\(keys)")
        }
    }

    @Test
    func `The command 'check' reports each file with secrets that other users can read`() async throws {
        try await Folder.withNewFolder { folder in
            try await Node.runOnce(in: folder)
            let data = folder.path + "/data"
            for name in ["database.key", "admin.key", "simplex_v1_chat.db", "relay/server.key", "keys.json"] {
                chmod(data + "/" + name, 0o644)
            }
            let key = try folder.writeFile("a.key", String(contentsOfFile: data + "/database.key", encoding: .utf8))
            let found = try await runCheck(folder, ["--offline"])
            #expect(
                found.exitCode == 0
                    && found.output.components(separatedBy: "note:  other users could read \(data)/").count == 6,
                "\(found)"
            )
            chmod(key, 0o640)
            #expect(try await runCheck(folder, ["--offline", "--database-key-file", key]).exitCode == 0)
            chmod(key, 0o644)
            let open = try await runCheck(folder, ["--offline", "--database-key-file", key])
            #expect(
                open.exitCode == 0 && open.output.contains("note:  everybody on this machine can read \(key)"),
                "\(open)"
            )
        }
    }

    @Test(arguments: ["keys.json", "database.key"])
    func `The command 'check' ends even if a file of the data folder is a named pipe`(name: String) async throws {
        try await Folder.withNewFolder { folder in
            try await Node.runOnce(in: folder)
            let path = folder.path + "/data/" + name
            try #require(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
            let checked = try await runCheck(folder, ["--offline"])
            #expect(checked.exitCode != 0 && checked.output.contains(path), "\(checked)")
        }
    }

    @Test
    func `The command 'check' reports a file name that is not UTF-8, since no backup can contain the file`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            try await Node.runOnce(in: folder)
            let path =
                Array((folder.path + "/data/files/").utf8CString.dropLast()) + [0x61, CChar(bitPattern: 0xFF), 0]
            try FileManager.default.createDirectory(
                atPath: folder.path + "/data/files",
                withIntermediateDirectories: true
            )
            try #require(close(open(path, O_CREAT | O_WRONLY, 0o600)) == 0)
            let found = try await runCheck(folder, ["--offline"])
            #expect(
                found.exitCode == 1
                    && found.output.contains(
                        "no copy of \(folder.path)/data can be made: \(folder.path)/data/files/a\\xff: its name is not UTF-8"
                    ),
                "\(found)"
            )
        }
    }

    @Test
    func `The command 'check' reports that there are more stores than can be open at the same time`() async throws {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path + "/data", ["--relay-port", "0"])
            _ = try await node.callForObject("POST", "/v1/stores", ["name": "Bob"])
            await node.stop(SIGTERM)
            #expect(try await !runCheck(folder, ["--offline"]).output.contains("can be open"))
            let found = try await runCheck(folder, ["--offline", "--max-open-stores", "1"])
            #expect(
                found.exitCode == 0
                    && found.output.contains("note:  there are 2 stores, but only 1 can be open at the same time"),
                "\(found)"
            )
        }
    }

    @Test
    func `The command 'check' reports each fault once, and names the port of a server that refuses connections`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            let port = try await Program.run([
                "check", "--data", folder.path, "--port", "0", "--relay-port", "70000", "--offline",
            ])
            #expect(
                port.exitCode == 2 && port.output.components(separatedBy: "relay-port is 70000").count == 2,
                "\(port)"
            )
            let (hash, closed) = (String(repeating: "A", count: 43), TestPort.takeUnused())
            let away = try await runCheck(
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
    private func runAsNobody(_ arguments: [String]) async throws -> Program.ProgramEnding {
        try await Program(
            "/usr/bin/setpriv",
            ["--reuid", "65534", "--regid", "65534", "--clear-groups", Program.path] + arguments
        ).waitForEnd()
    }

    @Test(
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
    func `The commands 'check' and 'serve' report files in the data folder that belong to another user`(
        file: String,
        words: String
    ) async throws {
        // The folder of the tests is closed to other users, so this folder is outside of it.
        var template = Array("/tmp/sxgw-rights-XXXXXX\0".utf8.map { CChar(bitPattern: $0) })
        try #require(mkdtemp(&template) != nil)
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let data = folder + "/data"
        let node = Node(folder: data, ["--relay-port", "0"])
        _ = try await node.waitUntilRunning()
        await node.stop(SIGTERM)
        chmod(folder, 0o755)
        try #require(try await Program("/usr/bin/chown", ["-R", "65534:65534", data]).waitForEnd().exitCode == 0)
        let options = ["--data", data, "--port", "0", "--relay-port", "0"]
        #expect(try await runAsNobody(["check", "--offline"] + options).exitCode == 0)
        try #require(
            chown(data + "/" + file, 0, 0) == 0 && chmod(data + "/" + file, file == "relay" ? 0o700 : 0o600) == 0
        )
        let checked = try await runAsNobody(["check", "--offline"] + options)
        #expect(
            checked.exitCode != 0
                && checked.output.split(separator: "\n").contains {
                    $0.hasPrefix("wrong: ") && $0.contains(words) && !$0.contains("damaged")
                },
            "\(checked)"
        )
        let served = try await runAsNobody(["serve"] + options)
        #expect(
            served.exitCode == 1 && !served.errors.contains("inputOutput")
                && (served.errors.contains(words) || served.errors.contains("check shows which")),
            "\(served)"
        )
    }

    @Test
    func `The command 'check' accepts a port that only the systemd socket of the stopped service listens on`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path + "/other", ["--relay-port", "0"])
            let port = try #require(try await node.waitUntilRunning().url.split(separator: ":").last.map(String.init))
            // A script that replaces `systemctl`, because this machine may have no systemd.
            let tools = folder.path + "/tools"
            try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: false)
            func check(_ answer: String) async throws -> Program.ProgramEnding {
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
            #expect(held.exitCode == 0 && held.output.contains("simplex-gateway.socket"), "\(held)")
            for answer in [
                "ActiveState=inactive\\nListen=127.0.0.1:\(port) (Stream)\\n",
                "ActiveState=active\\nListen=127.0.0.1:1 (Stream)\\n", "",
            ] {
                let taken = try await check(answer)
                #expect(taken.exitCode == 4 && taken.output.contains("wrong: port \(port)"), "\(answer): \(taken)")
            }
            await node.stop()
        }
    }

    @Test
    func `The command 'check' fails for an expired TLS certificate, and warns if a certificate expires soon`()
        async throws
    {
        try await Folder.withNewFolder { folder in
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
                ).waitForEnd()
                guard made.exitCode == 0 else { continue }
                let ending = try await runCheck(folder, ["--tls-certificate", certificate, "--tls-key", key])
                #expect(ending.exitCode == code && ending.output.contains(word), "\(days): \(ending)")
            }
        }
    }
}

/// Marks a database as changed by a later program.
/// - Returns: the path of the database.
func markAsLaterVersion(_ folder: String, _ name: String) async throws -> String {
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
