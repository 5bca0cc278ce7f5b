/// A scalar of BLS12-381: an integer modulo the order r of the groups, a prime of 255 bits.
struct Scalar: PoweredElement, Equatable, Sendable {
    /// Number of bytes of an encoded scalar.
    static let size = 32
    /// Number of bits of the order r of the groups.
    static let bits = 255
    static let zero = Scalar(limbs: Limbs(repeating: 0))
    static let one = Scalar(limbs: [
        0xCF2A_B21B_F81F_712D, 0x9277_EFB8_AC0A_600D, 0x7ABB_E568_7369_510A, 0x2DBE_AF1F_D484_3ACB, 0, 0,
    ])

    /// The order r of the groups.
    @inline(__always)
    static var order: Limbs {
        [0xFFFF_FFFF_0000_0001, 0x53BD_A402_FFFE_5BFE, 0x3339_D808_09A1_D805, 0x73ED_A753_299D_7D48, 0, 0]
    }

    private static let negatedModulusInverse: UInt64 = 0xFFFF_FFFE_FFFF_FFFF
    /// 2^768 modulo r. Multiplication by this constant brings a number into Montgomery form.
    private static let rSquared: Limbs = [
        0xC62C_1807_439B_73AF, 0x1B3E_0D18_8CF0_6990, 0x73D1_3C71_C7B5_F418, 0x6E2A_5BB9_C8DB_33E9, 0, 0,
    ]

    private let limbs: Limbs

    private init(limbs: Limbs) { self.limbs = limbs }

    /// Reads 32 big-endian bytes; nil for another number of bytes, for 0, and for a number that is not below r.
    init?(_ bytes: some BidirectionalCollection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        let number = Montgomery.parseLimbs(bytes)
        guard Montgomery.subtracted(number, Self.order).1 == 1 else { return nil }
        self.init(limbs: Self.multiplied(number, Self.rSquared))
        guard self != .zero else { return nil }
    }

    /// Makes the scalar from the number in at most 48 big-endian bytes, reduced modulo r.
    init(reducing bytes: some BidirectionalCollection<UInt8>) {
        self.init(limbs: Self.multiplied(Montgomery.parseLimbs(bytes), Self.rSquared))
    }

    /// The number, not in Montgomery form.
    var number: Limbs { Self.multiplied(limbs, [1, 0, 0, 0, 0, 0]) }

    /// The number as 32 big-endian bytes.
    var bytes: [UInt8] { Montgomery.encodeBytes(number, count: Self.size) }

    static func + (a: Scalar, b: Scalar) -> Scalar { Scalar(limbs: Montgomery.sum(a.limbs, b.limbs, order)) }

    static func - (a: Scalar, b: Scalar) -> Scalar { Scalar(limbs: Montgomery.difference(a.limbs, b.limbs, order)) }

    static func * (a: Scalar, b: Scalar) -> Scalar { Scalar(limbs: multiplied(a.limbs, b.limbs)) }

    static func == (a: Scalar, b: Scalar) -> Bool { Montgomery.areEqual(a.limbs, b.limbs) }

    var squared: Scalar { self * self }

    /// 1 / self, and 0 for 0. The exponent is a constant, so that the time is constant.
    var inverted: Scalar {
        raised(to: Montgomery.subtracted(Self.order, [2, 0, 0, 0, 0, 0]).0, bits: Self.bits)
    }

    @inline(never)
    private static func multiplied(_ a: Limbs, _ b: Limbs) -> Limbs {
        Montgomery.product(a, b, order, inverse: negatedModulusInverse)
    }
}
