import JSON
import Testing
import TestSupport

@testable import SimpleXCrypto

@Suite struct SNTRUP761Tests {
    @Test
    func `Decapsulation of valid and of changed sntrup761 ciphertexts returns the secrets of simplexmq`() throws {
        let vectors = try Fixture.readVectors("sntrup761")
        #expect(vectors["sizes"]?["secretKey"]?.integerValue == Int64(SNTRUP761.privateKeySize))
        let cases = try #require(vectors["vectors"]?.arrayValue)
        #expect(cases.count == 6)
        for vector in cases {
            let key = try SNTRUP761.PrivateKey(rawRepresentation: readHex(vector, "secretKey"))
            #expect(try key.publicKey.rawRepresentation == readHex(vector, "publicKey"))
            var ciphertext = try readHex(vector, "ciphertext")
            #expect(
                try key.decapsulate(SNTRUP761.Ciphertext(rawRepresentation: ciphertext)).bytes
                    == readHex(vector, "sharedSecret")
            )
            ciphertext[Int(try #require(vector["tamperedByteOffset"]?.integerValue))] ^= 0xff
            #expect(
                try key.decapsulate(SNTRUP761.Ciphertext(rawRepresentation: ciphertext)).bytes
                    == readHex(vector, "tamperedSharedSecret")
            )
        }
    }

    @Test
    func `Encapsulation and decapsulation with sntrup761 return the same secret`() throws {
        let key = SNTRUP761.PrivateKey()
        #expect(key.rawRepresentation.count == SNTRUP761.privateKeySize)
        let stored = try SNTRUP761.PrivateKey(secret: key.rawRepresentation)
        #expect(stored.publicKey == key.publicKey)
        let (first, firstSecret) = key.publicKey.encapsulate(), (second, secondSecret) = key.publicKey.encapsulate()
        #expect(first != second)
        #expect(firstSecret != secondSecret)
        #expect(key.decapsulate(first) == firstSecret)
        #expect(stored.decapsulate(second) == secondSecret)
        #expect(SNTRUP761.PrivateKey().publicKey != key.publicKey)
    }

    @Test
    func `The same random bytes give the same sntrup761 key and the same ciphertext`() {
        func stream(_ seed: UInt8) -> (Int) -> SecretBytes {
            { count in
                SecretBytes((0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 167 &+ Int(seed) &* 13) ^ ($0 >> 3)) })
            }
        }
        let key = SNTRUP761.PrivateKey(random: stream(1))
        #expect(key == SNTRUP761.PrivateKey(random: stream(1)))
        #expect(
            key.publicKey.encapsulate(random: stream(2)).ciphertext
                == key.publicKey.encapsulate(random: stream(2)).ciphertext
        )
    }

    @Test(arguments: 0..<3)
    func `The product of a polynomial of sntrup761 and its inverse is one`(part: Int) throws {
        var random = SeededRandom(part: part)
        let f = Ternary.makeShort { SecretBytes(random.randomBytes($0)) }
        #expect(f.weightMask == 0)
        // The inverse of 3f, multiplied by f and by 3, is 1.
        let one = Polynomial.product(Polynomial.computeInverseOfThree(times: f), f).timesThree
        #expect(one.coefficients == [1] + [Int16](repeating: 0, count: 760))
        let g = Ternary.makeRandom { SecretBytes(random.randomBytes($0)) }
        if let inverse = g.inverse {
            #expect(inverse.product(g).coefficients == [1] + [Int16](repeating: 0, count: 760))
        }
        #expect(Ternary(coefficients: [Int16](repeating: 0, count: 761)).inverse == nil)
    }

    /// Returns the polynomial with these coefficients at these positions, and 0 at all other positions.
    private func makePolynomial(_ coefficients: [Int: Int16]) -> [Int16] {
        (0..<761).map { coefficients[$0] ?? 0 }
    }

    /// These polynomials have their only coefficient near an end of the row. In the ring, x^761 = x + 1, so the inverse
    /// of x is x^760 - 1.
    @Test(arguments: [(0, [0: 1]), (1, [0: -1, 760: 1]), (760, nil)] as [(Int, [Int: Int16]?)])
    func `The powers 1, x and x^760 have the right inverses in both rings of sntrup761`(
        exponent: Int,
        expected: [Int: Int16]?
    ) throws {
        let power = Ternary(coefficients: makePolynomial([exponent: 1]))
        let inverse = Polynomial.computeInverseOfThree(times: power).timesThree
        let inverseModulo3 = try #require(power.inverse)
        let one = makePolynomial([0: 1])
        #expect(Polynomial.product(inverse, power).coefficients == one)
        #expect(inverseModulo3.product(power).coefficients == one)
        if let expected {
            #expect(inverse.coefficients == makePolynomial(expected))
            #expect(inverseModulo3.coefficients == makePolynomial(expected))
        }
    }

    @Test(arguments: [(UInt16(4591), 1158), (1531, 1007)])
    func `Lists of numbers below each bound are encoded and decoded unchanged in sntrup761`(bound: UInt16, size: Int) {
        var random = SeededRandom(part: Int(bound))
        let numbers = (0..<761).map { _ in UInt16.random(in: 0..<bound, using: &random) }
        let encoded = MixedRadix.encode(numbers, bound: bound)
        #expect(encoded.count == size)
        #expect(MixedRadix.decode(encoded, count: 761, bound: bound) == numbers)
        #expect(
            MixedRadix.decode([UInt8](repeating: 255, count: size), count: 761, bound: bound).allSatisfy { $0 < bound }
        )
        #expect(MixedRadix.decode([], count: 761, bound: bound).allSatisfy { $0 == 0 })
    }

    @Test(arguments: [0, 1, 2, 3, 17, 64, 100, 761])
    func `The constant-time sort of sntrup761 returns the order of a plain sort`(count: Int) {
        var random = SeededRandom(part: count)
        var words = (0..<count).map { _ in UInt32.random(in: 0...UInt32.max, using: &random) }
        let expected = words.sorted()
        ConstantTimeSort.sortWords(&words)
        #expect(words == expected)
    }

    @Test
    func `Keys and ciphertexts of sntrup761 with a wrong length are refused`() {
        #expect(throws: CryptoError.self) { try SNTRUP761.PublicKey(rawRepresentation: [1]) }
        #expect(throws: CryptoError.self) { try SNTRUP761.Ciphertext(rawRepresentation: []) }
        #expect(throws: CryptoError.self) {
            try SNTRUP761.PrivateKey(rawRepresentation: [UInt8](repeating: 0, count: 1764))
        }
    }

    private func readHex(_ vector: JSONValue, _ name: String) throws -> [UInt8] {
        try #require(vector[name]?.stringValue.flatMap { [UInt8](hex: $0) })
    }
}
