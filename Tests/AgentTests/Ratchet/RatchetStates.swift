import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent

/// The state of a ratchet in the fields of the vectors. Each field is a text, so that states are compared field by
/// field.
extension Conversation.Party {
    var fields: [String: String] {
        [
            "versionCurrent": "\(ratchet.versions.current.number)",
            "versionMaxSupported": "\(ratchet.versions.maxSupported.number)",
            "associatedData": ratchet.associatedData.hex,
            "dhSelf": "\(ratchet.ownDHKey.rawRepresentation.hex) \(ratchet.ownDHKey.publicKey.rawRepresentation.hex)",
            "kem": ratchet.kem?.fieldText ?? "null",
            "supportKEM": "\(ratchet.postQuantum.isSupported)", "enableKEM": "\(ratchet.postQuantum.isEnabled)",
            "sndKEM": "\(ratchet.postQuantum.isSending)", "rcvKEM": "\(ratchet.postQuantum.isReceiving)",
            "rootKey": ratchet.rootKey.bytes.hex,
            "snd": ratchet.sendingChain.map {
                "\($0.peerDH.rawRepresentation.hex) \($0.chainKey.bytes.hex) \($0.headerKey.rawRepresentation.hex)"
            } ?? "null",
            "rcv": ratchet.receivingChain.map { "\($0.chainKey.bytes.hex) \($0.headerKey.rawRepresentation.hex)" }
                ?? "null",
            "ns": "\(ratchet.ns)", "nr": "\(ratchet.nr)", "pn": "\(ratchet.pn)",
            "nextSndHeaderKey": ratchet.nextSndHeaderKey.rawRepresentation.hex,
            "nextRcvHeaderKey": ratchet.nextRcvHeaderKey.rawRepresentation.hex,
            "skipped": skippedKeys.chains.flatMap { chain in
                chain.keys.map {
                    "\(chain.headerKey.rawRepresentation.hex) \($0) \($1.key.rawRepresentation.hex) \($1.iv.hex)"
                }
            }.sorted().joined(separator: ", "),
            "skippedCount": "\(skippedKeys.count)",
        ]
    }
}

extension Vector {
    /// Returns the text in the same form for a field of a vector.
    func fieldText(_ key: String) throws -> String {
        guard has(key) else { return "null" }
        switch key {
        case "kem":
            let kem = try object(key)
            let accepted = kem.has("accepted") ? try kem.object("accepted").acceptedKEMText : "null"
            return try "\(kem.object("self").text("secret")) \(accepted)"
        case "dhSelf": return try "\(object(key).text("private")) \(object(key).text("public"))"
        case "snd":
            return try ["peerDh", "chainKey", "headerKey"].map { try object(key).text($0) }.joined(separator: " ")
        case "rcv": return try ["chainKey", "headerKey"].map { try object(key).text($0) }.joined(separator: " ")
        case "skipped":
            return try list(key).map {
                "\(try $0.text("headerKey")) \(try $0.int("n")) \(try $0.text("key")) \(try $0.text("iv"))"
            }
            .sorted().joined(separator: ", ")
        default: return try optionalText(key) ?? optionalInt(key).map { "\($0)" } ?? "\(bool(key))"
        }
    }
}

extension Vector {
    var acceptedKEMText: String {
        get throws { try ["peerPublic", "sharedSecret", "ciphertext"].map { try text($0) }.joined(separator: " ") }
    }
}

extension RatchetKEM {
    var fieldText: String { "\(ownKey.rawRepresentation.bytes.hex) \(acceptedKEM?.fieldText ?? "null")" }
}

extension RatchetKEM.AcceptedKEM {
    var fieldText: String {
        "\(peerKey.rawRepresentation.hex) \(sharedSecret.bytes.hex) \(ciphertext.rawRepresentation.hex)"
    }
}

func expect(_ party: Conversation.Party?, has state: Vector, comment: String) throws {
    for (key, value) in try #require(party).fields where key != "skippedCount" {
        #expect(try value == state.fieldText(key), "\(comment): \(key)")
    }
}

/// Expects that the fields named in `changes` have these values, and that all other fields are unchanged.
func expect(
    _ party: Conversation.Party,
    changedFrom before: Conversation.Party,
    as changes: Vector,
    comment: String
) throws {
    let old = before.fields
    for (key, value) in party.fields {
        if changes.value[key] != nil {
            #expect(try value == changes.fieldText(key), "\(comment): \(key)")
        } else if !(key.hasPrefix("skipped") && (changes.has("skipped") || changes.has("skippedCount"))) {
            #expect(value == old[key], "\(comment): \(key)")
        }
    }
}

extension RatchetRandom {
    private static let unexpectedDrawError = CryptoError.libraryFailure("no key is to be drawn")

    /// Random source for messages that must not make a DH step.
    static var drawingNothing: RatchetRandom {
        RatchetRandom(
            makeDHKey: { () throws(CryptoError) in throw unexpectedDrawError },
            makeKEMKey: { () throws(CryptoError) in throw unexpectedDrawError },
            encapsulate: { _ throws(CryptoError) in throw unexpectedDrawError }
        )
    }

    /// Random source with one key that the original has generated.
    static func drawingKey(_ key: [UInt8]) -> RatchetRandom {
        var random = drawingNothing
        random.makeDHKey = { () throws(CryptoError) in try X448.PrivateKey(rawRepresentation: key) }
        return random
    }

    /// Random source with exactly the random bytes that the original used in a step.
    static func drawingRecorded(_ drawn: Vector) throws -> RatchetRandom {
        var random = try drawingKey(drawn.object("dh").bytes("private"))
        if drawn.has("kemKeyPair") {
            let key = try SNTRUP761.PrivateKey(rawRepresentation: drawn.object("kemKeyPair").bytes("secret"))
            random.makeKEMKey = { () throws(CryptoError) in key }
        }
        if drawn.has("kemEncapsulation") {
            let kem = try drawn.object("kemEncapsulation")
            let ciphertext = try SNTRUP761.Ciphertext(rawRepresentation: kem.bytes("ciphertext"))
            let secret = SecretBytes(try kem.bytes("sharedSecret"))
            random.encapsulate = { _ throws(CryptoError) in (ciphertext, secret) }
        }
        return random
    }
}

extension RatchetError {
    /// The name of the error that the original prints.
    var originalName: String {
        switch self {
        case .undecryptableHeader: "CERatchetHeader"
        case .malformedHeader: "CryptoHeaderError"
        case .missingChain: "CERatchetState"
        case .unexpectedKEM: "CERatchetKEMState"
        case .tooManySkipped(let count): "CERatchetTooManySkipped \(count)"
        case .earlierMessage(let count): "CERatchetEarlierMessage \(count)"
        case .duplicateMessage: "CERatchetDuplicateMessage"
        case .crypto(.messageTooLarge): "CryptoLargeMsgError"
        case .crypto(.invalidPadding): "CryptoInvalidMsgError"
        case .crypto(.authenticationFailed): "AESDecryptError"
        case .crypto(let error): "\(error)"
        case .unreadableStoredForm: "stored form"
        }
    }
}

extension SkippedKeysChange {
    var originalName: String {
        switch self {
        case .none: "none"
        case .add: "add"
        case .remove: "remove"
        }
    }
}

extension DecryptOutcome {
    var error: RatchetError? {
        if case .failure(let error) = plaintext { error } else { nil }
    }
}
