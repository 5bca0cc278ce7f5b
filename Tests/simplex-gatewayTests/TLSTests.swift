import Foundation
import TestSupport
import Testing

@Suite(.overSockets) struct TLSTests {
    @Test("with a certificate and its key HTTP is served over TLS")
    func served() async throws {
        try await Folder.with { folder in
            let (certificate, key) = (folder.path + "/cert.pem", folder.path + "/key.pem")
            let made = try await Program(
                "/usr/bin/openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
                ]
            ).end()
            #expect(made.code == 0, "\(made)")
            let node = Node(
                folder: folder.path + "/data", ["--relay-port", "0", "--tls-certificate", certificate, "--tls-key", key])
            let running = try await node.running()
            #expect(running.url.hasPrefix("https://"))
            let answer = try await Program(
                "/usr/bin/curl",
                ["-sS", "--cacert", certificate, "-H", "Authorization: Bearer \(running.key)", running.url + "/v1/users"]
            ).end()
            #expect(answer.code == 0 && answer.output.contains("\"type\":\"usersList\""), "\(answer)")
            await node.stop()
        }
    }
}
