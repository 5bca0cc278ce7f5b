/// A point of the curve y² = x³ + 4 over the base field: a member of G1 once `isInGroup` has confirmed it.
///
/// The coordinates are projective (x = X / Z, y = Y / Z). The formulas are complete for this curve, which has no point
/// of order 2 (Renes, Costello, Batina, "Complete addition formulas for prime order elliptic curves", algorithms 7 and
/// 9). The time of an operation does not depend on the points or the scalar.
struct CurvePoint: Sendable {
    /// Number of bytes of an encoded point.
    static let size = 48
    static let identity = CurvePoint(x: .zero, y: .one, z: .zero)

    private let x: BaseField
    private let y: BaseField
    private let z: BaseField

    private init(x: BaseField, y: BaseField, z: BaseField) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// Reads a compressed point of 48 bytes. Returns nil for another number of bytes, for another form of point, and
    /// for the identity. Also returns nil for a number that is not below p, and for a point outside of the curve or of
    /// the group G1.
    init?(_ bytes: some RandomAccessCollection<UInt8>) {
        guard let (numbers, isLarge) = PointForm.decodePoint(bytes, count: Self.size), let x = BaseField(numbers),
            let root = (x.squared * x + BaseField(4)).squareRoot
        else { return nil }
        self.init(x: x, y: root.isUpperHalf == isLarge ? root : -root, z: .one)
        guard isInGroup else { return nil }
    }

    /// Reads a constant of the program, which is known to be a point of G1.
    init(constant hex: StaticString) {
        guard let bytes = Hex.decode(hex.withUTF8Buffer(Array.init)), let point = CurvePoint(bytes) else {
            preconditionFailure("a constant is no point of G1")
        }
        self = point
    }

    /// The compressed form of the point, 48 bytes.
    var bytes: [UInt8] {
        guard let affine else { return PointForm.encodeIdentity(count: Self.size) }
        return PointForm.encodePoint(affine.x.bytes, isLarge: affine.y.isUpperHalf)
    }

    /// The affine coordinates, nil for the identity.
    var affine: (x: BaseField, y: BaseField)? {
        guard !isIdentity else { return nil }
        let factor = z.inverted
        return (x * factor, y * factor)
    }

    var isIdentity: Bool { z == .zero }

    static prefix func - (a: CurvePoint) -> CurvePoint { CurvePoint(x: a.x, y: -a.y, z: a.z) }

    static func - (a: CurvePoint, b: CurvePoint) -> CurvePoint { a + -b }

    static func + (a: CurvePoint, b: CurvePoint) -> CurvePoint {
        let (xx, yy, zz) = (a.x * b.x, a.y * b.y, a.z * b.z)
        let xy = (a.x + a.y) * (b.x + b.y) - xx - yy
        let yz = (a.y + a.z) * (b.y + b.z) - yy - zz
        let xz = times12((a.x + a.z) * (b.x + b.z) - xx - zz)
        let threefold = xx.doubled + xx
        let shift = times12(zz)
        let (plus, minus) = (yy + shift, yy - shift)
        return CurvePoint(
            x: xy * minus - yz * xz,
            y: minus * plus + threefold * xz,
            z: plus * yz + threefold * xy
        )
    }

    var doubled: CurvePoint {
        let yy = y.squared
        let shift = Self.times12(z.squared)
        let eightfold = yy.doubled.doubled.doubled
        let rest = yy - (shift.doubled + shift)
        return CurvePoint(
            x: (rest * (x * y)).doubled,
            y: rest * (yy + shift) + eightfold * shift,
            z: eightfold * (y * z)
        )
    }

    static func * (point: CurvePoint, scalar: Scalar) -> CurvePoint { point.multiplied(by: scalar.number) }

    /// Whether the order of the point divides r. The points of the curve outside of G1 have another order.
    private var isInGroup: Bool { multiplied(by: Scalar.order).isIdentity }

    /// Returns the product of this point and a number below 2^256. Processes four bits of the number at a time.
    private func multiplied(by number: Limbs) -> CurvePoint {
        var multiples = InlineArray<16, CurvePoint>(repeating: .identity)
        for index in 1..<16 { multiples[index] = multiples[index - 1] + self }
        var sum = CurvePoint.identity
        for place in (0..<64).reversed() {
            sum = sum.doubled.doubled.doubled.doubled
            let digit = number[place / 16] >> (place % 16 * 4) & 15
            // Reads the whole table of multiples, so that the addresses of the read memory do not depend on the digit.
            var chosen = CurvePoint.identity
            for index in 1..<16 {
                let difference = digit ^ UInt64(index)
                let mask = ((difference &- 1) >> 63) &* .max
                let multiple = multiples[index]
                chosen = CurvePoint(
                    x: .select(multiple.x, chosen.x, mask: mask),
                    y: .select(multiple.y, chosen.y, mask: mask),
                    z: .select(multiple.z, chosen.z, mask: mask)
                )
            }
            sum = sum + chosen
        }
        return sum
    }

    /// Returns `a` · 12. The factor 12 is three times the constant 4 in the equation of the curve.
    private static func times12(_ a: BaseField) -> BaseField {
        let fourfold = a.doubled.doubled
        return fourfold.doubled + fourfold
    }
}

/// The compressed form of points: the first coordinate with three flags in the first bits.
enum PointForm {
    private static let compressedFlag: UInt8 = 0x80
    private static let infinityFlag: UInt8 = 0x40
    private static let largeFlag: UInt8 = 0x20

    /// Returns the bytes without flags, and whether the second coordinate is the larger root. Returns nil for another
    /// number of bytes than `count`, for an uncompressed point and for the identity.
    static func decodePoint(
        _ bytes: some RandomAccessCollection<UInt8>,
        count: Int
    ) -> (numbers: [UInt8], isLarge: Bool)? {
        guard bytes.count == count, let first = bytes.first, first & (compressedFlag | infinityFlag) == compressedFlag
        else {
            return nil
        }
        return ([first & 0x1F] + bytes.dropFirst(), first & largeFlag != 0)
    }

    static func encodePoint(_ numbers: [UInt8], isLarge: Bool) -> [UInt8] {
        [compressedFlag | (isLarge ? largeFlag : 0) | (numbers.first ?? 0)] + numbers.dropFirst()
    }

    static func encodeIdentity(count: Int) -> [UInt8] {
        [compressedFlag | infinityFlag] + [UInt8](repeating: 0, count: count - 1)
    }
}
