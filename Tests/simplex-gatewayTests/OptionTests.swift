import Foundation
import TestSupport
import Testing

/// Tests that `serve` and `check` find wrong options before they create anything.
@Suite(.socketTimeLimit) struct OptionTests {
    private func runProgram(
        _ command: String,
        _ folder: Folder,
        _ more: [String],
        _ environment: [String: String] = [:]
    ) async throws -> Program.ProgramEnding {
        try await Program.run(
            [command, "--data", folder.path + "/data", "--port", "0", "--relay-port", "0"] + more,
            environment: environment
        )
    }

    @Test(arguments: [
        (["--log-format", "xml"], "--log-format must be text or json, not xml"),
        (["--push-contact", "me@example.org"], "--push-contact me@example.org"),
        (["--webhook-allow", "10.0.0.0/33"], "--webhook-allow 10.0.0.0/33"),
        (["--webhook-ca-file", "/nonexistent"], "/nonexistent: no such file"),
        (["--webhook-ca-file", "/etc/hostname"], "/etc/hostname has no certificate"),
        (["--link-previews", "--link-preview-allow", "x"], "--link-preview-allow x"),
        (["--link-preview-allow", "10.0.0.0/8"], "needs --link-previews"),
        (["--relay-public-host", "http://x.org"], "http://x.org is not a name"),
        (["--relay-host", "0.0.0.0"], "needs --relay-public-host"),
        (["--relay-host", "nowhere.invalid"], "nowhere.invalid is not an IP address"),
        (["--relay-names", "/nonexistent"], "/nonexistent: no such file"),
        (["--relay-names", "/etc/hostname"], "--relay-names: /etc/hostname: "),
        (["--name-resolver", "names.example.org"], "--name-resolver must begin with https://"),
        (["--name-resolver", "http://x.org", "--name-resolver-auth", "/etc/hostname"], "bearer TOKEN"),
        (["--name-resolver-auth", "/etc/hostname"], "--name-resolver-auth needs --name-resolver"),
        (["--host", "[::1]"], "[::1] is not an IP address"), (["--store-items", "0"], "store-items is 0"),
        (["--close-idle-stores", "0"], "close-idle-stores is 0"),
        (["--smp-server", "smp://AAAA@localhost:99999"], "…@localhost:99999 is not the address"),
        (["--database-key-file", "/nonexistent"], "/nonexistent: no such file"),
        (["--events-redis", "/nonexistent"], "/nonexistent: no such file"),
        (["--files-s3", "/nonexistent"], "/nonexistent: no such file"),
        (["--otlp", "collector:4318"], "--otlp must begin with https://"),
        (["--otlp", "https://x.org", "--otlp-headers", "/etc/hostname"], "/etc/hostname: line 1 is not a header"),
        (["--otlp", "https://x.org", "--otlp-ca-file", "/etc/hostname"], "/etc/hostname has no certificate"),
        (["--otlp-headers", "/etc/hostname"], "--otlp-headers needs --otlp"),
        (["--node", "one", "--stores", "/tmp", "--placement-file", "/nonexistent"], "/nonexistent: no such file"),
        (["--node-lease", "5"], "needs --node"),
        (["--allow-host", "https://x.org"], "--allow-host https://x.org can never match"),
        (["--allow-host", "*.x.org"], "can never match"),
        (
            ["--file-relay-web-certificate", "/etc/hostname", "--file-relay-web-key", "/etc/hostname"],
            "/etc/hostname has no certificate"
        ),
    ])
    func `A wrong option creates no data folder, and the command 'check' reports the same error as 'serve'`(
        arguments: [String],
        words: String
    ) async throws {
        try await Folder.withNewFolder { folder in
            let checked = try await runProgram("check", folder, arguments + ["--offline"])
            #expect(
                checked.exitCode == 2
                    && checked.output.split(separator: "\n").contains { $0.hasPrefix("wrong: ") && $0.contains(words) },
                "\(checked)"
            )
            let served = try await runProgram("serve", folder, arguments)
            #expect(
                served.exitCode == 2 && served.errors.contains(words)
                    && served.errors.split(separator: "\n").count == 1,
                "\(served)"
            )
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/data"))
        }
    }

    @Test(arguments: [
        ["--quota", "0"], ["--metrics-port", "99999"], ["--files", "--file-hours", "0"],
        ["--max-connections", "0"], ["--name-resolver", "ftp://x.org"],
        ["--files", "--name-resolver", "https://x.org"],
    ])
    func `A standalone relay with a wrong option creates no data folder`(arguments: [String]) async throws {
        try await Folder.withNewFolder { folder in
            let ending = try await Program.run(["relay", "--data", folder.path + "/data", "--port", "0"] + arguments)
            #expect(ending.exitCode == 2 && ending.errors.split(separator: "\n").count == 1, "\(ending)")
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/data"))
        }
    }

    @Test(arguments: ["host", "data", "node", "config", "journal-size", "no-relay", "events-redis"])
    func `An option that is empty in the environment or the configuration file is reported as an error`(
        option: String
    ) async throws {
        try await Folder.withNewFolder { folder in
            for value in ["", " "] {
                let variable = "SXGW_" + option.uppercased().replacing("-", with: "_")
                let ending = try await Program.run(["serve", "--port", "0"], environment: [variable: value])
                #expect(ending.exitCode == 2 && ending.errors.contains("\(option) is empty"), "\(ending)")
            }
            guard option != "config" else { return }
            let file = try folder.writeFile("file.json", "{\"\(option)\": \"\"}")
            let ending = try await Program.run(["serve", "--port", "0", "--config", file])
            #expect(ending.exitCode == 2 && ending.errors.contains("\(option) is empty"), "\(ending)")
        }
    }

    @Test(arguments: [
        "smp://AAAA:word-of-secret@local host", "smp://AAAA:word-of-secret",
        "smp://AAAA:p@word-of/secret@localhost", "smp://AAAA:word-of-secret@",
    ])
    func `The error for an invalid server address contains no part of the address's password`(
        address: String
    ) async throws {
        try await Folder.withNewFolder { folder in
            for command in ["check", "serve"] {
                let ending = try await runProgram(command, folder, ["--smp-server", address])
                #expect(ending.exitCode == 2 && (ending.output + ending.errors).contains("--smp-server"), "\(ending)")
                #expect(!(ending.output + ending.errors).contains("word-of"), "\(ending)")
            }
        }
    }

    @Test(arguments: ["two words", "p@ss", "a:b", "a/b"])
    func `A relay does not start with a password that cannot be written in a server address`(
        password: String
    ) async throws {
        try await Folder.withNewFolder { folder in
            let file = try folder.writeFile("password", password + "\n")
            for arguments in [
                ["check", "--data", folder.path + "/data", "--relay-password-file", file],
                ["serve", "--data", folder.path + "/data", "--relay-password-file", file],
                ["relay", "--data", folder.path + "/relay", "--port", "0", "--password-file", file],
                ["relay", "--files", "--data", folder.path + "/relay", "--port", "0", "--password-file", file],
            ] {
                let ending = try await Program.run(arguments)
                #expect(
                    ending.exitCode == 2 && (ending.output + ending.errors).contains("the password in \(file) has"),
                    "\(ending)"
                )
                #expect(!(ending.output + ending.errors).contains(password), "\(ending)")
            }
        }
    }

    @Test
    func `An option's file that begins with a byte order mark is refused with this reason`() async throws {
        try await Folder.withNewFolder { folder in
            let file = try folder.writeFile("file", "\u{FEFF}{}")
            for option in ["--config", "--relay-password-file", "--events-redis"] {
                let ending = try await runProgram("serve", folder, [option, file])
                #expect(
                    ending.exitCode == 2 && ending.errors.contains("\(file) begins with a byte order mark"),
                    "\(ending)"
                )
            }
        }
    }

    @Test
    func `The command 'check' fails for a data folder that 'serve' cannot create`() async throws {
        try await Folder.withNewFolder { folder in
            let file = try folder.writeFile("file", "x")
            for path in [file, file + "/data", folder.path + "/dangling"] {
                if path.hasSuffix("dangling") {
                    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/nonexistent/x")
                }
                let checked = try await Program.run([
                    "check", "--data", path, "--port", "0", "--relay-port", "0", "--offline",
                ])
                #expect(checked.exitCode == 1 && checked.output.contains("is not a folder"), "\(checked)")
                #expect(
                    try await Program.run(["serve", "--data", path, "--port", "0", "--relay-port", "0"]).exitCode == 1
                )
            }
        }
    }
}
