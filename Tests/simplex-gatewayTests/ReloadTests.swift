import Foundation
import JSON
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct ReloadTests {
    private func makeCertificate(_ name: String, _ certificate: String, _ key: String) async throws {
        let made = try await Program(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=\(name)",
                "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
            ]
        ).waitForEnd()
        #expect(made.exitCode == 0, "\(made)")
    }

    private func readSubject(_ url: String) async throws -> String {
        let port = try #require(url.split(separator: ":").last.map(String.init))
        let ending = try await Program("/usr/bin/openssl", ["s_client", "-connect", "127.0.0.1:\(port)"]).waitForEnd()
        return try #require(
            ending.output.split(separator: "\n").first { $0.hasPrefix("subject=") }.map(String.init),
            "\(ending)"
        )
    }

    @Test
    func `After SIGHUP, new TLS connections get the new certificate, and open connections continue`() async throws {
        try await Folder.withNewFolder { folder in
            let (certificate, key) = (folder.path + "/cert.pem", folder.path + "/key.pem")
            try await makeCertificate("one", certificate, key)
            let first = folder.path + "/first.pem"
            try FileManager.default.copyItem(atPath: certificate, toPath: first)
            let node = Node(
                folder: folder.path + "/data",
                ["--relay-port", "0", "--tls-certificate", certificate, "--tls-key", key]
            )
            let running = try await node.waitUntilRunning()
            func curl(_ options: [String]) throws -> Program {
                try Program("/usr/bin/curl", ["-sSN", "-H", "Authorization: Bearer \(running.key)"] + options)
            }
            let user = #"{"profile":{"displayName":"alice","fullName":""}}"#
            #expect(
                try await curl(["--cacert", first, "-d", user, running.url + "/v1/users"]).waitForEnd().exitCode == 0
            )
            let stream = try curl([
                "--cacert", first, "-i", "-H", "Accept: application/x-ndjson", running.url + "/v1/events?cursor=now",
            ])
            _ = try await stream.waitForLine("HTTP/1.1 200")
            #expect(try await readSubject(running.url).contains("one"))
            try await makeCertificate("two", certificate, key)
            running.program.signal(SIGHUP)
            try await running.program.waitForError(with: "the TLS certificate was read again")
            #expect(try await readSubject(running.url).contains("two"))
            let invitation = try await curl([
                "--cacert", certificate, "-X", "POST", running.url + "/v1/users/1/connections/invitations",
            ]).waitForEnd()
            let link = try #require(
                try JSONValue(parsing: Array(invitation.output.utf8))["connLinkInvitation"]?["connFullLink"],
                "\(invitation)"
            )
            // The other profile accepts the link, and the open stream reports the event.
            let other = user.replacing("alice", with: "bob"),
                body = JSONValue.object(JSONObject([("connLink", link)])).text
            #expect(
                try await curl(["--cacert", certificate, "-d", other, running.url + "/v1/users"]).waitForEnd().exitCode
                    == 0
            )
            #expect(
                try await curl(["--cacert", certificate, "-d", body, running.url + "/v1/users/2/connections"])
                    .waitForEnd()
                    .exitCode == 0
            )
            _ = try await stream.waitForLine("{\"id\":")
            // The gateway refuses these files: the key of another certificate, and then a file without a certificate.
            try await makeCertificate("three", folder.path + "/other.pem", key)
            running.program.signal(SIGHUP)
            try await running.program.waitForError(with: "cannot be read again")
            try "nonsense".write(toFile: certificate, atomically: true, encoding: .utf8)
            running.program.signal(SIGHUP)
            #expect(try await readSubject(running.url).contains("two"))
            stream.signal(SIGTERM)
            _ = await stream.waitForEnd()
            running.program.signal(SIGTERM)
            let ending = await running.program.waitForEnd()
            #expect(
                ending.exitCode == 0 && ending.errors.components(separatedBy: "cannot be read again").count >= 3,
                "\(ending)"
            )
        }
    }

    @Test
    func `SIGHUP during the start does not end the gateway, and a changed configuration is read after the start`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            let file = try folder.writeFile("file.json", #"{"log-level": "notice"}"#)
            let data = folder.path + "/data"
            let program = try Program(["serve", "--data", data, "--port", "0", "--relay-port", "0", "--config", file])
            try await waitUntil("the gateway starts") { FileManager.default.fileExists(atPath: data + "/.lock") }
            _ = try folder.writeFile("file.json", #"{"log-level": "debug"}"#)
            program.signal(SIGHUP)
            _ = try await program.waitForLine("URL:")
            _ = try await program.waitForError(with: "the log level has changed")
            program.signal(SIGTERM)
            #expect(await program.waitForEnd().exitCode == 0)
        }
    }

    @Test
    func `A renewed TLS certificate is read from its file and used without a signal`() async throws {
        try await Folder.withNewFolder { folder in
            let (certificate, key) = (folder.path + "/cert.pem", folder.path + "/key.pem")
            try await makeCertificate("one", certificate, key)
            let node = Node(
                folder: folder.path + "/data",
                ["--relay-port", "0", "--tls-certificate", certificate, "--tls-key", key]
            )
            let running = try await node.waitUntilRunning()
            #expect(try await readSubject(running.url).contains("one"))
            try await makeCertificate("two", certificate, key)
            try await running.program.waitForError(with: "the TLS certificate was read again")
            #expect(try await readSubject(running.url).contains("two"))
            await node.stop()
        }
    }

    @Test
    func `A new log level in the configuration file takes effect at run time, and an invalid file is ignored`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            let file = try folder.writeFile("config.json", #"{"log-level": "notice"}"#)
            let node = Node(folder: folder.path + "/data", ["--relay-port", "0", "--config", file])
            let running = try await node.waitUntilRunning()
            _ = try await node.callForObject("GET", "/v1/users")
            _ = try folder.writeFile("config.json", #"{"log-level": "info"}"#)
            running.program.signal(SIGHUP)
            try await running.program.waitForError(with: "the log level has changed")
            _ = try await node.callForObject("GET", "/v1/whoami")
            try await running.program.waitForError(with: "path=/v1/whoami")
            _ = try folder.writeFile("config.json", #"{"log-level": "loud"}"#)
            running.program.signal(SIGHUP)
            try await running.program.waitForError(with: "critical, not loud")
            _ = try await node.callForObject("GET", "/v1/keys")
            try await running.program.waitForError(with: "path=/v1/keys")
            // The file is incomplete, as for a moment while a program writes it in place.
            _ = try folder.writeFile("config.json", #"{"log-level": "err"#)
            running.program.signal(SIGHUP)
            try await running.program.waitForError(with: "the configuration cannot be read again")
            _ = try await node.callForObject("GET", "/v1/stores")
            try await running.program.waitForError(with: "path=/v1/stores")
            // The gateway notices this change of the file without a signal.
            _ = try folder.writeFile("config.json", #"{"log-level": "error"}"#)
            try await running.program.waitForError(with: "to=error")
            running.program.signal(SIGTERM)
            let ending = await running.program.waitForEnd()
            #expect(!ending.errors.contains("path=/v1/users"), "\(ending)")
        }
    }
}
