import JSON
import SMP
import SimpleXCrypto
import Testing
import TestSupport
import XFTP

/// Tests with the vectors in xftp.json: encoding and parsing of commands, answers and errors.
struct CommandVectorTests {
    let vectors: Vector

    init() throws { vectors = try Vector.readFile("xftp") }

    static func encodeResponse(_ response: FileResponse, _ version: UInt16) throws -> [UInt8] {
        var writer = ByteWriter()
        response.encode(to: &writer, version: XFTPVersion(version))
        return try writer.finish()
    }

    private func readKeys(_ params: Vector, _ name: String) throws -> [AuthorizationKey] {
        try (params.value[name]?.arrayValue ?? []).map {
            try AuthorizationKey(spki: #require([UInt8](hex: $0.stringValue ?? "")))
        }
    }

    private func readCommand(_ vector: Vector) throws -> XFTPCommand {
        let params = try vector.object("params")
        switch try vector.text("name") {
        case "FNEW":
            let file = ChunkInfo(
                senderKey: try AuthorizationKey(spki: params.bytes("sndKey")),
                size: UInt32(try params.int("size")),
                digest: try params.bytes("digest")
            )
            return .fnew(file, recipients: try readKeys(params, "rcvKeys"), password: params.optionalText("basicAuth"))
        case "FADD": return .fadd(recipients: try readKeys(params, "rcvKeys"))
        case "FPUT": return .fput
        case "FDEL": return .fdel
        case "FGET": return .fget(try X25519.PublicKey(spki: params.bytes("dhKey")))
        case "FACK": return .fack
        default: return .ping
        }
    }

    private func readResponse(_ vector: Vector) throws -> FileResponse {
        let params = try vector.object("params")
        func ids() throws -> [[UInt8]] {
            try (params.value["rcvIds"]?.arrayValue ?? []).map { try #require([UInt8](hex: $0.stringValue ?? "")) }
        }
        switch try vector.text("name") {
        case "SIDS": return .sids(senderID: try params.bytes("sndId"), recipientIDs: try ids())
        case "RIDS": return .rids(recipientIDs: try ids())
        case "FILE":
            return .file(
                try X25519.PublicKey(spki: params.bytes("dhKey")),
                nonce: try BoxNonce(rawRepresentation: params.bytes("nonce"))
            )
        case "ERR": return .err(try XFTPServerError(smpEncoded: Array(params.text("errorStr").utf8)))
        case "PONG": return .pong
        default: return .ok
        }
    }

    @Test
    func `XFTP commands are encoded to the bytes of simplexmq and parsed from these bytes`() throws {
        let list = try vectors.list("commands")
        #expect(list.count == 8)
        for vector in list {
            let (command, bytes) = (try readCommand(vector), try vector.bytes("hex"))
            var writer = ByteWriter()
            command.encode(to: &writer)
            #expect(try writer.finish().hex == bytes.hex)
            #expect(try XFTPCommand(parsing: bytes[...]) == command)
        }
    }

    @Test
    func `XFTP answers are encoded to the bytes of simplexmq at every version`() throws {
        let list = try vectors.list("responses")
        #expect(list.count == 26)
        for vector in list {
            let response = try readResponse(vector)
            for encoding in try vector.list("encodings") {
                let bytes = try encoding.bytes("hex")
                for version in encoding.value["versions"]?.arrayValue ?? [] {
                    let version = UInt16(try #require(version.integerValue))
                    #expect(try Self.encodeResponse(response, version).hex == bytes.hex)
                    guard case .err(let error) = response else {
                        #expect(try FileResponse(parsing: bytes[...]) == response)
                        continue
                    }
                    #expect(try FileResponse(parsing: bytes[...]) == .err(error.downgraded(to: XFTPVersion(version))))
                }
            }
        }
    }

    @Test
    func `XFTP errors have the text of simplexmq`() throws {
        var words: Set<String> = []
        for vector in try vectors.list("responses") where try vector.text("name") == "ERR" {
            let params = try vector.object("params")
            let error = try XFTPServerError(smpEncoded: Array(params.text("errorStr").utf8))
            #expect(try error.text == params.text("errorStr"))
            words.insert(try params.object("error").text("type"))
        }
        #expect(words.count == 15)
    }

    @Test
    func `Unknown and malformed XFTP commands and answers cause the errors of simplexmq`() {
        for (text, error) in [
            ("FXXX", .unknown), ("", .unknown), ("FPUT x", .syntax), ("FNEW", .syntax), ("FADD \u{0}", .syntax),
            ("FGET ", .syntax),
        ] as [(String, SMPCommandError)] {
            #expect(throws: XFTPServerError.cmd(error)) { try XFTPCommand(parsing: Array(text.utf8)[...]) }
        }
        for (text, error) in [
            ("YES", .unknown), ("OK ", .syntax), ("SIDS ", .syntax), ("ERR PROXY BASIC_AUTH", .syntax),
        ] as [(String, SMPCommandError)] {
            #expect(throws: XFTPServerError.cmd(error)) { try FileResponse(parsing: Array(text.utf8)[...]) }
        }
    }

    @Test
    func `XFTP commands and answers with missing or unneeded credentials are refused`() throws {
        let key = try X25519.PrivateKey().publicKey
        let file = ChunkInfo(senderKey: .ed25519(try Ed25519.PrivateKey().publicKey), size: 1, digest: [])
        let new = XFTPCommand.fnew(file, recipients: [], password: nil)
        #expect(new.findCredentialsError(hasAuthorization: false, hasEntity: false) == .noAuth)
        #expect(new.findCredentialsError(hasAuthorization: true, hasEntity: true) == .hasAuth)
        #expect(new.findCredentialsError(hasAuthorization: true, hasEntity: false) == nil)
        #expect(XFTPCommand.ping.findCredentialsError(hasAuthorization: true, hasEntity: false) == .hasAuth)
        #expect(XFTPCommand.ping.findCredentialsError(hasAuthorization: false, hasEntity: false) == nil)
        for command in [XFTPCommand.fadd(recipients: []), .fput, .fdel, .fget(key), .fack] {
            #expect(command.findCredentialsError(hasAuthorization: true, hasEntity: false) == .noAuth)
            #expect(command.findCredentialsError(hasAuthorization: false, hasEntity: true) == .noAuth)
            #expect(command.findCredentialsError(hasAuthorization: true, hasEntity: true) == nil)
        }
        #expect(FileResponse.ok.findCredentialsError(hasEntity: false) == .noEntity)
        #expect(FileResponse.pong.findCredentialsError(hasEntity: true) == .hasAuth)
        #expect(FileResponse.err(.auth).findCredentialsError(hasEntity: false) == nil)
    }
}
