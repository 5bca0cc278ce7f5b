/// BBS signatures over BLS12-381 with SHA-256: the ciphersuite `BBS_BLS12381G1_XMD:SHA-256_SSWU_RO_` with the interface
/// `H2G_HM2S_` of draft-irtf-cfrg-bbs-signatures.
///
/// An issuer signs a list of messages. The owner of the signature proves that the signature exists, and discloses only
/// some of the messages. Two proofs of one signature cannot be linked.
package enum BBS {
    /// The largest number of messages of a signature. Each message of a signature needs a separate generator, and the
    /// generators are constants of this file.
    package static let maxMessages = 10
    /// The largest number of bytes of a message, of a header and of a presentation header.
    package static let maxBytes = 65_536
    /// Number of bytes of a secret key.
    package static let secretKeySize = Scalar.size
    /// Number of bytes of a signature.
    package static let signatureSize = CurvePoint.size + Scalar.size
    /// Number of bytes of a proof that discloses all messages.
    private static let leastProofSize = 3 * CurvePoint.size + 4 * Scalar.size

    /// Returns the number of bytes of a proof that hides `hidden` messages.
    package static func proofSize(hidden: Int) -> Int { leastProofSize + hidden * Scalar.size }

    /// The key of an issuer, a point of G2.
    package struct PublicKey: Hashable, Sendable {
        /// Number of bytes of a public key.
        package static let size = TwistPoint.size

        /// The encoded key, 96 bytes.
        package let rawRepresentation: [UInt8]
        fileprivate let point: TwistPoint

        /// Reads an encoded key. Throws for bytes that are not the canonical encoding of a point of G2, and for the
        /// identity.
        package init(rawRepresentation: [UInt8]) throws(CryptoError) {
            try rawRepresentation.requireCount(Self.size, of: "BBS public key")
            guard let point = TwistPoint(rawRepresentation) else { throw .invalidKey }
            self.init(rawRepresentation: rawRepresentation, point: point)
        }

        fileprivate init(rawRepresentation: [UInt8], point: TwistPoint) {
            self.rawRepresentation = rawRepresentation
            self.point = point
        }

        package static func == (a: PublicKey, b: PublicKey) -> Bool { a.rawRepresentation == b.rawRepresentation }

        package func hash(into hasher: inout Hasher) { hasher.combine(rawRepresentation) }
    }

    /// The secret key of an issuer. Only tests issue signatures. This type is not in the folder of the tests, because
    /// it needs internal types of this module: the field and the groups.
    package struct SecretKey: Sendable {
        private let secretBytes: SecretBytes

        /// Makes a new key.
        package init() {
            let material = SecretBytes.random(count: Hashing.wideSize)
            secretBytes = material.withBytes { SecretBytes(Scalar(reducing: $0).bytes) }
        }

        /// Reads a key of 32 bytes. Refuses 0, and numbers that are not below the order of the groups.
        package init(rawRepresentation: SecretBytes) throws(CryptoError) {
            guard rawRepresentation.count == BBS.secretKeySize,
                rawRepresentation.withBytes({ Scalar($0) }) != nil
            else { throw .invalidKey }
            secretBytes = rawRepresentation
        }

        /// The encoded key, 32 bytes.
        package var rawRepresentation: SecretBytes { secretBytes }

        /// The public key; nil for the secret key 0, which has no public key.
        package var publicKey: PublicKey? {
            scalar.flatMap { TwistPoint.generator.multiplied(by: $0) }
                .map { PublicKey(rawRepresentation: $0.bytes, point: $0) }
        }

        private var scalar: Scalar? { secretBytes.withBytes { Scalar($0) } }

        /// Signs messages. Throws for too many or too long messages.
        package func signMessages(header: [UInt8], messages: [[UInt8]]) throws(CryptoError) -> [UInt8] {
            try requireAllowedSizes(messages, header, [])
            guard let scalar, let publicKey else { throw .invalidKey }
            let context = Context(key: publicKey.rawRepresentation, header: header, count: messages.count)
            let scalars = messages.map(Hashing.hashMessageToScalar)
            let exponent = Hashing.hashToScalar(([scalar] + scalars + [context.domain]).flatMap(\.bytes))
            let sum = scalar + exponent
            guard sum != .zero else { throw .invalidKey }
            return (context.makeCommitment(to: scalars) * sum.inverted).bytes + exponent.bytes
        }
    }

    private static func requireAllowedSizes(
        _ messages: [[UInt8]],
        _ header: [UInt8],
        _ presentation: [UInt8]
    ) throws(CryptoError) {
        guard messages.count <= maxMessages, (messages + [header, presentation]).allSatisfy({ $0.count <= maxBytes })
        else { throw .messageTooLarge }
    }

    private static func haveAllowedSizes(_ messages: [[UInt8]], _ header: [UInt8], _ presentation: [UInt8]) -> Bool {
        (try? requireAllowedSizes(messages, header, presentation)) != nil
    }
}

extension BBS.PublicKey {
    /// Returns whether the signature is of this issuer, for these messages and this header.
    package func isValid(signature: [UInt8], header: [UInt8], messages: [[UInt8]]) -> Bool {
        guard BBS.haveAllowedSizes(messages, header, []), let signature = BBS.Signature(signature) else { return false }
        let context = BBS.Context(key: rawRepresentation, header: header, count: messages.count)
        let commitment = context.makeCommitment(to: messages.map(BBS.Hashing.hashMessageToScalar))
        return Pairing.isProductOne([
            (signature.point, point), (signature.point * signature.exponent - commitment, .generator),
        ])
    }

    /// Returns whether the proof is valid: its maker has a signature of this issuer with this header and the disclosed
    /// messages.
    ///
    /// `messages` has one element for each signed message, nil for a hidden one.
    package func isValid(
        proof: [UInt8],
        header: [UInt8],
        presentationHeader: [UInt8],
        messages: [[UInt8]?]
    ) -> Bool {
        guard messages.count <= BBS.maxMessages,
            BBS.haveAllowedSizes(messages.compactMap(\.self), header, presentationHeader),
            let proof = BBS.Proof(proof, hidden: messages.count { $0 == nil })
        else { return false }
        let context = BBS.Context(key: rawRepresentation, header: header, count: messages.count)
        let scalars = messages.map { $0.map(BBS.Hashing.hashMessageToScalar) }
        var known = context.basePoint
        var second = proof.blindedPoint * proof.r3
        var answers = proof.messages.makeIterator()
        for (place, scalar) in scalars.enumerated() {
            if let scalar {
                known = known + context.generators[place] * scalar
            } else if let answer = answers.next() {
                second = second + context.generators[place] * answer
            }
        }
        let commitment = BBS.Commitment(
            point: proof.point,
            product: proof.product,
            blindedPoint: proof.blindedPoint,
            t1: proof.product * proof.challenge + proof.point * proof.exponent + proof.blindedPoint * proof.r1,
            t2: known * proof.challenge + second
        )
        let challenge = commitment.makeChallenge(
            context: context,
            disclosed: scalars.enumerated().compactMap { place, scalar in scalar.map { (place, $0) } },
            presentationHeader: presentationHeader
        )
        return challenge == proof.challenge
            && Pairing.isProductOne([(proof.point, point), (-proof.product, .generator)])
    }
}

extension BBS {
    /// Makes a proof that the caller has a valid signature. The proof hides the messages at the places in `hidden`.
    ///
    /// Each call returns a different proof. The caller must know that the signature is valid: the proof of an invalid
    /// signature is invalid.
    /// - Parameter issuer: the encoded public key of the issuer.
    package static func makeProof(
        of signature: [UInt8],
        issuer: [UInt8],
        header: [UInt8],
        presentationHeader: [UInt8],
        messages: [[UInt8]],
        hidden: Set<Int>
    ) throws(CryptoError) -> [UInt8] {
        try makeProof(
            of: signature,
            issuer: issuer,
            header: header,
            presentationHeader: presentationHeader,
            messages: messages,
            hidden: hidden,
            random: SecretBytes.random
        )
    }

    /// Makes a proof with given random bytes, for tests.
    /// - Parameter random: returns the given number of random bytes.
    static func makeProof(
        of signature: [UInt8],
        issuer: [UInt8],
        header: [UInt8],
        presentationHeader: [UInt8],
        messages: [[UInt8]],
        hidden: Set<Int>,
        random: (Int) -> SecretBytes
    ) throws(CryptoError) -> [UInt8] {
        try issuer.requireCount(PublicKey.size, of: "BBS public key")
        try requireAllowedSizes(messages, header, presentationHeader)
        guard let signature = Signature(signature) else { throw .authenticationFailed }
        let context = Context(key: issuer, header: header, count: messages.count)
        let scalars = messages.map(Hashing.hashMessageToScalar)
        func makeScalar() -> Scalar { random(Hashing.wideSize).withBytes { Scalar(reducing: $0) } }

        let (first, second) = (makeScalar(), makeScalar())
        let (exponentMask, firstMask, thirdMask) = (makeScalar(), makeScalar(), makeScalar())
        let masks = scalars.indices.filter(hidden.contains).map { (place: $0, mask: makeScalar()) }
        guard first != .zero, second != .zero else { throw .authenticationFailed }

        let blinded = context.makeCommitment(to: scalars) * second
        let point = signature.point * (first * second)
        let product = blinded * first - point * signature.exponent
        let commitment = Commitment(
            point: point,
            product: product,
            blindedPoint: blinded,
            t1: point * exponentMask + blinded * firstMask,
            t2: masks.reduce(blinded * thirdMask) { $0 + context.generators[$1.place] * $1.mask }
        )
        let challenge = commitment.makeChallenge(
            context: context,
            disclosed: scalars.enumerated().filter { !hidden.contains($0.offset) },
            presentationHeader: presentationHeader
        )
        let answers =
            [
                exponentMask + signature.exponent * challenge,
                firstMask - first * challenge,
                thirdMask - second.inverted * challenge,
            ] + masks.map { $0.mask + scalars[$0.place] * challenge } + [challenge]
        return point.bytes + product.bytes + blinded.bytes + answers.flatMap(\.bytes)
    }
}

extension BBS {
    /// A decoded signature.
    fileprivate struct Signature {
        let point: CurvePoint
        let exponent: Scalar

        init?(_ bytes: [UInt8]) {
            guard bytes.count == BBS.signatureSize, let point = CurvePoint(bytes.prefix(CurvePoint.size)),
                let exponent = Scalar(bytes.suffix(Scalar.size))
            else { return nil }
            self.point = point
            self.exponent = exponent
        }
    }

    /// A decoded proof. In the notation of the draft, the fields are Abar, Bbar, D, e^, r1^, r3^, m^ and c.
    fileprivate struct Proof {
        let point: CurvePoint
        let product: CurvePoint
        let blindedPoint: CurvePoint
        let exponent: Scalar
        let r1: Scalar
        let r3: Scalar
        let messages: [Scalar]
        let challenge: Scalar

        init?(_ bytes: [UInt8], hidden: Int) {
            guard bytes.count == BBS.proofSize(hidden: hidden) else { return nil }
            var rest = bytes[...]
            func next<Value>(_ count: Int, _ read: (ArraySlice<UInt8>) -> Value?) -> Value? {
                defer { rest = rest.dropFirst(count) }
                return read(rest.prefix(count))
            }
            let scalars = bytes.dropFirst(3 * CurvePoint.size)
            let numbers = stride(from: scalars.startIndex, to: scalars.endIndex, by: Scalar.size)
                .compactMap { Scalar(bytes[$0..<$0 + Scalar.size]) }
            guard numbers.count == hidden + 4, let last = numbers.last,
                let point = next(CurvePoint.size, { CurvePoint($0) }),
                let product = next(CurvePoint.size, { CurvePoint($0) }),
                let blinded = next(CurvePoint.size, { CurvePoint($0) })
            else { return nil }
            (self.point, self.product, self.blindedPoint) = (point, product, blinded)
            (exponent, r1, r3, challenge) = (numbers[0], numbers[1], numbers[2], last)
            messages = Array(numbers[3..<3 + hidden])
        }
    }

    /// The points from which the challenge of a proof is computed. In the notation of the draft, the fields are Abar,
    /// Bbar, D, T1 and T2.
    fileprivate struct Commitment {
        let point: CurvePoint
        let product: CurvePoint
        let blindedPoint: CurvePoint
        let t1: CurvePoint
        let t2: CurvePoint

        func makeChallenge(
            context: Context,
            disclosed: [(offset: Int, element: Scalar)],
            presentationHeader: [UInt8]
        ) -> Scalar {
            var input = Hashing.bigEndianBytes(disclosed.count)
            for (place, scalar) in disclosed { input += Hashing.bigEndianBytes(place) + scalar.bytes }
            for point in [point, product, blindedPoint, t1, t2] { input += point.bytes }
            input += context.domain.bytes + Hashing.bigEndianBytes(presentationHeader.count) + presentationHeader
            return Hashing.hashToScalar(input)
        }
    }

    /// The values of a signature or a proof that depend only on the key, the header and the number of messages.
    fileprivate struct Context {
        /// The generators of the messages.
        let generators: ArraySlice<CurvePoint>
        let domain: Scalar
        /// The part of a commitment that does not depend on messages.
        let basePoint: CurvePoint

        init(key: [UInt8], header: [UInt8], count: Int) {
            generators = Generators.messagePoints.prefix(count)
            var input = key + Hashing.bigEndianBytes(count) + Generators.encodedGenerators[0]
            for bytes in Generators.encodedGenerators.dropFirst().prefix(count) { input += bytes }
            input += Hashing.interfaceID + Hashing.bigEndianBytes(header.count) + header
            domain = Hashing.hashToScalar(input)
            basePoint = Generators.basePoint + Generators.domainPoint * domain
        }

        /// Returns the point of G1 that represents these messages. A signature signs this point.
        func makeCommitment(to messages: [Scalar]) -> CurvePoint {
            zip(generators, messages).reduce(basePoint) { $0 + $1.0 * $1.1 }
        }
    }

    /// Constant points of the ciphersuite. The draft lists P1, Q1 and the first ten generators of messages.
    private enum Generators {
        static let basePoint = CurvePoint(
            constant: "a8ce256102840821a3e94ea9025e4662b205762f9776b3a766c872b948f1fd225e7c59698588e70d11406d161b4e28c9"
        )
        static let domainPoint = CurvePoint(
            constant: "a9ec65b70a7fbe40c874c9eb041c2cb0a7af36ccec1bea48fa2ba4c2eb67ef7f9ecb17ed27d38d27cdeddff44c8137be"
        )
        static let messagePoints: [CurvePoint] =
            ([
                "98cd5313283aaf5db1b3ba8611fe6070d19e605de4078c38df36019fbaad0bd28dd090fd24ed27f7f4d22d5ff5dea7d4",
                "a31fbe20c5c135bcaa8d9fc4e4ac665cc6db0226f35e737507e803044093f37697a9d452490a970eea6f9ad6c3dcaa3a",
                "b479263445f4d2108965a9086f9d1fdc8cde77d14a91c856769521ad3344754cc5ce90d9bc4c696dffbc9ef1d6ad1b62",
                "ac0401766d2128d4791d922557c7b4d1ae9a9b508ce266575244a8d6f32110d7b0b7557b77604869633bb49afbe20035",
                "b95d2898370ebc542857746a316ce32fa5151c31f9b57915e308ee9d1de7db69127d919e984ea0747f5223821b596335",
                "8f19359ae6ee508157492c06765b7df09e2e5ad591115742f2de9c08572bb2845cbf03fd7e23b7f031ed9c7564e52f39",
                "abc914abe2926324b2c848e8a411a2b6df18cbe7758db8644145fefb0bf0a2d558a8c9946bd35e00c69d167aadf304c1",
                "80755b3eb0dd4249cbefd20f177cee88e0761c066b71794825c9997b551f24051c352567ba6c01e57ac75dff763eaa17",
                "82701eb98070728e1769525e73abff1783cedc364adb20c05c897a62f2ab2927f86f118dcb7819a7b218d8f3fee4bd7f",
                "a1f229540474f4d6f1134761b92b788128c7ac8dc9b0c52d59493132679673032ac7db3fb3d79b46b13c1c41ee495bca",
            ] as [StaticString]).map(CurvePoint.init(constant:))
        /// The encoded generators: first the generator of the domain, then the generators of the messages.
        static let encodedGenerators = ([domainPoint] + messagePoints).map(\.bytes)
    }

    /// The hash functions of the ciphersuite.
    enum Hashing {
        /// Number of bytes from which a scalar is made, so that all scalars have almost the same probability.
        static let wideSize = 48
        static let interfaceID = Array("BBS_BLS12381G1_XMD:SHA-256_SSWU_RO_H2G_HM2S_".utf8)
        private static let scalarTag = interfaceID + Array("H2S_".utf8)
        private static let messageTag = interfaceID + Array("MAP_MSG_TO_SCALAR_AS_HASH_".utf8)

        static func hashToScalar(_ input: [UInt8]) -> Scalar { Scalar(reducing: expandMessage(input, tag: scalarTag)) }

        /// Returns the scalar that represents a message.
        static func hashMessageToScalar(_ input: [UInt8]) -> Scalar {
            Scalar(reducing: expandMessage(input, tag: messageTag))
        }

        /// Returns a count or a place as eight big-endian bytes.
        static func bigEndianBytes(_ number: Int) -> [UInt8] {
            (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }

        /// Returns `count` bytes, at most 8,160, by `expand_message_xmd` of RFC 9380 with SHA-256. `tag` has at most
        /// 255 bytes.
        static func expandMessage(_ input: [UInt8], tag: [UInt8], count: Int = wideSize) -> [UInt8] {
            let suffix = tag + [UInt8(truncatingIfNeeded: tag.count)]
            let size = [UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
            let first = Digest.sha256([UInt8](repeating: 0, count: 64) + input + size + [0] + suffix)
            var out = [UInt8]()
            var block = [UInt8](repeating: 0, count: first.count)
            var number: UInt8 = 0
            while out.count < count {
                number &+= 1
                block = Digest.sha256(zip(first, block).map { $0 ^ $1 } + [number] + suffix)
                out += block
            }
            return Array(out.prefix(count))
        }
    }
}
