import SMP
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent

/// Repeats the conversations of ratchet.json, and compares every message, plaintext, error and state change with the
/// original.
@Suite struct RatchetConversationTests {
    static let conversationNames = [
        "e2e version 2", "e2e version 3, no KEM", "sending before receiving is an error, repeated and early messages",
        "skipped and out of order messages", "too many skipped messages", "upgrade from version 2 to 3 without KEM",
        "agent padded lengths",
    ]

    @Test(arguments: conversationNames)
    func `A recorded conversation of the original gives the same messages and ratchet states in this program`(
        name: String
    ) throws {
        let all = try Vector.readFile("ratchet").list("conversations")
        let vector = try #require(all.first { $0.optionalText("name") == name })
        var conversation = try Conversation(vector.object("setup"))
        for (index, step) in try vector.list("steps").enumerated() {
            try conversation.playStep(step, comment: "\(name), step \(index)")
        }
    }

    static let kemConversationNames = [
        ("ratchet-pq", "KEM proposed in invitation and accepted by joiner"),
        ("ratchet-pq2", "no KEM in invitation, proposed by joiner"),
        ("ratchet-pq2", "KEM in invitation, joiner does not accept"),
        ("ratchet-pq2", "upgrade from version 2 to 3 with KEM"),
        ("ratchet-pq3", "KEM enabled during the conversation, then disabled"),
    ]

    @Test(arguments: kemConversationNames)
    func `A conversation with KEM keys has the messages and ratchet states that the original recorded`(
        file: String,
        name: String
    ) throws {
        let all = try Vector.readFile(file).list("conversations")
        let vector = try #require(all.first { $0.optionalText("name") == name })
        var conversation = try Conversation(vector.object("setup"))
        for (index, step) in try vector.list("steps").enumerated() {
            try conversation.playStep(step, comment: "\(name), step \(index)")
        }
    }

    @Test
    func `All recorded conversations in the files of ratchet vectors are tested`() throws {
        #expect(
            try Vector.readFile("ratchet").list("conversations").map { try $0.text("name") } == Self.conversationNames
        )
        let kem = try ["ratchet-pq", "ratchet-pq2", "ratchet-pq3"].flatMap {
            try Vector.readFile($0).list("conversations").map { try $0.text("name") }
        }
        #expect(kem == Self.kemConversationNames.map(\.1))
    }
}

/// Two ratchets and the messages between them.
struct Conversation {
    struct Party {
        var ratchet: Ratchet
        var skippedKeys = SkippedMessageKeys()
    }

    var parties: [String: Party]
    var messages: [String: [UInt8]] = [:]
    var lastMessage: [UInt8] = []

    init(_ setup: Vector) throws {
        let version = E2EVersion(UInt16(try setup.int("e2eVersion")))
        let maxVersion = E2EVersion(UInt16(try setup.int("maxVersion")))
        let (inviter, joiner) = (try setup.object("inviter"), try setup.object("joiner"))
        let (inviterKeys, joinerKeys) = (try Self.readKeys(inviter), try Self.readKeys(joiner))
        let inviterParams = inviterKeys.makeParameters(version: version)
        let joinerParams = joinerKeys.makeParameters(version: version)
        try Self.checkParams(inviter, inviterParams)
        try Self.checkParams(joiner, joinerParams)
        try Self.checkX3DH(inviter.object("x3dh"), X3DH(accepting: joinerParams, keys: inviterKeys))
        try Self.checkX3DH(joiner.object("x3dh"), X3DH(joining: inviterParams, keys: joinerKeys))
        let firstDH = try setup.object("joinerFirstDh").bytes("private")
        let joined = try Ratchet(
            joining: inviterParams,
            keys: joinerKeys,
            maxSupported: maxVersion,
            random: .drawingKey(firstDH)
        )
        let accepted = try Ratchet(
            accepting: joinerParams,
            keys: inviterKeys,
            pqSupported: setup.value["inviterPqSupport"]?.boolValue ?? false,
            maxSupported: maxVersion
        )
        parties = ["inviter": Party(ratchet: accepted), "joiner": Party(ratchet: joined)]
        for name in ["inviter", "joiner"] {
            try expect(parties[name], has: setup.object("\(name)State"), comment: "initial state of \(name)")
        }
    }

    mutating func playStep(_ step: Vector, comment: String) throws {
        switch try step.text("op") {
        case "send": try playSending(step, comment)
        case "receive": try playReceiving(step, comment)
        case "sendManyLost":
            let from = try step.text("from")
            var party = try #require(parties[from])
            let before = party
            for _ in 0..<(try step.int("count")) {
                _ = try party.ratchet.encrypt(
                    step.bytes("plaintext"),
                    paddedLength: step.int("paddedLength"),
                    supported: supportedVersion(step)
                )
            }
            try expect(party, changedFrom: before, as: step.object("senderChanges"), comment: comment)
            parties[from] = party
        case let other: Issue.record("unknown step \(other)")
        }
    }

    private func supportedVersion(_ step: Vector) throws -> E2EVersion {
        let highest = try #require(parties[step.text("from")]).ratchet.versions.maxSupported
        return step.optionalInt("supportedVersion").map { E2EVersion(UInt16($0)) } ?? highest
    }

    private mutating func playSending(_ step: Vector, _ comment: String) throws {
        let from = try step.text("from")
        var party = try #require(parties[from])
        let before = party
        let plaintext = try step.bytes("plaintext")
        let paddedLength = try step.int("paddedLength")
        do {
            let message = try party.ratchet.encrypt(
                plaintext,
                paddedLength: paddedLength,
                pqEncryption: step.value["pqEncryption"]?.boolValue,
                supported: supportedVersion(step)
            )
            #expect(!step.has("error"), "\(comment)")
            if step.has("message") {
                #expect(message.hex == (try step.text("message")), "\(comment)")
            } else {
                #expect(message.count == (try step.int("messageLength")), "\(comment)")
                #expect(Digest.sha256(message).hex == (try step.text("messageSha256")), "\(comment)")
            }
            try expect(party, changedFrom: before, as: step.object("senderChanges"), comment: comment)
            if let label = step.optionalText("label") { messages[label] = message }
            lastMessage = message
        } catch let error as RatchetError {
            #expect(error.originalName == step.optionalText("error"), "\(comment)")
            #expect(party.ratchet == before.ratchet, "\(comment)")
        }
        parties[from] = party
    }

    private mutating func playReceiving(_ step: Vector, _ comment: String) throws {
        let by = try step.text("by")
        var party = try #require(parties[by])
        let before = party
        var message = try step.optionalText("label").map { try #require(messages[$0]) } ?? lastMessage
        if let at = step.optionalInt("invertedByteAt") { message[at] ^= 0xFF }
        let random: RatchetRandom =
            step.has("generated") ? try .drawingRecorded(step.object("generated")) : .drawingNothing
        do {
            let outcome = try party.ratchet.decrypt(message, skipped: party.skippedKeys, random: random)
            party.skippedKeys.apply(outcome.skippedKeysChange)
            #expect(outcome.skippedKeysChange.originalName == (try step.text("skippedKeysChange")), "\(comment)")
            #expect((try? outcome.plaintext.get())?.hex == step.optionalText("plaintext"), "\(comment)")
            #expect(outcome.error?.originalName == step.optionalText("error"), "\(comment)")
            try expect(party, changedFrom: before, as: step.object("receiverChanges"), comment: comment)
        } catch let error as RatchetError {
            #expect(error.originalName == step.optionalText("error"), "\(comment)")
            #expect(step.value["stateUnchanged"]?.boolValue == true, "\(comment)")
            #expect(party.ratchet == before.ratchet, "\(comment)")
        }
        // Each step stores and reads the ratchet, so the conversation also tests the stored form.
        party.ratchet = try Ratchet(stored: party.ratchet.storedForm)
        parties[by] = party
    }

    private static func readKeys(_ side: Vector) throws -> E2EPrivateKeys {
        var keys = try E2EPrivateKeys(
            stored: ["key1", "key2"].flatMap { try side.object($0).bytes("private") + side.object($0).bytes("public") }
        )
        guard side.has("kem") else { return keys }
        let kem = try side.object("kem")
        let own = try SNTRUP761.PrivateKey(rawRepresentation: kem.object("keyPair").bytes("secret"))
        keys.kem =
            kem.has("ciphertext")
            ? .accepted(
                try SNTRUP761.Ciphertext(rawRepresentation: kem.bytes("ciphertext")),
                SecretBytes(try kem.bytes("sharedSecret")),
                own
            )
            : .proposed(own)
        #expect(try E2EPrivateKeys(stored: keys.storedForm) == keys)
        return keys
    }

    private static func checkParams(_ side: Vector, _ params: E2ERatchetParams) throws {
        let binary = try side.bytes("paramsSmp")
        #expect(try params.smpEncoded() == binary)
        #expect(try E2ERatchetParams(smpEncoded: binary) == params)
        if side.has("paramsUri") {
            let text = try side.text("paramsUri")
            let uri = try E2ERatchetParamsURI(parsing: text)
            #expect(uri.str == text)
            #expect(uri.compatibleParameters(with: ProtocolVersionRange(params.version.number)) == params)
        }
    }

    private static func checkX3DH(_ expected: Vector, _ actual: X3DH) throws {
        #expect(actual.associatedData.hex == (try expected.text("associatedData")))
        #expect(actual.ratchetKey.bytes.hex == (try expected.text("ratchetKey")))
        #expect(actual.joinerHeaderKey.rawRepresentation.hex == (try expected.text("sndHeaderKey")))
        #expect(actual.inviterHeaderKey.rawRepresentation.hex == (try expected.text("rcvNextHeaderKey")))
        let accepted = expected.has("kemAccepted") ? try expected.object("kemAccepted") : nil
        #expect(actual.kem?.acceptedKEM?.fieldText == (try accepted?.acceptedKEMText))
    }
}
