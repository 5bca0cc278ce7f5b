/// An element of the field of the curve BLS12-381: the integers modulo the prime p of 381 bits.
struct BaseField: PoweredElement, Equatable, Sendable {
    /// Number of bytes of an encoded element.
    static let size = 48
    static let zero = BaseField(limbs: Limbs(repeating: 0))
    static let one = BaseField(limbs: [
        0x7609_0000_0002_FFFD, 0xEBF4_000B_C40C_0002, 0x5F48_9857_53C7_58BA,
        0x77CE_5853_7052_5745, 0x5C07_1A97_A256_EC6D, 0x15F6_5EC3_FA80_E493,
    ])

    @inline(__always)
    static var modulus: Limbs {
        [
            0xB9FE_FFFF_FFFF_AAAB, 0x1EAB_FFFE_B153_FFFF, 0x6730_D2A0_F6B0_F624,
            0x6477_4B84_F385_12BF, 0x4B1B_A7B6_434B_ACD7, 0x1A01_11EA_397F_E69A,
        ]
    }

    private static let negatedModulusInverse: UInt64 = 0x89F3_FFFC_FFFC_FFFD
    /// 2^768 modulo p. Multiplication by this constant brings a number into Montgomery form.
    private static let rSquared: Limbs = [
        0xF4DF_1F34_1C34_1746, 0x0A76_E6A6_09D1_04F1, 0x8DE5_476C_4C95_B6D5,
        0x67EB_88A9_939D_83C0, 0x9A79_3E85_B519_952D, 0x1198_8FE5_92CA_E3AA,
    ]

    /// The number in Montgomery form, below p.
    var limbs: Limbs

    init(limbs: Limbs) { self.limbs = limbs }

    init(_ number: UInt64) {
        self.init(limbs: Self.multiplied([number, 0, 0, 0, 0, 0], Self.rSquared))
    }

    /// Reads 48 big-endian bytes; nil for another number of bytes, and for a number that is not below p.
    init?(_ bytes: some BidirectionalCollection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        let number = Montgomery.parseLimbs(bytes)
        guard Montgomery.subtracted(number, Self.modulus).1 == 1 else { return nil }
        self.init(limbs: Self.multiplied(number, Self.rSquared))
    }

    /// The number as 48 big-endian bytes.
    var bytes: [UInt8] { Montgomery.encodeBytes(number, count: Self.size) }

    /// Whether the number is greater than (p - 1) / 2: the sign in encoded points.
    var isUpperHalf: Bool { Montgomery.subtracted(Self.halfModulus, number).1 == 1 }

    private var number: Limbs { Self.multiplied(limbs, [1, 0, 0, 0, 0, 0]) }

    static func + (a: BaseField, b: BaseField) -> BaseField {
        BaseField(limbs: Montgomery.sum(a.limbs, b.limbs, modulus))
    }

    static func - (a: BaseField, b: BaseField) -> BaseField {
        BaseField(limbs: Montgomery.difference(a.limbs, b.limbs, modulus))
    }

    static prefix func - (a: BaseField) -> BaseField { zero - a }

    static func * (a: BaseField, b: BaseField) -> BaseField { BaseField(limbs: multiplied(a.limbs, b.limbs)) }

    static func == (a: BaseField, b: BaseField) -> Bool { Montgomery.areEqual(a.limbs, b.limbs) }

    var squared: BaseField { self * self }
    var doubled: BaseField { self + self }

    /// 1 / self, and 0 for 0.
    var inverted: BaseField { raised(to: Self.modulusLess2) }

    /// A square root, or nil if there is none.
    var squareRoot: BaseField? {
        // Since p is 3 modulo 4, the power with the exponent (p + 1) / 4 is a square root, if there is one.
        let root = raised(to: Self.modulusPlus1Quarter)
        return root.squared == self ? root : nil
    }

    /// Returns `a` for a mask of ones, and `b` for a mask of zeros.
    @inline(__always)
    static func select(_ a: BaseField, _ b: BaseField, mask: UInt64) -> BaseField {
        BaseField(limbs: Montgomery.selected(a.limbs, b.limbs, mask: mask))
    }

    @inline(never)
    private static func multiplied(_ a: Limbs, _ b: Limbs) -> Limbs {
        Montgomery.product(a, b, modulus, inverse: negatedModulusInverse)
    }

    /// p - 2, the exponent of an inverse.
    private static let modulusLess2 = Montgomery.subtracted(modulus, [2, 0, 0, 0, 0, 0]).0
    /// (p - 1) / 2, the largest number of the lower half.
    static let halfModulus = shifted(Montgomery.subtracted(modulus, [1, 0, 0, 0, 0, 0]).0, by: 1)
    /// (p + 1) / 4, the exponent of a square root.
    private static let modulusPlus1Quarter = shifted(
        Montgomery.subtracted(modulus, Limbs(repeating: .max)).0,
        by: 2
    )
    /// (p - 3) / 4, the exponent for a square root in the quadratic field.
    static let modulusLess3Quarter = shifted(Montgomery.subtracted(modulus, [3, 0, 0, 0, 0, 0]).0, by: 2)

    private static func shifted(_ limbs: Limbs, by count: UInt64) -> Limbs {
        var out = limbs
        for index in 0..<6 {
            let next = index < 5 ? limbs[index + 1] : 0
            out[index] = limbs[index] >> count | next << (64 - count)
        }
        return out
    }
}
