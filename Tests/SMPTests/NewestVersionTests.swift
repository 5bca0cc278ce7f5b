import SMP
import Testing
import TestSupport

/// Versions 19 and 20. They have no vectors, so the bytes follow the protocol document (simplexmq
/// `protocol/simplex-messaging.md`).
@Suite struct NewestVersionTests {
    /// XOR of the MD5 hashes of `a` (0cc175b9c0f1b6a831c399e269772661) and `b` (92eb5ffee6ae2fec3ad71c777531578f).
    private static let combinedHash = "9e2a2a47265f99440b1485951c4671ee"

    @Test
    func `The summary of a service's queues contains their number and the XOR of their hashes`() throws {
        let queues = ServiceQueues([[0x61], [0x62]])
        #expect(queues.count == 2 && queues.hash.bytes.hex == Self.combinedHash)
        #expect(ServiceQueues([[0x62], [0x61]]) == queues)
        var less = queues.hash
        less.toggleID([0x62])
        #expect(less == ServiceQueues([[0x61]]).hash)
        #expect(ServiceQueues([]).hash.bytes == [UInt8](repeating: 0, count: 16))
    }

    @Test
    func `From version 19, commands and answers of SMP services contain the number and the hash of the queues`() throws
    {
        let queues = ServiceQueues([[0x61], [0x62]])
        let count = "0000000000000002"
        for (command, word) in [(ClientCommand.subs(queues), "53554253"), (.nsubs(queues), "4e53554253")] {
            #expect(try encodeCommand(command, 18).hex == word)
            #expect(try encodeCommand(command, 19).hex == word + "20" + count + "10" + Self.combinedHash)
            #expect(try ClientCommand(parsing: encodeCommand(command, 19), version: SMPVersion(19)) == command)
        }
        #expect(try ClientCommand(parsing: Array("SUBS".utf8), version: SMPVersion(18)) == .subs(.unknown))
        for broken in ["SUBS", "SUBS ", "NSUBS 1234567"] {
            #expect(throws: SMPErrorType.cmd(.syntax)) {
                try ClientCommand(parsing: Array(broken.utf8), version: SMPVersion(19))
            }
        }
        for (message, word) in [(BrokerMessage.soks(queues), "534f4b53"), (.ends(queues), "454e4453")] {
            #expect(encodeMessage(message, 18).hex == word + "20" + count)
            #expect(encodeMessage(message, 19).hex == word + "20" + count + "10" + Self.combinedHash)
            #expect(try BrokerMessage(parsing: encodeMessage(message, 20), version: SMPVersion(20)) == message)
        }
        #expect(try BrokerMessage(parsing: Array("ALLS".utf8), version: SMPVersion(19)) == .alls)
        #expect(encodeMessage(BrokerMessage.alls, 19).hex == "414c4c53")
    }

    @Test
    func `RSLV contains the canonical form of a SimpleX name, and malformed names are refused`() throws {
        let command = ClientCommand.rslv(try NameDomain(parsing: "Privacy.simplex".utf8))
        #expect(try encodeCommand(command, 20) == Array("RSLV privacy.simplex".utf8))
        #expect(
            try ClientCommand(parsing: Array("RSLV a.b-c.testing".utf8), version: SMPVersion(20))
                == .rslv(try NameDomain(parsing: "a.b-c.testing".utf8))
        )
        for more in [" ", " more", "\nmore"] {
            #expect(
                try ClientCommand(parsing: Array("RSLV a.b\(more)".utf8), version: SMPVersion(20))
                    == .rslv(try NameDomain(parsing: "a.b".utf8))
            )
        }
        #expect(throws: SMPErrorType.cmd(.unknown)) {
            try ClientCommand(parsing: Array("RSLV a.b".utf8), version: SMPVersion(19))
        }
        let label = String(repeating: "a", count: 64)
        let domain = Array(repeating: String(repeating: "a", count: 63), count: 4).joined(separator: ".")
        for bad in [
            "", "alice", ".simplex", "a..b", "a b.c", "-a.b", "a-.b", "a--b.c", "é.simplex", "\(label).b", domain,
        ] {
            #expect(throws: SMPErrorType.cmd(.syntax)) {
                try ClientCommand(parsing: Array("RSLV \(bad)".utf8), version: SMPVersion(20))
            }
        }
        let record = BrokerMessage.rname(Array(#"{"name":"privacy.simplex"}"#.utf8))
        #expect(encodeMessage(record, 20) == Array(#"RNAME {"name":"privacy.simplex"}"#.utf8))
        #expect(try BrokerMessage(parsing: encodeMessage(record, 20), version: SMPVersion(20)) == record)
        for (error, text) in [
            (SMPNameError.noResolver, "NAME NO_RESOLVER"), (.notFound, "NAME NOT_FOUND"),
            (.resolver("502 bad gateway"), "NAME RESOLVER 502 bad gateway"),
        ] {
            #expect(encodeMessage(BrokerMessage.err(.name(error)), 20) == Array("ERR \(text)".utf8))
            #expect(SMPErrorType.name(error).text == text)
            #expect(try SMPErrorType(parsing: text) == .name(error))
        }
    }

    private func encodeCommand(_ command: ClientCommand, _ version: UInt16) throws -> [UInt8] {
        var writer = ByteWriter()
        command.encode(to: &writer, version: SMPVersion(version))
        return try writer.finish()
    }

    private func encodeMessage(_ message: BrokerMessage, _ version: UInt16) -> [UInt8] {
        var writer = ByteWriter()
        message.encode(to: &writer, version: SMPVersion(version))
        return writer.bytes
    }
}
