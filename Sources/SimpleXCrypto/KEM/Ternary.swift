/// A polynomial with coefficients -1, 0 and 1.
struct Ternary {
    var coefficients: [Int16]

    /// Number of bytes of the encoding, with four coefficients in each byte.
    static let encodedSize = 191

    // MARK: Random

    /// Makes a polynomial whose coefficients are random and independent.
    static func makeRandom(random: (Int) -> SecretBytes) -> Ternary {
        Ternary(
            coefficients: randomWords(random).map { Int16(truncatingIfNeeded: (($0 & 0x3fff_ffff) &* 3) &>> 30) &- 1 }
        )
    }

    /// Makes a polynomial with 286 nonzero coefficients at random positions: sorts random numbers, whose last bits
    /// contain the coefficients.
    static func makeShort(random: (Int) -> SecretBytes) -> Ternary {
        var words = randomWords(random)
        for index in 0..<PrimeRing.weight { words[index] &= ~1 }
        for index in PrimeRing.weight..<PrimeRing.degree { words[index] = (words[index] & ~2) | 1 }
        ConstantTimeSort.sortWords(&words)
        let result = Ternary(coefficients: words.map { Int16(truncatingIfNeeded: $0 & 3) &- 1 })
        words.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
        return result
    }

    private static func randomWords(_ random: (Int) -> SecretBytes) -> [UInt32] {
        random(4 * PrimeRing.degree).withBytes { bytes in
            (0..<PrimeRing.degree).map {
                UInt32(
                    littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)
                )
            }
        }
    }

    // MARK: Encoding

    var encoded: SecretBytes {
        SecretBytes(count: Self.encodedSize) { out in
            for byte in 0..<190 {
                var value: Int16 = 0
                for place in 0..<4 { value |= (coefficients[4 * byte + place] &+ 1) << Int16(2 * place) }
                out[byte] = UInt8(truncatingIfNeeded: value)
            }
            out[190] = UInt8(truncatingIfNeeded: coefficients[760] &+ 1)
        }
    }

    init(coefficients: [Int16]) { self.coefficients = coefficients }

    /// Decodes a polynomial from 191 bytes.
    init(decoding encoded: SecretBytes) {
        coefficients = encoded.withBytes { bytes in
            (0..<PrimeRing.degree).map { index in
                index / 4 < bytes.count ? Int16((bytes[index / 4] >> UInt8(2 * (index % 4))) & 3) &- 1 : 0
            }
        }
    }

    // MARK: Arithmetic

    func product(_ other: Ternary) -> Ternary {
        Ternary(coefficients: PrimeRing.product(coefficients, other.coefficients).map(PrimeRing.reduceModulo3))
    }

    /// A mask: 0 if exactly 286 coefficients are not 0, otherwise -1.
    var weightMask: Int16 {
        PrimeRing.maskOfNonZero(coefficients.reduce(0) { $0 &+ ($1 & 1) } &- Int16(PrimeRing.weight))
    }

    /// The inverse modulo 3; nil when there is none. The result nil need not stay secret, because a polynomial without
    /// an inverse never becomes a key.
    var inverse: Ternary? {
        // Coefficients from -2 to 2 fit into bytes. The processor handles twice as many bytes as 16-bit numbers at
        // once.
        var rows = DivisionSteps<Int8>(of: coefficients.map { Int8(truncatingIfNeeded: $0) }, start: 1)
        rows.runAllSteps(
            reduceHead: { Int16($0) },
            factors: { f, g in NegatedTernaryFactor(f &* g) },
            eliminate: { factor, g, f in
                // The sum is from -2 to 2. It is reduced modulo 3: 3 is subtracted from 2, and added to -2.
                let sum = g &+ factor.times(f)
                return sum &- (3 & ((1 &- sum) &>> 7)) &+ (3 & ((sum &+ 1) &>> 7))
            }
        )
        guard rows.isInvertible else { return nil }
        let sign = Int16(rows.headCoefficient)
        return Ternary(coefficients: rows.inverseCoefficients.map { sign &* Int16($0) })
    }
}

/// The negative of a factor (-1, 0 or 1), prepared for many multiplications. Masks replace the multiplications, because
/// processors cannot multiply many bytes at once.
private struct NegatedTernaryFactor {
    private let negates: Int8
    private let keeps: Int8

    @inline(__always)
    init(_ factor: Int8) {
        // The product with the factor 1 is negated.
        negates = (0 &- factor) &>> 7
        keeps = (factor &>> 7) | negates
    }

    @inline(__always)
    func times(_ x: Int8) -> Int8 { ((x ^ negates) &- negates) & keeps }
}
