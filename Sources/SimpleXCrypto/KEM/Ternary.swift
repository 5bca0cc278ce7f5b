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
        var rows = DivisionSteps(of: coefficients, start: 1)
        rows.runAllSteps(
            reduceHead: { $0 },
            factors: { f, g in 0 &- f &* g },
            eliminate: { factor, g, f in
                // Adding 3 moves -2…2 to 1…5. Then 3 is subtracted once, and a second time if the difference is 2.
                let sum = g &+ factor &* f &+ 3
                let positive = sum &- 3 &* ((sum &+ 1) &>> 2)
                return positive &- 3 &* (positive &>> 1)
            }
        )
        guard rows.isInvertible else { return nil }
        let sign = rows.headCoefficient
        return Ternary(coefficients: rows.inverseCoefficients.map { sign &* $0 })
    }
}
