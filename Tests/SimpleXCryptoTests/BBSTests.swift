import JSON
import TestSupport
import Testing

@testable import SimpleXCrypto

/// Tests with the vectors in bbs.json, and with changed forms of these vectors.
@Suite struct BBSTests {
    private static let badgeHeader = Array("SimpleX badges v1".utf8)

    @Test
    func `The secret BBS keys of the draft and of libbbs give the public keys published with them`() throws {
        for part in ["draft", "libbbs"] {
            let vectors = try Vector.readFile("bbs").object(part)
            let key = try BBS.SecretKey(rawRepresentation: SecretBytes(vectors.bytes("secretKey")))
            #expect(try key.publicKey?.rawRepresentation == vectors.bytes("publicKey"))
        }
    }

    @Test
    func `BBS signatures of this program equal those of the draft, and are valid only for their messages`() throws {
        let vectors = try Vector.readFile("bbs").object("draft")
        let secret = try BBS.SecretKey(rawRepresentation: SecretBytes(vectors.bytes("secretKey")))
        let key = try BBS.PublicKey(rawRepresentation: vectors.bytes("publicKey"))
        let cases = try vectors.list("signatures")
        #expect(cases.count == 3)
        for vector in cases {
            let (header, signature) = (try vector.bytes("header"), try vector.bytes("signature"))
            let messages = try vector.texts("messages").map { try #require([UInt8](hex: $0)) }
            #expect(try secret.signMessages(header: header, messages: messages) == signature)
            #expect(key.isValid(signature: signature, header: header, messages: messages))
            #expect(!key.isValid(signature: signature, header: header + [0], messages: messages))
            #expect(!key.isValid(signature: signature, header: header, messages: Array(messages.dropLast())))
            #expect(!key.isValid(signature: signature, header: header, messages: messages.map { $0 + [1] }))
        }
    }

    @Test
    func `A BBS signature is invalid for a changed order of its messages and for another issuer`() throws {
        let vectors = try Vector.readFile("bbs").object("draft")
        let key = try BBS.PublicKey(rawRepresentation: vectors.bytes("publicKey"))
        let other = try #require(BBS.SecretKey().publicKey)
        let vector = try vectors.list("signatures")[1]
        let (header, signature) = (try vector.bytes("header"), try vector.bytes("signature"))
        let messages = try vector.texts("messages").map { try #require([UInt8](hex: $0)) }
        #expect(!key.isValid(signature: signature, header: header, messages: messages.reversed()))
        #expect(!other.isValid(signature: signature, header: header, messages: messages))
    }

    @Test
    func `With the random bytes of the draft, the BBS proofs of this program equal the proofs of the draft`() throws {
        let vectors = try Vector.readFile("bbs").object("draft")
        let key = try BBS.PublicKey(rawRepresentation: vectors.bytes("publicKey"))
        let cases = try vectors.list("proofs")
        #expect(cases.count == 5)
        for vector in cases {
            let sample = try Sample(draft: vector, key: key)
            let random = try vector.bytes("random")
            var used = 0
            let made = try BBS.makeProof(
                of: vector.bytes("signature"),
                issuer: key.rawRepresentation,
                header: sample.header,
                presentationHeader: sample.presentationHeader,
                messages: vector.texts("messages").map { try #require([UInt8](hex: $0)) },
                hidden: sample.hiddenPositions,
                random: { count in
                    defer { used += count }
                    return SecretBytes(random.dropFirst(used).prefix(count))
                }
            )
            #expect(made == sample.proof)
            #expect(sample.isValid)
        }
    }

    @Test(arguments: Change.allCases)
    func `A BBS proof is invalid after a change of any of its bytes or inputs`(change: Change) throws {
        let vectors = try Vector.readFile("bbs").object("draft")
        let key = try BBS.PublicKey(rawRepresentation: vectors.bytes("publicKey"))
        var sample = try Sample(draft: vectors.list("proofs")[2], key: key)
        try change.apply(to: &sample)
        #expect(!sample.isValid)
    }

    enum Change: String, CaseIterable, Sendable {
        case header, presentationHeader, key, message, order, hiddenMessage, shownMessage, missingMessage, moreMessages
        case noBytes, lessBytes, moreBytes, firstPoint, identityPoint, swappedPoints, scalar, zeroScalar, largeScalar
        case challenge

        fileprivate func apply(to sample: inout Sample) throws {
            switch self {
            case .header: sample.header = []
            case .presentationHeader: sample.presentationHeader.append(0)
            case .key: sample.key = try #require(BBS.SecretKey().publicKey)
            case .message: sample.messages[0] = [1]
            case .order: sample.messages.swapAt(0, 2)
            case .hiddenMessage: sample.messages[0] = nil
            case .shownMessage: sample.messages[1] = [1]
            case .missingMessage: sample.messages.removeLast()
            case .moreMessages: sample.messages.append([1])
            case .noBytes: sample.proof = []
            case .lessBytes: sample.proof.removeLast(Scalar.size)
            case .moreBytes: sample.proof += [UInt8](repeating: 1, count: Scalar.size)
            case .firstPoint: sample.proof[0] ^= 0x20
            case .identityPoint:
                sample.proof.replaceSubrange(
                    0..<CurvePoint.size,
                    with: PointForm.encodeIdentity(count: CurvePoint.size)
                )
            case .swappedPoints:
                let points = sample.proof[0..<2 * CurvePoint.size]
                sample.proof.replaceSubrange(
                    0..<2 * CurvePoint.size,
                    with: points.suffix(CurvePoint.size) + points.prefix(CurvePoint.size)
                )
            case .scalar: sample.proof[3 * CurvePoint.size + 31] ^= 1
            case .zeroScalar: sample.setFirstScalar([UInt8](repeating: 0, count: Scalar.size))
            case .largeScalar: sample.setFirstScalar([UInt8](repeating: 0xFF, count: Scalar.size))
            case .challenge: sample.proof[sample.proof.count - 1] ^= 1
            }
        }
    }

    @Test
    func `Two BBS proofs of one signature differ, and both are valid`() throws {
        let secret = BBS.SecretKey()
        let key = try #require(secret.publicKey)
        let messages: [[UInt8]] = [[1, 2, 3], [], [4]]
        let signature = try secret.signMessages(header: [9], messages: messages)
        let proofs = try (0..<2).map { _ in
            try BBS.makeProof(
                of: signature,
                issuer: key.rawRepresentation,
                header: [9],
                presentationHeader: [7],
                messages: messages,
                hidden: [0]
            )
        }
        #expect(proofs[0] != proofs[1])
        for proof in proofs {
            #expect(proof.count == BBS.proofSize(hidden: 1))
            #expect(
                key.isValid(
                    proof: proof,
                    header: [9],
                    presentationHeader: [7],
                    messages: [nil, messages[1], messages[2]]
                )
            )
        }
    }

    @Test
    func `BBS signatures and proofs of libbbs are valid, with the sizes that badges have`() throws {
        let vectors = try Vector.readFile("bbs").object("libbbs")
        let key = try BBS.PublicKey(rawRepresentation: vectors.bytes("publicKey"))
        let secret = try BBS.SecretKey(rawRepresentation: SecretBytes(vectors.bytes("secretKey")))
        let cases = try vectors.list("badges")
        #expect(cases.count == 4)
        for vector in cases {
            let shown = [Array(try vector.text("expiry").utf8), Array(try vector.text("type").utf8), []]
            let messages = [try vector.bytes("masterKey")] + shown
            let signature = try vector.bytes("signature")
            #expect(try secret.signMessages(header: Self.badgeHeader, messages: messages) == signature)
            #expect(key.isValid(signature: signature, header: Self.badgeHeader, messages: messages))
            let proof = try vector.bytes("proof")
            #expect(proof.count == 304)
            #expect(
                try key.isValid(
                    proof: proof,
                    header: Self.badgeHeader,
                    presentationHeader: vector.bytes("presHeader"),
                    messages: [nil] + shown
                )
            )
        }
    }

    @Test
    func `BBS proofs of libbbs for zero to ten messages are valid, whichever messages they hide`() throws {
        let vectors = try Vector.readFile("bbs").object("libbbs")
        let key = try BBS.PublicKey(rawRepresentation: vectors.bytes("publicKey"))
        let secret = try BBS.SecretKey(rawRepresentation: SecretBytes(vectors.bytes("secretKey")))
        let cases = try vectors.list("proofs")
        #expect(cases.count == 12)
        for vector in cases {
            let messages = try vector.texts("messages").map { try #require([UInt8](hex: $0)) }
            var sample = try Sample(draft: vector, key: key)
            #expect(try secret.signMessages(header: sample.header, messages: messages) == vector.bytes("signature"))
            #expect(sample.proof.count == BBS.proofSize(hidden: sample.hiddenPositions.count) && sample.isValid)
            sample.presentationHeader.append(0)
            #expect(!sample.isValid)
        }
    }

    @Test
    func `Signing too many messages or too long inputs with BBS is refused`() throws {
        let secret = BBS.SecretKey()
        let key = try #require(secret.publicKey)
        let many = [[UInt8]](repeating: [1], count: BBS.maxMessages + 1)
        let long = [UInt8](repeating: 1, count: BBS.maxBytes + 1)
        #expect(throws: CryptoError.messageTooLarge) { try secret.signMessages(header: [], messages: many) }
        #expect(throws: CryptoError.messageTooLarge) { try secret.signMessages(header: long, messages: []) }
        let signature = try secret.signMessages(header: [], messages: Array(many.dropLast()))
        #expect(key.isValid(signature: signature, header: [], messages: Array(many.dropLast())))
        #expect(!key.isValid(signature: signature, header: [], messages: many))
        let size = BBS.proofSize(hidden: BBS.maxMessages + 1)
        #expect(
            !key.isValid(
                proof: [UInt8](repeating: 1, count: size),
                header: [],
                presentationHeader: [],
                messages: [[UInt8]?](repeating: nil, count: BBS.maxMessages + 1)
            )
        )
    }

    @Test
    func `Bytes that encode no canonical element of the BBS group are refused as a key and as a curve point`() throws {
        let valid = try Vector.readFile("bbs").object("draft").bytes("publicKey")
        #expect(try BBS.PublicKey(rawRepresentation: valid).rawRepresentation == valid)
        // A number that is not below p, the uncompressed form, the identity, a cut key, and the generator of the field.
        var large = valid
        large.replaceSubrange(0..<48, with: [0x9A] + Montgomery.encodeBytes(BaseField.modulus, count: 48).dropFirst())
        var uncompressed = valid
        uncompressed[0] &= 0x7F
        for bytes in [large, uncompressed, PointForm.encodeIdentity(count: 96)] {
            #expect(throws: CryptoError.invalidKey) { try BBS.PublicKey(rawRepresentation: bytes) }
        }
        #expect(throws: CryptoError.self) { try BBS.PublicKey(rawRepresentation: Array(valid.dropLast())) }
        #expect(throws: CryptoError.invalidKey) {
            try BBS.SecretKey(rawRepresentation: SecretBytes([UInt8](repeating: 0, count: 32)))
        }
        #expect(CurvePoint(PointForm.encodeIdentity(count: 48)) == nil)
    }

    @Test
    func `A curve point outside of the BBS group is refused`() throws {
        // x = 4 and its multiples: points of the curve. The cofactor is large, so that none of them is in the group.
        let points = (1...40).compactMap { number -> [UInt8]? in
            let x = BaseField(UInt64(number))
            guard (x.squared * x + BaseField(4)).squareRoot != nil else { return nil }
            return PointForm.encodePoint(x.bytes, isLarge: false)
        }
        #expect(points.count > 10)
        #expect(points.allSatisfy { CurvePoint($0) == nil })
    }

    @Test
    func `The pairing of the BLS12-381 curve is bilinear`() throws {
        let point = CurvePoint(
            constant: "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"
        )
        let scalar = Scalar(reducing: RandomBytes.make(count: 48))
        let twist = try #require(TwistPoint.generator.multiplied(by: scalar))
        #expect(Pairing.isProductOne([(point * scalar, TwistPoint.generator), (-point, twist)]))
        #expect(!Pairing.isProductOne([(point * scalar, TwistPoint.generator), (point, twist)]))
        #expect(!Pairing.isProductOne([(point, TwistPoint.generator)]))
        #expect(Pairing.isProductOne([(CurvePoint.identity, TwistPoint.generator)]))
    }
}

/// The inputs of the verification of a proof.
private struct Sample {
    var key: BBS.PublicKey
    var header: [UInt8]
    var presentationHeader: [UInt8]
    var messages: [[UInt8]?]
    var proof: [UInt8]
    let hiddenPositions: Set<Int>

    init(draft vector: Vector, key: BBS.PublicKey) throws {
        self.key = key
        header = try vector.bytes("header")
        presentationHeader = try vector.bytes("presentationHeader")
        proof = try vector.bytes("proof")
        let places = try #require(vector.value["hidden"]?.arrayValue).map { Int(try #require($0.integerValue)) }
        hiddenPositions = Set(places)
        messages = try vector.texts("messages").map { [UInt8](hex: $0) }
        for place in places { messages[place] = nil }
    }

    var isValid: Bool {
        key.isValid(proof: proof, header: header, presentationHeader: presentationHeader, messages: messages)
    }

    mutating func setFirstScalar(_ bytes: [UInt8]) {
        let start = 3 * CurvePoint.size
        proof.replaceSubrange(start..<start + Scalar.size, with: bytes)
    }
}

extension Vector {
    fileprivate func texts(_ key: String) throws -> [String] {
        try #require(value[key]?.arrayValue).map { try #require($0.stringValue) }
    }
}
