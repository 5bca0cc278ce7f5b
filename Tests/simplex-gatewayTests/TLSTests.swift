import Foundation
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct TLSTests {
    /// Makes a TLS handshake as a client that also accepts the other versions and ciphers.
    private func runHandshake(_ port: String, _ options: [String]) async throws -> Program.ProgramEnding {
        let least = options.contains("-cipher") ? [] : ["-cipher", "ALL:@SECLEVEL=0"]
        return try await Program("/usr/bin/openssl", ["s_client", "-connect", "127.0.0.1:\(port)"] + least + options)
            .waitForEnd()
    }

    @Test
    func `HTTP is served over TLS 1.2 and 1.3, and older TLS versions and weak ciphers are refused`() async throws {
        try await Folder.withNewFolder { folder in
            let (certificate, key) = (folder.path + "/cert.pem", folder.path + "/key.pem")
            let made = try await Program(
                "/usr/bin/openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=127.0.0.1",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
                ]
            ).waitForEnd()
            #expect(made.exitCode == 0, "\(made)")
            let node = Node(
                folder: folder.path + "/data",
                ["--relay-port", "0", "--tls-certificate", certificate, "--tls-key", key]
            )
            let running = try await node.waitUntilRunning()
            #expect(running.url.hasPrefix("https://"))
            let answer = try await Program(
                "/usr/bin/curl",
                [
                    "-sS", "--cacert", certificate, "-H", "Authorization: Bearer \(running.key)",
                    running.url + "/v1/users",
                ]
            ).waitForEnd()
            #expect(answer.exitCode == 0 && answer.output.contains("\"type\":\"usersList\""), "\(answer)")
            let port = try #require(running.url.split(separator: ":").last.map(String.init))
            for options in [["-tls1_2"], ["-tls1_3"], ["-tls1_2", "-cipher", "ECDHE-ECDSA-CHACHA20-POLY1305"]] {
                let ending = try await runHandshake(port, options)
                #expect(ending.exitCode == 0 && ending.output.contains("Cipher is "), "\(options): \(ending)")
            }
            for options in [
                ["-tls1"], ["-tls1_1"], ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0"],
                ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA256:@SECLEVEL=0"], ["-tls1_2", "-sigalgs", "ECDSA+SHA1"],
            ] {
                let ending = try await runHandshake(port, options)
                // The server, and not the client, refuses the connection: the server sends an alert, or closes after
                // the client's hello.
                #expect(
                    ending.exitCode != 0 && ["alert", "unexpected eof"].contains { ending.errors.contains($0) },
                    "\(options): \(ending)"
                )
            }
            await node.stop()
        }
    }
}
