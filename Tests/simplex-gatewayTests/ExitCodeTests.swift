import Foundation
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct ExitCodeTests {
    private func runServe(
        _ folder: Folder,
        _ more: [String] = [],
        environment: [String: String] = [:]
    ) async throws -> Program.ProgramEnding {
        try await Program.run(
            ["serve", "--data", folder.path + "/data", "--port", "0", "--relay-port", "0"] + more,
            environment: environment
        )
    }

    @Test
    func `A wrong configuration ends the program with exit code 2 and one line with the reason`() async throws {
        try await Folder.withNewFolder { folder in
            let notJSON = try folder.writeFile("wrong.json", "{")
            let notPEM = try folder.writeFile("wrong.pem", "no certificate\n")
            let misspelt = try folder.writeFile("misspelt.json", #"{"port": 0, "alow-origin": []}"#)
            for (arguments, word) in [
                (["--config", misspelt], "Did you mean allow-origin?"),
                (["--allow-origin", "localhost:3000"], "localhost:3000"),
                (["--allow-origin", "*"], "*"), (["--allow-origin", "https://example.org/"], "https://example.org/"),
                (["--relay-host", "0.0.0.0"], "--relay-public-host"), (["--relay-host", "::"], "--relay-public-host"),
                (["--log-level", "loud"], "loud"), (["--journal-size", "0"], "journal-size"),
                (["--config", folder.path + "/none"], "none"), (["--config", notJSON], "wrong.json"),
                (["--no-relay"], "--smp-server"), (["--smp-server", "http://x"], "http://x"),
                (["--tls-certificate", notPEM], "--tls-key"),
                (["--tls-certificate", folder.path + "/none", "--tls-key", notPEM], "none"),
                (["--tls-certificate", notPEM, "--tls-key", notPEM], "certificate"),
                (["--host", "0.0.0.0"], "--insecure-remote"),
                (["--file-relay-port", "5999", "--terminal-port", "5999"], "have the same port, 5999"),
                (["--host", "nowhere"], "nowhere"), (["--database-key-file", folder.path + "/none"], "none"),
                (["--database-key-file", "/etc"], "/etc"), (["--relay-password-file", "/etc"], "/etc"),
                (["--tls-certificate", "/etc", "--tls-key", "/etc"], "/etc"),
            ] {
                let ending = try await runServe(folder, arguments)
                #expect(ending.exitCode == 2, "\(arguments): \(ending)")
                #expect(
                    ending.errors.contains(word) && ending.errors.split(separator: "\n").count == 1,
                    "\(arguments): \(ending)"
                )
                #expect(ending.output.isEmpty)
            }
        }
    }

    @Test(arguments: [
        ("journal-size", "256MB"), ("store-items", "10k"), ("close-idle-stores", "5m"), ("store-file-size", "1.5"),
        ("requests-per-key", "10/s"),
    ])
    func `A number with a unit or a fraction ends the program with exit code 2, wherever the option is set`(
        option: String,
        value: String
    ) async throws {
        try await Folder.withNewFolder { folder in
            var file = [try folder.writeFile("text.json", "{\"\(option)\": \"\(value)\"}")]
            if Double(value) != nil { file.append(try folder.writeFile("number.json", "{\"\(option)\": \(value)}")) }
            for path in file {
                let ending = try await runServe(folder, ["--config", path])
                #expect(
                    ending.exitCode == 2 && ending.errors.contains("\(option) is \(value), but must be a whole number")
                        && ending.errors.contains("without a unit"),
                    "\(ending)"
                )
            }
            let variable = "SXGW_" + option.uppercased().replacing("-", with: "_")
            let set = try await runServe(folder, environment: [variable: value])
            #expect(set.exitCode == 2 && set.errors.contains("without a unit"), "\(set)")
            let given = try await runServe(folder, ["--" + option, value])
            #expect(given.exitCode == 2 && given.errors.contains(value) && given.errors.contains(option), "\(given)")
        }
    }

    @Test
    func `A negative value of an option ends the program with exit code 2 and an error that names the option`()
        async throws
    {
        for arguments in [["serve", "--store-items", "-5"], ["serve", "--store-items=-5"]] {
            let ending = try await Program.run(arguments)
            #expect(
                ending.exitCode == 2 && ending.errors.contains("store-items is -5, but must be a whole number from 1"),
                "\(ending)"
            )
        }
    }

    @Test
    func `A configuration file that names a second configuration file is refused`() async throws {
        try await Folder.withNewFolder { folder in
            let ending = try await runServe(
                folder,
                ["--config", folder.writeFile("file.json", #"{"config": "other.json"}"#)]
            )
            #expect(
                ending.exitCode == 2 && ending.errors.contains("config cannot be set in the configuration file itself"),
                "\(ending)"
            )
        }
    }

    @Test
    func `An unknown environment variable ends the program with exit code 2 and names the nearest known one`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            let ending = try await runServe(folder, environment: ["SXGW_RELAY_PROT": "0"])
            #expect(
                ending.exitCode == 2 && ending.errors.contains("SXGW_RELAY_PROT")
                    && ending.errors.contains("SXGW_RELAY_PORT?"),
                "\(ending)"
            )
        }
    }

    @Test
    func `The gateway warns at its start if other machines can reach its HTTP port but not its relay`() async throws {
        try await Folder.withNewFolder { folder in
            for (more, isWarned) in [
                ([], true), (["--relay-host", "0.0.0.0", "--relay-public-host", "relay.example.org"], false),
                (["--servers", "network"], false),
            ] {
                let node = Node(
                    folder: folder.path + "/\(isWarned)\(more.count)",
                    ["--relay-port", "0", "--host", "0.0.0.0", "--insecure-remote"] + more
                )
                let running = try await node.waitUntilRunning()
                running.program.signal(SIGTERM)
                let ending = await running.program.waitForEnd()
                #expect(ending.errors.contains("--relay-public-host") == isWarned, "\(more): \(ending)")
                #expect(
                    ending.output.contains("@relay.example.org:") == more.contains("relay.example.org"),
                    "\(ending)"
                )
            }
        }
    }

    @Test
    func `A change of the relay's port is reported in the log, by '/readyz' and in metrics`() async throws {
        try await Folder.withNewFolder { folder in
            let ports = (TestPort.takeUnused(), TestPort.takeUnused())
            for (port, isMoved) in [(ports.0, false), (ports.1, true), (ports.0, false)] {
                let node = Node(folder: folder.path, ["--relay-port", "\(port)"])
                if try await node.callForObject("GET", "/v1/users")["users"]?.arrayValue?.isEmpty != false {
                    _ = try await node.callForObject(
                        "POST",
                        "/v1/users",
                        ["profile": ["displayName": "alice", "fullName": ""]]
                    )
                    _ = try await node.callForObject(
                        "POST",
                        "/v1/users/1/connections/invitations",
                        ["incognito": false]
                    )
                }
                let ready = try await node.call("GET", "/readyz")
                #expect(
                    ready.status == 200
                        && (String(decoding: ready.body, as: UTF8.self).contains("another port")) == isMoved,
                    "\(ready)"
                )
                let metrics = String(decoding: try await node.call("GET", "/metrics").body, as: UTF8.self)
                #expect(metrics.contains("sxgw_moved_queues \(isMoved ? 1 : 0)\n"), "\(metrics)")
                #expect(metrics.contains("\nsmp_relay_") && metrics.contains("\nxftp_relay_"))
                let running = try await node.waitUntilRunning()
                running.program.signal(SIGTERM)
                let ending = await running.program.waitForEnd()
                #expect(ending.errors.contains("another port") == isMoved, "\(ending)")
            }
        }
    }

    @Test(arguments: [
        ["serve", "--colour"], ["serve", "--port", "many"], ["serve", "--port"], ["sing"], ["key", "remove"],
        ["relay", "--port", "x"],
    ])
    func `The options --help and --version print their texts, and invalid arguments end with exit code 2`(
        _ arguments: [String]
    ) async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let version = try String(contentsOf: root.appending(path: "VERSION"), encoding: .utf8)
        for (flag, word) in [("--help", "USAGE"), ("--version", version)] {
            let help = try await Program.run([flag])
            #expect(help.exitCode == 0 && help.output.contains(word), "\(help)")
        }
        let ending = try await Program.run(arguments)
        #expect(ending.exitCode == 2, "\(ending)")
        #expect(ending.output.isEmpty && ending.errors.contains(arguments.last ?? ""), "\(ending)")
    }

    @Test
    func `A wrong database key or a lost key file ends the program with exit code 3, and changes no file`() async throws
    {
        try await Folder.withNewFolder { folder in
            try await Node.runOnce(in: folder)
            let data = folder.path + "/data"
            func databases() throws -> [String: Data] {
                let names = try FileManager.default.contentsOfDirectory(atPath: data).filter { $0.contains(".db") }
                return Dictionary(
                    uniqueKeysWithValues: names.map {
                        ($0, FileManager.default.contents(atPath: data + "/" + $0) ?? Data())
                    }
                )
            }
            let before = try databases()
            let secret = "a secret that opens nothing"
            let ending = try await runServe(folder, ["--database-key-file", folder.writeFile("key", secret)])
            #expect(ending.exitCode == 3 && ending.errors.split(separator: "\n").count == 1, "\(ending)")
            #expect(!(ending.output + ending.errors).contains(secret))
            try FileManager.default.removeItem(atPath: data + "/database.key")
            #expect(try await runServe(folder).exitCode == 3)
            #expect(try databases() == before)
        }
    }

    @Test
    func `The program ends with exit code 4 if another process uses the data folder or a port`() async throws {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path + "/data", ["--relay-port", "0"])
            let running = try await node.waitUntilRunning()
            let other = Folder(path: folder.path + "/other")
            let port = try #require(running.url.split(separator: ":").last.map(String.init))
            let relayPort = try #require(running.relay?.split(separator: ":").last.map(String.init))
            for ending in [
                try await runServe(folder),
                try await Program.run(["serve", "--data", other.path, "--port", port, "--relay-port", "0"]),
                try await Program.run(["serve", "--data", other.path, "--port", "0", "--relay-port", relayPort]),
            ] {
                #expect(
                    ending.exitCode == 4 && ending.errors.split(separator: "\n").count == 1
                        && !ending.errors.contains("errno"),
                    "\(ending)"
                )
                #expect(ending.errors.contains("another process"), "\(ending)")
            }
            // The failed start with the other folder has created nothing there.
            #expect(!FileManager.default.fileExists(atPath: other.path))
            let data = folder.path + "/data/"
            for name in ["admin.key", "database.key"] {
                let mode = try FileManager.default.attributesOfItem(atPath: data + name)[.posixPermissions] as? Int
                #expect(mode == 0o600)
            }
            running.program.signal(SIGTERM)
            let ending = await running.program.waitForEnd()
            for name in ["admin.key", "database.key"] {
                let secret = try String(contentsOfFile: data + name, encoding: .utf8).trimmingCharacters(in: .newlines)
                #expect(!(ending.output + ending.errors).contains(secret))
            }
        }
    }

    @Test
    func `An option on the command line overrides the environment, which overrides the configuration file`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            let file = try folder.writeFile("file.json", #"{"log-level": "from-file"}"#)
            let environment = ["SXGW_LOG_LEVEL": "from-environment"]
            #expect(try await runServe(folder, ["--config", file]).errors.contains("from-file"))
            #expect(
                try await runServe(folder, ["--config", file], environment: environment).errors.contains(
                    "from-environment"
                )
            )
            #expect(
                try await runServe(folder, ["--config", file, "--log-level", "from-flag"], environment: environment)
                    .errors
                    .contains("from-flag")
            )
        }
    }
}
