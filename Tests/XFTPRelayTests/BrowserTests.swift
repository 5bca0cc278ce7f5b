import Foundation
import NIOHPACK
import SMP
import SimpleXCrypto
import TestSupport
import Testing
import Transport
import XFTP

@testable import XFTPRelay

@Suite("File relay: browsers", .socketTimeLimit)
struct BrowserTests {
    private static let sessionError = Result { try XFTPBlock.pad(Array("SESSION".utf8)) }
    private static let handshakeError = Result { try XFTPBlock.pad(Array("HANDSHAKE".utf8)) }

    @Test(arguments: [WebCertificateFiles.ecdsaOptions, WebCertificateFiles.rsaOptions])
    func `A file relay sends its browser certificate only to TLS clients that send a server name`(
        options: [String]
    ) async throws {
        try await withWebRelay(key: options) { relay, files in
            let browser = try await RawFileClient(browserOf: relay.relay.address, authority: files.certificate)
            #expect(browser.tls.peerCertificates == [try files.derBytes])
            #expect(browser.tls.applicationProtocol == "h2")
            let app = try await RawFileClient(relay.relay.address)
            #expect(app.tls.peerCertificates == relay.relay.context.credentials.certificates)
            #expect(app.tls.applicationProtocol == "xftp/1")
            // Apps cannot use the protocol of browsers, and browsers cannot use the protocol of apps.
            await #expect(throws: (any Error).self) { try await RawFileClient(relay.relay.address, protocolName: "h2") }
            for name in ["xftp/1", "http/1.1"] {
                await #expect(throws: (any Error).self) {
                    try await RawFileClient(
                        browserOf: relay.relay.address,
                        authority: files.certificate,
                        protocolName: name
                    )
                }
            }
            browser.close()
            app.close()
            let session = try await relay.connect()
            try await TestFile.createAndUpload(session).checkDownload(session)
        }
    }

    @Test
    func `A file relay without a browser certificate refuses the TLS handshake of browsers`() async throws {
        try await withFileRelay { relay in
            let files = try WebCertificateFiles(in: relay.configuration.directory + "/web")
            await #expect(throws: TLSError.self) {
                try await RawFileClient(
                    browserOf: relay.relay.address,
                    authority: files.certificate,
                    protocolName: "xftp/1"
                )
            }
            let app = try await RawFileClient(relay.relay.address)
            let hello = try await app.sendWhole([], BrowserPage.helloHeaders)
            #expect(hello.headers.map(\.name) == [":status"])
            var reader = ByteReader(try XFTPBlock.unpad(hello.body))
            #expect(try XFTPServerHello(from: &reader).proof == nil)
            app.close()
        }
    }

    @Test(arguments: [SignatureAlgorithm.ed448, .ed25519])
    func `A web page verifies the identity of the file relay and exchanges files with an app`(
        algorithm: SignatureAlgorithm
    ) async throws {
        try await withWebRelay({ $0.keyAlgorithm = algorithm }) { relay, files in
            let browser = try await RawFileClient(browserOf: relay.relay.address, authority: files.certificate)
            let page = try await BrowserPage.open(browser, relay.relay.address)
            #expect(page.session.sessionID == browser.tls.channelBinding)
            #expect(try await page.sendCommand(.ping).response == .pong)
            let app = try await relay.connect()
            for size in [65536, 4_194_304] {
                let file = try await page.uploadFile(size: size)
                try await page.checkFile(file)
                try await file.checkDownload(app)
                try await page.checkFile(try await TestFile.createAndUpload(app, size: size))
                #expect(try await page.sendCommand(.fdel, entityID: file.senderID, key: file.sender).response == .ok)
                #expect(
                    try await page.sendCommand(.fack, entityID: file.recipientID, key: file.recipient).response
                        == .err(.auth)
                )
            }
            #expect(relay.relay.statistics["sessions"] == 2 && relay.relay.statistics["browser_sessions"] == 1)
            let end = try #require(relay.relay.statistics["web_certificate_end_seconds"])
            #expect(abs(Double(end) - Date.now.timeIntervalSince1970 - 2 * 86400) < 3600)
            browser.close()
        }
    }

    @Test
    func `A file relay answers a CORS preflight only for browsers`() async throws {
        try await withWebRelay { relay, files in
            let question: HPACKHeaders = [
                "origin": "https://example.org", "access-control-request-method": "POST",
                "access-control-request-headers": "xftp-web-hello",
            ]
            let browser = try await RawFileClient(browserOf: relay.relay.address, authority: files.certificate)
            let answer = try await browser.sendWhole([], question, method: "OPTIONS")
            let told = Dictionary(answer.headers.map { ($0.name, $0.value) }) { $1 }
            #expect(
                told == [
                    ":status": "200", "access-control-allow-origin": "*",
                    "access-control-allow-methods": "POST, OPTIONS",
                    "access-control-allow-headers": "*", "access-control-max-age": "86400",
                ]
            )
            #expect(answer.body.isEmpty)
            // The relay serves no web page, so GET is refused with 405.
            #expect(try await browser.sendWhole(method: "GET").headers.first(name: ":status") == "405")
            let page = try await BrowserPage.open(browser, relay.relay.address)
            #expect(try await browser.sendWhole([], question, method: "OPTIONS").headers == answer.headers)
            #expect(try await page.sendCommand(.ping).response == .pong)
            let app = try await RawFileClient(relay.relay.address)
            let refused = try await app.sendWhole([], question, method: "OPTIONS")
            #expect(refused.headers.map(\.name) == [":status"] && refused.headers.first(name: ":status") == "405")
            browser.close()
            app.close()
        }
    }

    @Test
    func `A web page can send commands to a file relay only after a valid hello and a valid handshake`() async throws {
        try await withWebRelay { relay, files in
            let (noSession, refused) = (try Self.sessionError.get(), try Self.handshakeError.get())
            let browser = try await RawFileClient(browserOf: relay.relay.address, authority: files.certificate)
            let answer = try BrowserPage.makeClientHello(relay.relay.address)
            // Before the hello of a page, commands, the handshake and an app's hello are refused.
            for (body, headers) in [
                ([], HPACKHeaders()), (answer, HPACKHeaders()), (answer, BrowserPage.handshakeHeaders),
                (noSession, HPACKHeaders()),
            ] {
                #expect(try await browser.post(body, headers) == noSession)
            }
            func hello(_ content: [UInt8]) async throws -> [UInt8] {
                try await browser.post(try XFTPBlock.pad(content), BrowserPage.helloHeaders)
            }
            for count in [0, 1, 31, 33, 255] {
                #expect(try await hello(Array("1".utf8) + [UInt8(count)] + RandomBytes.make(count: count)) == refused)
            }
            for content in [[], Array("2".utf8), Array("1".utf8), Array("1".utf8) + [32] + RandomBytes.make(count: 31)]
            { #expect(try await hello(content) == refused) }
            for body in [[1], [0xFF, 0xFF, 1], [UInt8](repeating: 0xFF, count: 16384)] {
                #expect(try await browser.post(body, BrowserPage.helloHeaders) == refused)
            }
            #expect(try await browser.post(answer) == noSession)
            #expect(try await BrowserPage.sendHello(browser, nil).proof == [])
            var other = relay.relay.address
            other.keyHash[0] ^= 1
            for wrong in [
                [], Array(answer.dropLast()), try BrowserPage.makeClientHello(other),
                try BrowserPage.makeClientHello(relay.relay.address, version: 4),
            ] {
                #expect(try await browser.post(wrong, BrowserPage.handshakeHeaders) == refused)
                #expect(try await browser.post(wrong) == refused)
            }
            #expect(try await browser.post(answer).isEmpty)
            // The session is open now, so the handshake is not a valid command.
            let session = XFTPSessionParameters(version: XFTPVersion(3), sessionID: browser.tls.channelBinding)
            #expect(try session.parseResponse(in: try await browser.post(answer)) == .err(.block))
            #expect(try session.parseResponse(in: try await browser.post(try session.encodeBlock(.ping))) == .pong)
            // The block may have any bytes after the challenge.
            let more = try await browser.post(
                try XFTPBlock.pad(Array("1".utf8) + [32] + RandomBytes.make(count: 40)),
                BrowserPage.helloHeaders
            )
            #expect(more.count == XFTPBlock.size && more != refused)
            browser.close()
        }
    }

    @Test
    func `An app that sends the HTTP headers of web pages is answered as an app by the file relay`() async throws {
        try await withWebRelay { relay, _ in
            let app = try await RawFileClient(relay.relay.address)
            let challenge = try XFTPBlock.pad(XFTPWebHello(challenge: RandomBytes.make(count: 32)).smpEncoded())
            #expect(try await app.post(challenge, BrowserPage.helloHeaders) == Self.handshakeError.get())
            let session = try await app.openSession(relay.relay.address)
            for headers in [BrowserPage.helloHeaders, BrowserPage.handshakeHeaders] {
                let answer = try await app.sendWhole(try session.encodeBlock(.ping), headers)
                #expect(try session.parseResponse(in: answer.body) == .pong)
                #expect(answer.headers.map(\.name) == [":status"])
            }
            app.close()
        }
    }

    @Test(arguments: [false, true])
    func `A web page's handshake with a file relay does not affect a second page on the same connection`(
        namesHandshake: Bool
    ) async throws {
        try await withWebRelay { relay, files in
            let browser = try await RawFileClient(browserOf: relay.relay.address, authority: files.certificate)
            let first = try await BrowserPage.open(browser, relay.relay.address)
            let file = try await first.uploadFile(size: 262_144)
            // The first page is uploading while another page opens.
            let made = try await TestFile.createFile(try await relay.connect(), size: 1_048_576)
            let upload = try await browser.startRequest()
            try await upload.sendBytes(
                try first.session.encodeBlock(.fput, entityID: made.senderID, key: made.sender)
                    + made.contents.prefix(500_000)
            )
            let challenge = RandomBytes.make(count: 32)
            let hello = try await BrowserPage.sendHello(browser, challenge)
            try BrowserPage.checkHello(hello, challenge, relay.relay.address)
            #expect(hello.sessionID == first.session.sessionID)
            try await first.checkFile(file)
            #expect(
                try await browser.post(
                    BrowserPage.makeClientHello(relay.relay.address, version: 1),
                    namesHandshake ? BrowserPage.handshakeHeaders : HPACKHeaders()
                ).isEmpty
            )
            try await first.checkFile(file)
            try await upload.sendBytes(Array(made.contents.dropFirst(500_000)), isLast: true)
            #expect(
                try first.session.parseResponse(in: Array(try await upload.waitForBody().prefix(XFTPBlock.size))) == .ok
            )
            try await first.checkFile(made)
            // A repeated handshake is accepted, and a malformed handshake is refused without an end of the session.
            #expect(
                try await browser.post(BrowserPage.makeClientHello(relay.relay.address), BrowserPage.handshakeHeaders)
                    .isEmpty
            )
            #expect(try await browser.post([1, 2, 3], BrowserPage.handshakeHeaders) == Self.handshakeError.get())
            #expect(try await first.sendCommand(.ping).response == .pong)
            #expect(relay.relay.statistics["browser_sessions"] == 1)
            browser.close()
        }
    }

    @Test
    func `A file relay closes a browser connection with more hellos than permitted`() async throws {
        try await withWebRelay({ $0.maxWebHellos = 3 }) { relay, files in
            let browser = try await RawFileClient(browserOf: relay.relay.address, authority: files.certificate)
            for _ in 0..<3 { _ = try await BrowserPage.open(browser, relay.relay.address) }
            await #expect(throws: (any Error).self) { _ = try await BrowserPage.sendHello(browser, nil) }
            try await browser.waitUntilClosed()
            let again = try await RawFileClient(browserOf: relay.relay.address, authority: files.certificate)
            _ = try await BrowserPage.open(again, relay.relay.address).uploadFile(size: 65536)
            again.close()
        }
    }

    @Test
    func `A browser that sends only a CORS preflight is disconnected after the handshake timeout`() async throws {
        try await withWebRelay({ $0.handshakeTimeoutSeconds = 1 }) { relay, files in
            let browser = try await RawFileClient(browserOf: relay.relay.address, authority: files.certificate)
            _ = try? await browser.sendWhole(method: "OPTIONS")
            try await browser.waitUntilClosed()
            // The client may see the end of the connection before the relay counts the failed handshake.
            try await waitUntil("counted") { relay.relay.statistics["handshakes_failed"] == 1 }
        }
    }

    @Test
    func `A file relay serves other clients during a flood of CORS preflights`() async throws {
        try await withWebRelay { relay, files in
            let browser = try await RawFileClient(browserOf: relay.relay.address, authority: files.certificate)
            let other = try await RawFileClient(browserOf: relay.relay.address, authority: files.certificate)
            let page = try await BrowserPage.open(other, relay.relay.address)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        for _ in 0..<100 {
                            let status = try await browser.sendWhole(method: "OPTIONS").headers.first(name: ":status")
                            #expect(status == "200")
                        }
                    }
                }
                group.addTask { for _ in 0..<5 { try await page.checkFile(try await page.uploadFile(size: 65536)) } }
                try await group.waitForAll()
            }
            try await waitUntil("no request is open") { relay.relay.statistics["requests_open"] == 0 }
            browser.close()
            other.close()
        }
    }

    @Test
    func `A client that sends CORS preflights and reads no answers is disconnected`() async throws {
        try await withWebRelay { relay, files in
            let flood = try await UnreadFlood(relay.relay.address, authority: files.certificate)
            #expect(try await flood.isCutOff(by: 300_000))
            try await waitUntil("the session is ended") { relay.relay.statistics["sessions_open"] == 0 }
            let other = try await RawFileClient(browserOf: relay.relay.address, authority: files.certificate)
            _ = try await BrowserPage.open(other, relay.relay.address).uploadFile(size: 65536)
            other.close()
        }
    }

    @Test
    func `New browser connections to a file relay use the latest valid certificate from its files`() async throws {
        try await withWebRelay { relay, files in
            let certificate = try #require(relay.configuration.webCertificate)
            let browser = try await RawFileClient(browserOf: relay.relay.address, authority: files.certificate)
            let page = try await BrowserPage.open(browser, relay.relay.address)
            let first = try files.derBytes
            try files.createFiles(WebCertificateFiles.rsaOptions)
            try certificate.reloadFiles()
            let (second, file) = (try files.derBytes, files.certificate + ".2")
            #expect(first != second)
            try FileManager.default.copyItem(atPath: files.certificate, toPath: file)
            func expectSecond() async throws {
                let other = try await RawFileClient(browserOf: relay.relay.address, authority: file)
                #expect(other.tls.peerCertificates == [second])
                _ = try await BrowserPage.open(other, relay.relay.address)
                other.close()
            }
            try await expectSecond()
            try Data("nonsense".utf8).write(to: URL(fileURLWithPath: files.certificate))
            #expect(throws: TLSError.self) { try certificate.reloadFiles() }
            try files.createFiles()
            try FileManager.default.removeItem(atPath: files.key)
            #expect(throws: TLSError.self) { try certificate.reloadFiles() }
            try await expectSecond()
            #expect(try await page.sendCommand(.ping).response == .pong)
            browser.close()
        }
    }

    @Test(arguments: [["-newkey", "ed25519"], ["-newkey", "ed448"]])
    func `Certificate files that browsers cannot use are refused by the file relay`(options: [String]) throws {
        try withFolder { folder in
            let (files, other) = (
                try WebCertificateFiles(in: folder + "/a", options), try WebCertificateFiles(in: folder + "/b")
            )
            #expect(throws: TLSError.self) { try files.load() }
            #expect(throws: TLSError.self) { try WebCertificate(certificate: files.certificate, key: other.key) }
            #expect(throws: TLSError.self) {
                try WebCertificate(certificate: other.certificate, key: other.certificate)
            }
            #expect(throws: TLSError.self) { try WebCertificate(certificate: folder + "/none", key: other.key) }
            #expect(try other.load().expiresAtSeconds > 0)
        }
    }
}
