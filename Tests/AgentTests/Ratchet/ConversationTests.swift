import SMP
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent

/// Plays the conversations of ratchet.json: every message, plaintext, error and state change of the original.
@Suite struct RatchetConversationTests {
    static let names = [
        "e2e version 2", "e2e version 3, no KEM", "sending before receiving is an error, repeated and early messages",
        "skipped and out of order messages", "too many skipped messages", "upgrade from version 2 to 3 without KEM",
        "agent padded lengths",
    ]

    @Test("A conversation of the original has the same messages and states here", arguments: names)
    func conversation(name: String) throws {
        let all = try Vector.file("ratchet").list("conversations")
        let vector = try #require(all.first { $0.optionalText("name") == name })
        var conversation = try Conversation(vector.object("setup"))
        for (index, step) in try vector.list("steps").enumerated() {
            try conversation.play(step, comment: "\(name), step \(index)")
        }
    }

    /// The inviter's side cannot be played without a KEM: its messages, with KEM offers in their headers, are as recorded.
    @Test("A joiner that declines the KEM of the invitation has the messages and states of the original")
    func declinedKEM() throws {
        let all = try Vector.file("ratchet-pq2").list("conversations")
        let vector = try #require(all.first { $0.optionalText("name") == "KEM in invitation, joiner does not accept" })
        var conversation = try Conversation(joinerOf: vector.object("setup"))
        for (index, step) in try vector.list("steps").enumerated() {
            try conversation.play(step, comment: "declined KEM, step \(index)")
        }
    }

    @Test("There are no other conversations in the file than those tested")
    func allConversations() throws {
        #expect(try Vector.file("ratchet").list("conversations").map { try $0.text("name") } == Self.names)
    }
}

/// Two ratchets and the messages between them.
struct Conversation {
    struct Party {
        var ratchet: Ratchet
        var skipped = SkippedMessageKeys()
    }

    var parties: [String: Party]
    var messages: [String: [UInt8]] = [:]
    var last: [UInt8] = []

    init(_ setup: Vector) throws {
        let version = E2EVersion(UInt16(try setup.int("e2eVersion")))
        let maxVersion = E2EVersion(UInt16(try setup.int("maxVersion")))
        let (inviter, joiner) = (try setup.object("inviter"), try setup.object("joiner"))
        let (inviterKeys, joinerKeys) = (try Self.keys(inviter), try Self.keys(joiner))
        let inviterParams = inviterKeys.parameters(version: version)
        let joinerParams = joinerKeys.parameters(version: version)
        try Self.checkParams(inviter, inviterParams)
        try Self.checkParams(joiner, joinerParams)
        try Self.checkX3DH(inviter.object("x3dh"), X3DH(accepting: joinerParams, keys: inviterKeys))
        try Self.checkX3DH(joiner.object("x3dh"), X3DH(joining: inviterParams, keys: joinerKeys))
        let firstDH = try setup.object("joinerFirstDh").bytes("private")
        let joined = try Ratchet(
            joining: inviterParams, keys: joinerKeys, maxSupported: maxVersion, random: .fixed(firstDH))
        let accepted = try Ratchet(accepting: joinerParams, keys: inviterKeys, maxSupported: maxVersion)
        parties = ["inviter": Party(ratchet: accepted), "joiner": Party(ratchet: joined)]
        for name in ["inviter", "joiner"] {
            try expect(parties[name], has: setup.object("\(name)State"), comment: "initial state of \(name)")
        }
    }

    /// Only the joiner plays; its peer's parameters have a KEM offer.
    init(joinerOf setup: Vector) throws {
        let (inviter, joiner) = (try setup.object("inviter"), try setup.object("joiner"))
        let inviterParams = try E2ERatchetParams(smpEncoded: inviter.bytes("paramsSmp"))
        guard case .proposed = inviterParams.kem else { throw RatchetError.kemState }
        try Self.checkParams(inviter, inviterParams)
        let joinerKeys = try Self.keys(joiner)
        try Self.checkParams(joiner, joinerKeys.parameters(version: inviterParams.version))
        try Self.checkX3DH(joiner.object("x3dh"), X3DH(joining: inviterParams, keys: joinerKeys))
        let firstDH = try setup.object("joinerFirstDh").bytes("private")
        parties = ["joiner": Party(ratchet: try Ratchet(joining: inviterParams, keys: joinerKeys, random: .fixed(firstDH)))]
        try expect(parties["joiner"], has: setup.object("joinerState"), comment: "initial state of joiner")
    }

    /// A recorded message of a side that does not play; true when that was the step.
    private mutating func isRecorded(_ step: Vector) throws -> Bool {
        guard let side = step.optionalText("from") ?? step.optionalText("by"), parties[side] == nil else { return false }
        if step.has("message") { last = try step.bytes("message") }
        if let label = step.optionalText("label"), step.has("message") { messages[label] = last }
        return true
    }

    mutating func play(_ step: Vector, comment: String) throws {
        if try isRecorded(step) { return }
        switch try step.text("op") {
        case "send": try send(step, comment)
        case "receive": try receive(step, comment)
        case "sendManyLost":
            let from = try step.text("from")
            var party = try #require(parties[from])
            let before = party
            for _ in 0..<(try step.int("count")) {
                _ = try party.ratchet.encrypt(step.bytes("plaintext"), paddedLength: step.int("paddedLength"), supported: supported(step))
            }
            try expect(party, changedFrom: before, as: step.object("senderChanges"), comment: comment)
            parties[from] = party
        case let other: Issue.record("unknown step \(other)")
        }
    }

    private func supported(_ step: Vector) throws -> E2EVersion {
        let highest = try #require(parties[step.text("from")]).ratchet.versions.maxSupported
        return step.optionalInt("supportedVersion").map { E2EVersion(UInt16($0)) } ?? highest
    }

    private mutating func send(_ step: Vector, _ comment: String) throws {
        let from = try step.text("from")
        var party = try #require(parties[from])
        let before = party
        let plaintext = try step.bytes("plaintext")
        let paddedLength = try step.int("paddedLength")
        do {
            let message = try party.ratchet.encrypt(plaintext, paddedLength: paddedLength, supported: supported(step))
            #expect(!step.has("error"), "\(comment)")
            if step.has("message") {
                #expect(message.hex == (try step.text("message")), "\(comment)")
            } else {
                #expect(message.count == (try step.int("messageLength")), "\(comment)")
                #expect(Digest.sha256(message).hex == (try step.text("messageSha256")), "\(comment)")
            }
            try expect(party, changedFrom: before, as: step.object("senderChanges"), comment: comment)
            if let label = step.optionalText("label") { messages[label] = message }
            last = message
        } catch let error as RatchetError {
            #expect(error.originalName == step.optionalText("error"), "\(comment)")
            #expect(party.ratchet == before.ratchet, "\(comment)")
        }
        parties[from] = party
    }

    private mutating func receive(_ step: Vector, _ comment: String) throws {
        let by = try step.text("by")
        var party = try #require(parties[by])
        let before = party
        var message = try step.optionalText("label").map { try #require(messages[$0]) } ?? last
        if let at = step.optionalInt("invertedByteAt") { message[at] ^= 0xFF }
        let generated = step.has("generated") ? try step.object("generated").object("dh").bytes("private") : nil
        do {
            let outcome = try party.ratchet.decrypt(
                message, skipped: party.skipped, random: generated.map(RatchetRandom.fixed) ?? .none)
            party.skipped.apply(outcome.skipped)
            #expect(outcome.skipped.originalName == (try step.text("skippedKeysChange")), "\(comment)")
            #expect((try? outcome.plaintext.get())?.hex == step.optionalText("plaintext"), "\(comment)")
            #expect(outcome.error?.originalName == step.optionalText("error"), "\(comment)")
            try expect(party, changedFrom: before, as: step.object("receiverChanges"), comment: comment)
        } catch let error as RatchetError {
            #expect(error.originalName == step.optionalText("error"), "\(comment)")
            #expect(step.value["stateUnchanged"]?.boolValue == true, "\(comment)")
            #expect(party.ratchet == before.ratchet, "\(comment)")
        }
        // What is stored is what goes on.
        party.ratchet = try Ratchet(stored: party.ratchet.stored)
        parties[by] = party
    }

    private static func keys(_ side: Vector) throws -> E2EPrivateKeys {
        try E2EPrivateKeys(stored: ["key1", "key2"].flatMap { try side.object($0).bytes("private") + side.object($0).bytes("public") })
    }

    private static func checkParams(_ side: Vector, _ params: E2ERatchetParams) throws {
        let binary = try side.bytes("paramsSmp")
        #expect(try params.smpEncoded() == binary)
        #expect(try E2ERatchetParams(smpEncoded: binary) == params)
        if side.has("paramsUri") {
            let text = try side.text("paramsUri")
            let uri = try E2ERatchetParamsURI(parsing: text)
            #expect(uri.str == text)
            #expect(uri.compatible(with: VersionRange(params.version.number)) == params)
        }
    }

    private static func checkX3DH(_ expected: Vector, _ actual: X3DH) throws {
        #expect(actual.associatedData.hex == (try expected.text("associatedData")))
        #expect(actual.ratchetKey.bytes.hex == (try expected.text("ratchetKey")))
        #expect(actual.sndHeaderKey.rawRepresentation.hex == (try expected.text("sndHeaderKey")))
        #expect(actual.rcvNextHeaderKey.rawRepresentation.hex == (try expected.text("rcvNextHeaderKey")))
    }
}
