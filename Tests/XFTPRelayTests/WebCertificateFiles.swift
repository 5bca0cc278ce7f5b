import Foundation
import SimpleXCrypto
import TestSupport
import Testing
import Transport
import XFTPRelay

/// Files of a self-signed certificate for browsers. The certificate file is also the file of the authority that a
/// browser trusts.
struct WebCertificateFiles {
    let certificate: String
    let key: String

    init(in folder: String, _ options: [String] = Self.ecdsaOptions) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        (certificate, key) = (folder + "/web.crt", folder + "/web.key")
        try createFiles(options)
    }

    static let ecdsaOptions = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    static let rsaOptions = ["-newkey", "rsa:2048"]

    /// Creates both files, and replaces earlier files.
    func createFiles(_ options: [String] = Self.ecdsaOptions) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments =
            ["req", "-x509"] + options
            + [
                "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout",
                key, "-out", certificate,
            ]
        process.standardError = FileHandle.nullDevice
        try Spawning.runAlone { try process.run() }
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    func load() throws -> WebCertificate { try WebCertificate(certificate: certificate, key: key) }

    /// The certificate in DER.
    var derBytes: [UInt8] {
        get throws {
            let lines = try String(contentsOfFile: certificate, encoding: .utf8).split(separator: "\n").filter {
                !$0.hasPrefix("-----")
            }
            return try Base64.decode(lines.joined())
        }
    }
}

/// Runs `body` with a relay that has a certificate for browsers.
func withWebRelay(
    _ change: (inout FileRelayConfiguration) -> Void = { _ in },
    key options: [String] = WebCertificateFiles.ecdsaOptions,
    _ body: (TestFileRelay, WebCertificateFiles) async throws -> Void
) async throws {
    let folder = NSTemporaryDirectory() + "web-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let files = try WebCertificateFiles(in: folder, options)
    let loaded = try files.load()
    try await withFileRelay({ configuration in
        configuration.webCertificate = loaded
        // The steps of a test may be far apart on a busy machine.
        configuration.handshakeTimeoutSeconds = 600
        change(&configuration)
    }) { relay in try await body(relay, files) }
}
