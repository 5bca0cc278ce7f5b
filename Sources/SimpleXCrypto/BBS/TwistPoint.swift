/// A point of the curve y² = x³ + 4·(1 + u) over the quadratic field: a member of G2. The points of G2 are public keys,
/// so the time may depend on a point. Only an issuer uses `multiplied(by:)` with a secret key.
struct TwistPoint: Sendable {
    /// Number of bytes of an encoded point.
    static let size = 96

    let x: QuadraticField
    let y: QuadraticField

    private init(x: QuadraticField, y: QuadraticField) {
        self.x = x
        self.y = y
    }

    /// Reads a compressed point of 96 bytes. Returns nil for another number of bytes, for another form of point, and
    /// for the identity. Also returns nil for numbers that are not below p, and for a point outside of the curve or of
    /// the group G2.
    init?(_ bytes: some RandomAccessCollection<UInt8>) {
        guard let (numbers, isLarge) = PointForm.decodePoint(bytes, count: Self.size),
            let imaginary = BaseField(numbers.prefix(BaseField.size)),
            let real = BaseField(numbers.suffix(BaseField.size))
        else { return nil }
        let x = QuadraticField(real, imaginary)
        guard let root = (x.squared * x + QuadraticField(BaseField(4), BaseField(4))).squareRoot else { return nil }
        self.init(x: x, y: Self.isLarge(root) == isLarge ? root : -root)
        guard multiplied(by: Scalar.order).isIdentity else { return nil }
    }

    /// The compressed form of the point, 96 bytes.
    var bytes: [UInt8] { PointForm.encodePoint(x.imaginary.bytes + x.real.bytes, isLarge: Self.isLarge(y)) }

    /// Returns the multiple of this point by `scalar`; nil when the multiple is the identity.
    func multiplied(by scalar: Scalar) -> TwistPoint? {
        let point = multiplied(by: scalar.number)
        guard !point.isIdentity else { return nil }
        let factor = point.z.inverted
        let square = factor.squared
        return TwistPoint(x: point.x * square, y: point.y * square * factor)
    }

    private func multiplied(by number: Limbs) -> JacobianTwistPoint {
        var sum = JacobianTwistPoint.identity
        for place in (0..<256).reversed() {
            sum.doubleReturningTangent()
            if number[place / 64] >> (place % 64) & 1 == 1 { sum.addReturningLine(self) }
        }
        return sum
    }

    private static func isLarge(_ y: QuadraticField) -> Bool {
        y.imaginary == .zero ? y.real.isUpperHalf : y.imaginary.isUpperHalf
    }

    /// The generator of G2 (RFC 9380 and the drafts of BLS12-381 name it BP2).
    static let generator: TwistPoint = {
        let hex: StaticString = """
            93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e\
            024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8
            """
        guard let bytes = Hex.decode(hex.withUTF8Buffer(Array.init)), let point = TwistPoint(bytes) else {
            preconditionFailure("a constant is no point of G2")
        }
        return point
    }()
}

/// A point of the twisted curve in Jacobian coordinates (x = X / Z², y = Y / Z³).
struct JacobianTwistPoint {
    private(set) var x: QuadraticField
    private(set) var y: QuadraticField
    private(set) var z: QuadraticField

    static let identity = JacobianTwistPoint(x: .one, y: .one, z: .zero)

    private init(x: QuadraticField, y: QuadraticField, z: QuadraticField) {
        (self.x, self.y, self.z) = (x, y, z)
    }

    init(_ point: TwistPoint) {
        (x, y, z) = (point.x, point.y, .one)
    }

    var isIdentity: Bool { z == .zero }

    /// A line through the point: its value at (x, y) is `constant + slope·x·v + y·height·v·w`, without factors that the
    /// final power of the pairing removes.
    struct Line {
        var constant: QuadraticField
        var slope: QuadraticField
        var height: QuadraticField
    }

    /// Doubles the point, and returns the tangent at the old point.
    @discardableResult
    mutating func doubleReturningTangent() -> Line {
        let (square, yy, zz) = (x.squared, y.squared, z.squared)
        let fourth = yy.squared
        let threefold = square.doubled + square
        let middle = ((x + yy).squared - square - fourth).doubled
        let newZ = (y * z).doubled
        let line = Line(
            constant: threefold * x - yy.doubled,
            slope: -(threefold * zz),
            height: newZ * zz
        )
        let newX = threefold.squared - middle.doubled
        y = threefold * (middle - newX) - fourth.doubled.doubled.doubled
        x = newX
        z = newZ
        return line
    }

    /// Adds `other` to this point.
    /// - Returns: the line through the two points; nil when this point or the sum is the identity.
    @discardableResult
    mutating func addReturningLine(_ other: TwistPoint) -> Line? {
        guard !isIdentity else {
            self = JacobianTwistPoint(other)
            return nil
        }
        let zz = z.squared
        let run = other.x * zz - x
        let rise = other.y * zz * z - y
        guard run != .zero else {
            if rise == .zero { return doubleReturningTangent() }
            self = .identity
            return nil
        }
        let newZ = z * run
        let line = Line(constant: rise * other.x - other.y * newZ, slope: -rise, height: newZ)
        let square = run.squared
        let cube = square * run
        let middle = x * square
        let newX = rise.squared - cube - middle.doubled
        y = rise * (middle - newX) - y * cube
        x = newX
        z = newZ
        return line
    }
}
