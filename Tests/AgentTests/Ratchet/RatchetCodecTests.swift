import SMP
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent

/// The encodings around the ratchet: headers, parameters, chains, the stored form.
@Suite struct RatchetCodecTests {
    @Test
    func `Headers of ratchet messages are encoded as in the original, and have the same length after encryption`()
        throws
    {
        for vector in try Vector.readFile("ratchet").list("headers") {
            let version = E2EVersion(UInt16(try vector.int("version")))
            let header = MessageHeader(
                maxVersion: E2EVersion(UInt16(try vector.int("msgMaxVersion"))),
                dh: try X448.PublicKey(rawRepresentation: vector.bytes("dh")),
                pn: UInt32(try vector.int("pn")),
                ns: UInt32(try vector.int("ns"))
            )
            let encoded = try header.encoded(version: version)
            #expect(encoded.hex == (try vector.text("hex")))
            #expect(try MessageHeader(decoding: encoded, version: version) == header)
            #expect(try MessageHeader(decoding: encoded + [1, 2, 3], version: version) == header)
            #expect(throws: SMPEncodingError.self) { try MessageHeader(decoding: encoded.dropLast(), version: version) }
            // The original counts the version, one length byte, the padded header, the tag and the IV.
            for (name, pq) in [("fullHeaderLength", false), ("fullHeaderLengthPQ", true)] {
                #expect(try MessageHeader.paddedSize(version: version, pqSupported: pq) + 35 == vector.int(name))
            }
        }
    }

    @Test
    func `Steps of a ratchet chain derive the keys and IVs of the original`() throws {
        for vector in try Vector.readFile("crypto").list("ratchetChainKdf") {
            let step = try RatchetKDF.deriveMessageKeys(SecretBytes(vector.bytes("chainKey")))
            #expect(try step.chainKey.bytes.hex == vector.text("nextChainKey"))
            #expect(try step.message.key.rawRepresentation.hex == vector.text("messageKey"))
            #expect(try step.message.iv.hex == vector.text("messageIV"))
            #expect(try step.headerIV.hex == vector.text("headerIV"))
        }
    }

    @Test
    func `The hash of ratchet keys equals the hash of the original`() throws {
        for vector in try Vector.readFile("crypto").list("ratchetKeyHash") {
            let params = E2ERatchetParams(
                version: .current,
                key1: try X448.PublicKey(rawRepresentation: vector.bytes("key1")),
                key2: try X448.PublicKey(rawRepresentation: vector.bytes("key2"))
            )
            #expect(try params.keysHash.hex == vector.text("hash"))
        }
    }

    @Test
    func `Ratchet parameters of links, with and without KEM, have the text and the binary form of the original`() throws
    {
        for vector in try Vector.readFile("connection-links").list("e2eParamsUri") {
            let (text, binary) = (try vector.text("uri"), try vector.bytes("smp"))
            let params = try E2ERatchetParamsURI(smpEncoded: binary)
            #expect(try params.smpEncoded() == binary)
            #expect(params.str == text)
            #expect(try params.key1.rawRepresentation.hex == vector.object("params").text("key1"))
            #expect(try E2ERatchetParamsURI(parsing: text) == params)
            #expect(
                try E2ERatchetParamsURI(parsing: "x=1&" + text.replacing("=&", with: "%3D&") + "&later=2") == params
            )
        }
    }

    @Test(arguments: [
        "", "v=2", "v=2-3&x3dh=", "v=2-3&x3dh=AA==", "v=2-3&x3dh=AA==,AA==", "v=3-2&x3dh=a,b", "v=%zz", "x3dh=,",
    ])
    func `Ratchet parameters with a missing or wrong field are refused`(text: String) {
        #expect(throws: SMPEncodingError.self) { try E2ERatchetParamsURI(parsing: text) }
    }

    @Test
    func `KEM parameters of a ratchet are unchanged after encoding and decoding`() throws {
        for params in [
            RatchetKEMParams.proposed(publicKey: Array(repeating: 1, count: 1158)),
            .accepted(ciphertext: Array(repeating: 2, count: 1039), publicKey: Array(repeating: 3, count: 1158)),
        ] {
            #expect(try RatchetKEMParams(smpEncoded: params.smpEncoded()) == params)
        }
        #expect(throws: SMPEncodingError.invalidTag) { try RatchetKEMParams(smpEncoded: [0x58, 0, 0]) }
    }

    @Test
    func `A stored ratchet is read back in every state, and a malformed stored ratchet is refused`() throws {
        var (inviter, joiner) = try makeRatchetPair()
        let message = try joiner.encrypt([1], paddedLength: 100)
        let states =
            try [inviter, joiner]
            + {
                _ = try inviter.decrypt(message); return [inviter]
            }()
        for state in states {
            #expect(try Ratchet(stored: state.storedForm) == state)
            #expect(throws: RatchetError.unreadableStoredForm) {
                try Ratchet(stored: Array(state.storedForm.dropLast()))
            }
            #expect(throws: RatchetError.unreadableStoredForm) { try Ratchet(stored: state.storedForm + [0]) }
            #expect(throws: RatchetError.unreadableStoredForm) {
                try Ratchet(stored: [9] + state.storedForm.dropFirst())
            }
        }
        let keys = try E2EPrivateKeys()
        #expect(try E2EPrivateKeys(stored: keys.storedForm) == keys)
        #expect(throws: RatchetError.unreadableStoredForm) { try E2EPrivateKeys(stored: []) }
        #expect(throws: RatchetError.unreadableStoredForm) { try E2EPrivateKeys(stored: keys.storedForm + [0]) }
    }

    @Test
    func `Stored ratchet keys and ratchets with a KEM are read back unchanged`() throws {
        #expect(try E2EPrivateKeys().storedForm.count == 224)
        let keys = try E2EPrivateKeys(kem: .propose)
        #expect(try E2EPrivateKeys(stored: keys.storedForm) == keys)
        let offer = keys.makeParameters(version: .current)
        let joiner = try E2EPrivateKeys(kem: .init(answering: offer, pqSupported: true))
        #expect(try E2EPrivateKeys(stored: joiner.storedForm) == joiner)
        let state = try Ratchet(joining: offer, keys: joiner)
        #expect(state.kem?.acceptedKEM != nil)
        #expect(try Ratchet(stored: state.storedForm) == state)
        #expect(throws: RatchetError.unreadableStoredForm) { try Ratchet(stored: Array(state.storedForm.dropLast())) }
        #expect(try E2EPrivateKeys.KEMUse(answering: offer, pqSupported: false) == .none)
        #expect(
            try E2EPrivateKeys.KEMUse(answering: keys.makeParameters(version: .x3dhKDF), pqSupported: true) == .none
        )
    }

    @Test
    func `A stored ratchet from a program version without KEM support is read`() throws {
        // The tag after the flags means that the ratchet has no KEM.
        let (_, joiner) = try makeRatchetPair()
        let stored = joiner.storedForm
        let tag = 1 + 4 + 113 + 112 + 4
        #expect(Array(stored[(tag - 4)...tag]) == Array("FFFF0".utf8))
        #expect(try Ratchet(stored: stored).kem == nil)
    }
}

@Suite struct SkippedMessageKeysTests {
    private func makeKey(_ byte: UInt8) throws -> SymmetricKey {
        try SymmetricKey(rawRepresentation: Array(repeating: byte, count: 32))
    }

    @Test
    func `The stored key of a skipped message is read back, and a key of another size is refused`() throws {
        let message = MessageKey(key: try makeKey(9), iv: Array(repeating: 3, count: 16))
        #expect(try MessageKey(stored: message.storedForm) == message)
        #expect(throws: RatchetError.unreadableStoredForm) { try MessageKey(stored: message.storedForm.dropLast()) }
    }

    @Test
    func `Keys of skipped messages are removed one by one, and a chain is removed with its last key`() throws {
        let message = MessageKey(key: try makeKey(9), iv: Array(repeating: 0, count: 16))
        var added = SkippedMessageKeys()
        added.insert(headerKey: try makeKey(1), number: 4, key: message)
        added.insert(headerKey: try makeKey(1), number: 5, key: message)
        var keys = SkippedMessageKeys()
        keys.apply(.add(added))
        keys.apply(.none)
        #expect(keys == added)
        keys.apply(.remove(headerKey: try makeKey(2), number: 4))
        keys.apply(.remove(headerKey: try makeKey(1), number: 4))
        #expect(keys.chains.map { Array($0.keys.keys) } == [[5]])
        keys.apply(.remove(headerKey: try makeKey(1), number: 5))
        #expect(keys.isEmpty)
    }
}

/// Makes the new ratchets of an inviter and a joiner.
func makeRatchetPair(version: E2EVersion = .current) throws -> (inviter: Ratchet, joiner: Ratchet) {
    let (inviter, joiner) = (try E2EPrivateKeys(), try E2EPrivateKeys())
    return (
        try Ratchet(accepting: joiner.makeParameters(version: version), keys: inviter),
        try Ratchet(joining: inviter.makeParameters(version: version), keys: joiner)
    )
}
