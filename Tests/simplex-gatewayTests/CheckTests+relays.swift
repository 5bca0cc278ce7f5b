import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of `check` for the relays in the data folder and in the configuration.
extension CheckTests {
    @Test(arguments: [
        ("relay/ca.crt", true), ("relay/server.crt", true), ("relay/server.key", true), ("relay/queues.log", true),
        ("file-relay/server.key", true), ("file-relay/files.log", true),
        ("relay/ca.key", false), ("file-relay/fingerprint", false),
    ])
    func `The command 'check' reports a damaged file of a relay, even if 'serve' does not need this file`(
        file: String,
        serveNeedsIt: Bool
    ) async throws {
        try await Folder.withNewFolder { folder in
            try await Node.runOnce(in: folder)
            let path = folder.path + "/data/" + file
            try "{".write(toFile: path, atomically: true, encoding: .utf8)
            let damaged = try await runCheck(folder, ["--offline"])
            #expect(
                damaged.exitCode == 1
                    && damaged.output.split(separator: "\n").contains { $0.hasPrefix("wrong: \(path)") },
                "\(damaged)"
            )
            #expect(try await runCheck(folder, ["--offline", "--no-relay", "--servers", "network"]).exitCode == 0)
            guard serveNeedsIt else { return }
            let served = try await runServe(folder)
            #expect(served.exitCode == 1 && served.errors.contains(path), "\(served)")
            guard !file.hasSuffix(".log") else { return }
            unlink(path)
            let absent = try await runCheck(folder, ["--offline"])
            #expect(absent.exitCode == 1 && absent.output.contains("wrong: \(path): No such file"), "\(absent)")
        }
    }

    @Test(arguments: ["gone", "empty", "swapped", "another port"])
    func `The command 'check' reports that the relay of existing queues is missing, replaced or on another port`(
        how: String
    ) async throws {
        try await Folder.withNewFolder { folder in
            let (data, port) = (folder.path + "/data", "\(TestPort.takeUnused())")
            func check(_ port: String) async throws -> Program.ProgramEnding {
                try await Program.run([
                    "check", "--data", data, "--port", "0", "--relay-port", port, "--file-relay-port", "0", "--offline",
                ])
            }
            let node = Node(folder: data, ["--relay-port", port, "--file-relay-port", "0"])
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": "alice", "fullName": ""]]
            )
            _ = try await node.callForObject("POST", "/v1/users/1/connections/invitations", ["incognito": false])
            await node.stop(SIGTERM)
            #expect(try await check(port).exitCode == 0)
            let (relay, fileRelay, away) = (data + "/relay", data + "/file-relay", folder.path + "/away")
            if how != "another port" { try FileManager.default.moveItem(atPath: relay, toPath: away) }
            if how == "empty" {
                try FileManager.default.createDirectory(atPath: relay, withIntermediateDirectories: false)
            }
            if how == "swapped" { try FileManager.default.moveItem(atPath: fileRelay, toPath: relay) }
            if how == "swapped" { try FileManager.default.moveItem(atPath: away, toPath: fileRelay) }
            let found = try await check(how == "another port" ? "\(TestPort.takeUnused())" : port)
            let words =
                how == "another port"
                ? "which now has another port" : "which no longer exists or was replaced by another relay"
            #expect(
                found.exitCode == 1
                    && found.output.contains(
                        "nothing arrives from 1 queue of the store default on the relay at 127.0.0.1:\(port), \(words)"
                    ),
                "\(found)"
            )
            guard how == "gone" else { return }
            let again = Node(folder: data, ["--relay-port", port, "--file-relay-port", "0"])
            #expect(try await again.call("GET", "/readyz").description.contains("1 queue gets no messages"))
            try await again.waitUntilRunning().program.waitForError(
                with: "Another relay has replaced the relay of some queues"
            )
            await again.stop()
        }
    }

    @Test(arguments: ["removed", "emptied", "earlier", "damaged"])
    func `The command 'check' reports queues of stores that are missing in the relay's log`(how: String) async throws {
        try await Folder.withNewFolder { folder in
            let (data, port) = (folder.path + "/data", "\(TestPort.takeUnused())")
            let options = ["--relay-port", port, "--file-relay-port", "0"]
            func check() async throws -> Program.ProgramEnding {
                try await Program.run(["check", "--data", data, "--port", "0", "--offline"] + options)
            }
            try await Node.runOnce(in: folder)
            let (log, earlier) = (data + "/relay/queues.log", folder.path + "/earlier.log")
            try FileManager.default.copyItem(atPath: log, toPath: earlier)
            let node = Node(folder: data, options)
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": "alice", "fullName": ""]]
            )
            for _ in 0..<2 {
                _ = try await node.callForObject("POST", "/v1/users/1/connections/invitations", ["incognito": false])
            }
            await node.stop(SIGTERM)
            #expect(try await check().exitCode == 0)
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
                found.exitCode == 1
                    && found.output.contains(
                        "nothing arrives from 2 queues of the store default on the relay at 127.0.0.1:\(port), which no longer has them"
                    ),
                "\(found)"
            )
        }
    }

    @Test
    func `The command 'check' reports a configured relay that is unreachable or has another fingerprint`() async throws
    {
        try await Folder.withNewFolder { folder in
            let relay = try Program(["relay", "--data", folder.path + "/relay", "--port", "0"])
            let address = try await relay.waitForLine("Relay:")
            let files = try Program(["relay", "--files", "--data", folder.path + "/files", "--port", "0"])
            let fileAddress = try await files.waitForLine("File relay:")
            let good = try await runCheck(folder, ["--smp-server", address, "--xftp-server", fileAddress])
            #expect(good.exitCode == 0 && good.output.components(separatedBy: " answers\n").count == 3, "\(good)")
            let other = address.replacing(/smp:\/\/.{43}/, with: "smp://" + String(repeating: "A", count: 43))
            let forged = try await runCheck(folder, ["--smp-server", other])
            #expect(forged.exitCode == 1 && forged.output.contains("cannot be used"), "\(forged)")
            relay.signal(SIGTERM)
            files.signal(SIGTERM)
            _ = await (relay.waitForEnd(), files.waitForEnd())
            let away = try await runCheck(folder, ["--smp-server", address])
            #expect(away.exitCode == 1 && away.output.contains("cannot be used"), "\(away)")
            #expect(try await runCheck(folder, ["--smp-server", address, "--offline"]).exitCode == 0)
        }
    }
}
