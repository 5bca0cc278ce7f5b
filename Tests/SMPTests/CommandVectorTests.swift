import JSON
import SMP
import SimpleXCrypto
import Testing
import TestSupport

/// smp-commands.json and smp-commands-v18.json: every command and answer at every version.
@Suite(.serialized)
struct CommandVectorTests {
    static let files = ["smp-commands", "smp-commands-v18"]

    @Test(arguments: files)
    func `SMP commands are encoded as in the original at every version, and read back`(file: String) throws {
        for vector in try Fixture.readVectors(file).list("commands") {
            let name = try vector.text("name")
            let command = try ClientCommand(name: name, try vector.object("params"))
            #expect(command.tag == name)
            try forEachEncoding(of: vector) { hex, version in
                var writer = ByteWriter()
                command.encode(to: &writer, version: version)
                let bytes = try writer.finish()
                #expect(bytes.hex == hex, "\(name) at \(version)")
                let parsed = try ClientCommand(parsing: bytes, version: version)
                #expect(version < .firstWithNewNotifierCredentials || parsed == command, "\(name) at \(version)")
                var again = ByteWriter()
                parsed.encode(to: &again, version: version)
                #expect(again.bytes.hex == hex, "\(name) at \(version)")
            }
        }
    }

    @Test(arguments: files)
    func `SMP answers are encoded as in the original at every version, and read back`(file: String) throws {
        for vector in try Fixture.readVectors(file).list("brokerMessages") {
            let name = try vector.text("name")
            let params = try vector.object("params")
            let newest = try encodings(of: vector).max { $0.version < $1.version }
            let message = try BrokerMessage(name: name, params, newest: try #require(newest))
            try forEachEncoding(of: vector) { hex, version in
                var writer = ByteWriter()
                message.encode(to: &writer, version: version)
                #expect(writer.bytes.hex == hex, "\(name) at \(version)")
                let parsed = try BrokerMessage(parsing: try decodeHex(hex), version: version)
                var again = ByteWriter()
                parsed.encode(to: &again, version: version)
                #expect(again.bytes.hex == hex, "\(name) at \(version)")
            }
        }
    }

    @Test(arguments: files)
    func `SMP errors have the textual form of the original`(file: String) throws {
        for vector in try Fixture.readVectors(file).list("brokerMessages") where try vector.text("name") == "ERR" {
            let text = try vector.object("params").text("errorStr")
            #expect(try SMPErrorType(parsing: text).text == text)
        }
    }

    @Test
    func `ERR BLOCKED is encoded as in the original for every version`() throws {
        for vector in try Fixture.readVectors("smp-commands-v18").list("blockedByVersion") {
            let error = try SMPErrorType(parsing: try vector.object("params").text("errorStr"))
            try forEachEncoding(of: vector) { hex, version in
                var writer = ByteWriter()
                BrokerMessage.err(error).encode(to: &writer, version: version)
                #expect(writer.bytes.hex == hex, "\(error) at \(version)")
            }
        }
    }

    @Test
    func `Malformed SMP commands cause the errors of the original`() throws {
        for vector in try Fixture.readVectors("smp-commands").list("commandParsing") {
            let version = SMPVersion(UInt16(try vector.number("version")))
            let result: String
            do throws(SMPErrorType) {
                let command = try ClientCommand(parsing: (try? vector.bytes("hex")) ?? [], version: version)
                let error = command.findCredentialsError(hasAuthorization: false, hasEntity: true)
                result = error.map { SMPErrorType.cmd($0).text } ?? "ACCEPTED"
            } catch {
                result = error.text
            }
            let expected = try vector.text("result")
            #expect(expected.hasPrefix(result))
        }
    }

    @Test
    func `SMP commands with missing or forbidden credentials cause the errors of the original`() throws {
        let vectors = try Fixture.readVectors("smp-commands")
        var commands: [String: ClientCommand] = [:]
        for vector in try vectors.list("commands") {
            let name = try vector.text("name")
            commands[name] = try ClientCommand(name: name, try vector.object("params"))
        }
        for vector in try vectors.list("credentialChecks") {
            let name = try vector.text("command")
            let command = try #require(commands[name])
            let error = command.findCredentialsError(
                hasAuthorization: try vector.flag("hasAuthorization"),
                hasEntity: try vector.flag("hasEntity")
            )
            let expected = try vector.text("result")
            #expect((error.map { SMPErrorType.cmd($0).text } ?? "OK") == expected, "\(name)")
        }
    }

    @Test
    func `The maximum length of a message body depends on the version as in the original`() throws {
        for vector in try Fixture.readVectors("smp-commands").list("maxMessageLength") {
            let session = SessionParameters(version: SMPVersion(UInt16(try vector.number("version"))), sessionID: [])
            let length = try vector.number("length")
            #expect(Int64(session.maxMessageLength) == length)
        }
    }

    private func encodings(of vector: JSONValue) throws -> [(hex: String, version: SMPVersion)] {
        try vector.list("encodings").flatMap { encoding in
            try encoding.list("versions").map {
                (try encoding.text("hex"), SMPVersion(UInt16(try #require($0.integerValue))))
            }
        }
    }

    private func forEachEncoding(of vector: JSONValue, _ check: (String, SMPVersion) throws -> Void) throws {
        for (hex, version) in try encodings(of: vector) { try check(hex, version) }
    }
}
