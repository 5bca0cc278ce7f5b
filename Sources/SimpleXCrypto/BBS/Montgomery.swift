/// A number below 2^384, the least significant word first.
typealias Limbs = InlineArray<6, UInt64>

/// Arithmetic modulo an odd number of at most 383 bits, with numbers in Montgomery form (multiplied by 2^384).
///
/// The time does not depend on the numbers. The functions are inlined where the modulus is a constant.
enum Montgomery {
    /// Returns `a + b` modulo `modulus`, for `a` and `b` below the modulus.
    @inline(__always)
    static func sum(_ a: Limbs, _ b: Limbs, _ modulus: Limbs) -> Limbs {
        var out = Limbs(repeating: 0)
        var carry: UInt64 = 0
        for index in 0..<6 { (out[index], carry) = added(a[index], b[index], carry) }
        return reduced(out, modulus)
    }

    /// Returns `a - b` modulo `modulus`, for `a` and `b` below the modulus.
    @inline(__always)
    static func difference(_ a: Limbs, _ b: Limbs, _ modulus: Limbs) -> Limbs {
        var (out, borrow) = subtracted(a, b)
        let mask = 0 &- borrow
        borrow = 0
        for index in 0..<6 { (out[index], borrow) = added(out[index], modulus[index] & mask, borrow) }
        return out
    }

    /// Returns `a · b / 2^384` modulo `modulus`, for `a` below 2^384 and `b` below the modulus.
    ///
    /// `inverse` is -1 / `modulus` modulo 2^64.
    @inline(__always)
    static func product(_ a: Limbs, _ b: Limbs, _ modulus: Limbs, inverse: UInt64) -> Limbs {
        // Single words are used instead of an array, so that the sums stay in registers.
        let (b0, b1, b2, b3, b4, b5) = (b[0], b[1], b[2], b[3], b[4], b[5])
        let (m0, m1, m2, m3, m4, m5) = (modulus[0], modulus[1], modulus[2], modulus[3], modulus[4], modulus[5])
        var s0: UInt64 = 0, s1: UInt64 = 0, s2: UInt64 = 0, s3: UInt64 = 0, s4: UInt64 = 0, s5: UInt64 = 0
        var top: UInt64 = 0
        var carry: UInt64 = 0
        @inline(__always)
        func addRow(_ word: UInt64) {
            (s0, carry) = multiplied(word, b0, s0, 0)
            (s1, carry) = multiplied(word, b1, s1, carry)
            (s2, carry) = multiplied(word, b2, s2, carry)
            (s3, carry) = multiplied(word, b3, s3, carry)
            (s4, carry) = multiplied(word, b4, s4, carry)
            (s5, carry) = multiplied(word, b5, s5, carry)
            // The modulus has less than 384 bits, so that the sum of a row fits into seven words.
            top = top &+ carry
            let factor = s0 &* inverse
            (_, carry) = multiplied(factor, m0, s0, 0)
            (s0, carry) = multiplied(factor, m1, s1, carry)
            (s1, carry) = multiplied(factor, m2, s2, carry)
            (s2, carry) = multiplied(factor, m3, s3, carry)
            (s3, carry) = multiplied(factor, m4, s4, carry)
            (s4, carry) = multiplied(factor, m5, s5, carry)
            (s5, top) = added(top, carry, 0)
        }
        addRow(a[0])
        addRow(a[1])
        addRow(a[2])
        addRow(a[3])
        addRow(a[4])
        addRow(a[5])
        return reduced([s0, s1, s2, s3, s4, s5], modulus)
    }

    /// Returns `a` or `a - modulus`, whichever is below the modulus, for `a` below twice the modulus.
    @inline(__always)
    static func reduced(_ a: Limbs, _ modulus: Limbs) -> Limbs {
        let (less, borrow) = subtracted(a, modulus)
        return selected(less, a, mask: borrow &- 1)
    }

    /// Returns `a` for a mask of ones, and `b` for a mask of zeros.
    @inline(__always)
    static func selected(_ a: Limbs, _ b: Limbs, mask: UInt64) -> Limbs {
        var out = b
        for index in 0..<6 { out[index] ^= mask & (a[index] ^ b[index]) }
        return out
    }

    /// Returns `a - b` modulo 2^384, and 1 if `a` is less than `b`, otherwise 0.
    @inline(__always)
    static func subtracted(_ a: Limbs, _ b: Limbs) -> (Limbs, UInt64) {
        var out = Limbs(repeating: 0)
        var borrow: UInt64 = 0
        for index in 0..<6 {
            let (once, first) = a[index].subtractingReportingOverflow(b[index])
            let (twice, second) = once.subtractingReportingOverflow(borrow)
            out[index] = twice
            borrow = (first ? 1 : 0) | (second ? 1 : 0)
        }
        return (out, borrow)
    }

    /// Returns whether all bits of `a ^ b` are zero.
    @inline(__always)
    static func areEqual(_ a: Limbs, _ b: Limbs) -> Bool {
        var bits: UInt64 = 0
        for index in 0..<6 { bits |= a[index] ^ b[index] }
        return bits == 0
    }

    /// Reads a number from at most 48 big-endian bytes. If there are more bytes, only the last 48 are read.
    static func parseLimbs(_ bytes: some BidirectionalCollection<UInt8>) -> Limbs {
        var out = Limbs(repeating: 0)
        for (place, byte) in bytes.suffix(48).reversed().enumerated() {
            out[place / 8] |= UInt64(byte) << (place % 8 * 8)
        }
        return out
    }

    /// Writes the number as `count` big-endian bytes, at most 48.
    static func encodeBytes(_ limbs: Limbs, count: Int) -> [UInt8] {
        (0..<min(count, 48)).reversed().map { UInt8(truncatingIfNeeded: limbs[$0 / 8] >> ($0 % 8 * 8)) }
    }

    @inline(__always)
    private static func added(_ a: UInt64, _ b: UInt64, _ carry: UInt64) -> (UInt64, UInt64) {
        let (once, first) = a.addingReportingOverflow(b)
        let (twice, second) = once.addingReportingOverflow(carry)
        return (twice, (first ? 1 : 0) &+ (second ? 1 : 0))
    }

    /// Returns the low and the high word of `a · b + c + d`, which always fits into two words.
    @inline(__always)
    private static func multiplied(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) -> (UInt64, UInt64) {
        let product = a.multipliedFullWidth(by: b)
        let (once, first) = product.low.addingReportingOverflow(c)
        let (twice, second) = once.addingReportingOverflow(d)
        return (twice, product.high &+ (first ? 1 : 0) &+ (second ? 1 : 0))
    }
}

/// An element of a field, which can be raised to a power.
protocol PoweredElement {
    static var one: Self { get }
    var squared: Self { get }
    static func * (a: Self, b: Self) -> Self
}

extension PoweredElement {
    /// Returns this element raised to `exponent`. The time depends on the exponent, which is not secret, and not on the
    /// element.
    /// - Parameter bits: the number of low bits of the exponent that are read.
    func raised(to exponent: Limbs, bits: Int = 384) -> Self {
        var power = Self.one
        for place in (0..<bits).reversed() {
            power = power.squared
            if exponent[place / 64] >> (place % 64) & 1 == 1 { power = power * self }
        }
        return power
    }
}
