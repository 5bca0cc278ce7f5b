/// The extension of degree 2 of the base field: `real + imaginary · u` with u² = -1.
struct QuadraticField: PoweredElement, Equatable, Sendable {
    static let zero = QuadraticField(.zero, .zero)
    static let one = QuadraticField(.one, .zero)

    var real: BaseField
    var imaginary: BaseField

    init(_ real: BaseField, _ imaginary: BaseField) {
        self.real = real
        self.imaginary = imaginary
    }

    static func + (a: QuadraticField, b: QuadraticField) -> QuadraticField {
        QuadraticField(a.real + b.real, a.imaginary + b.imaginary)
    }

    static func - (a: QuadraticField, b: QuadraticField) -> QuadraticField {
        QuadraticField(a.real - b.real, a.imaginary - b.imaginary)
    }

    static prefix func - (a: QuadraticField) -> QuadraticField { QuadraticField(-a.real, -a.imaginary) }

    static func * (a: QuadraticField, b: QuadraticField) -> QuadraticField {
        let reals = a.real * b.real
        let imaginaries = a.imaginary * b.imaginary
        let mixed = (a.real + a.imaginary) * (b.real + b.imaginary)
        return QuadraticField(reals - imaginaries, mixed - reals - imaginaries)
    }

    static func * (a: QuadraticField, b: BaseField) -> QuadraticField {
        QuadraticField(a.real * b, a.imaginary * b)
    }

    var squared: QuadraticField {
        QuadraticField((real + imaginary) * (real - imaginary), (real * imaginary).doubled)
    }

    var doubled: QuadraticField { self + self }
    var conjugated: QuadraticField { QuadraticField(real, -imaginary) }

    /// This element multiplied by 1 + u. The next extension is made with a cube root of 1 + u.
    var timesNonResidue: QuadraticField { QuadraticField(real - imaginary, real + imaginary) }

    /// 1 / self, and 0 for 0.
    var inverted: QuadraticField { conjugated * (real.squared + imaginary.squared).inverted }

    /// A square root, or nil if there is none. The time depends on the element, so the element must not be secret.
    var squareRoot: QuadraticField? {
        // The method for p = 3 modulo 4: Adj and Rodríguez-Henríquez, "Square root computation over even extension
        // fields", algorithm 9.
        let power = raised(to: BaseField.modulusLess3Quarter)
        let root = power * self
        let test = power * root
        let candidate =
            test == QuadraticField(-.one, .zero)
            ? QuadraticField(-root.imaginary, root.real)
            : (QuadraticField.one + test).raised(to: BaseField.halfModulus) * root
        return candidate.squared == self ? candidate : nil
    }
}

/// The extension of degree 6: `a + b·v + c·v²` with v³ = 1 + u.
struct SexticField: Equatable, Sendable {
    static let zero = SexticField(.zero, .zero, .zero)
    static let one = SexticField(.one, .zero, .zero)

    var a: QuadraticField
    var b: QuadraticField
    var c: QuadraticField

    init(_ a: QuadraticField, _ b: QuadraticField, _ c: QuadraticField) {
        self.a = a
        self.b = b
        self.c = c
    }

    static func + (x: SexticField, y: SexticField) -> SexticField { SexticField(x.a + y.a, x.b + y.b, x.c + y.c) }

    static func - (x: SexticField, y: SexticField) -> SexticField { SexticField(x.a - y.a, x.b - y.b, x.c - y.c) }

    static prefix func - (x: SexticField) -> SexticField { SexticField(-x.a, -x.b, -x.c) }

    static func * (x: SexticField, y: SexticField) -> SexticField {
        let aa = x.a * y.a
        let bb = x.b * y.b
        let cc = x.c * y.c
        let bc = (x.b + x.c) * (y.b + y.c) - bb - cc
        let ab = (x.a + x.b) * (y.a + y.b) - aa - bb
        let ac = (x.a + x.c) * (y.a + y.c) - aa - cc
        return SexticField(aa + bc.timesNonResidue, ab + cc.timesNonResidue, ac + bb)
    }

    /// This element multiplied by v, whose cube is 1 + u.
    var timesNonResidue: SexticField { SexticField(c.timesNonResidue, a, b) }

    /// 1 / self, and 0 for 0.
    var inverted: SexticField {
        let first = a.squared - (b * c).timesNonResidue
        let second = c.squared.timesNonResidue - a * b
        let third = b.squared - a * c
        let norm = a * first + (b * third + c * second).timesNonResidue
        let factor = norm.inverted
        return SexticField(first * factor, second * factor, third * factor)
    }
}

/// The extension of degree 12, the field of the values of the pairing: `low + high · w` with w² = v.
struct DodecicField: Equatable, Sendable {
    static let one = DodecicField(.one, .zero)

    var low: SexticField
    var high: SexticField

    init(_ low: SexticField, _ high: SexticField) {
        self.low = low
        self.high = high
    }

    static func * (x: DodecicField, y: DodecicField) -> DodecicField {
        let lows = x.low * y.low
        let highs = x.high * y.high
        let mixed = (x.low + x.high) * (y.low + y.high)
        return DodecicField(lows + highs.timesNonResidue, mixed - lows - highs)
    }

    var squared: DodecicField {
        let product = low * high
        let mixed = (low + high) * (low + high.timesNonResidue)
        return DodecicField(mixed - product - product.timesNonResidue, product + product)
    }

    /// This element raised to the power p^6, which is the inverse for an element whose norm is 1.
    var conjugated: DodecicField { DodecicField(low, -high) }

    /// 1 / self, and 0 for 0.
    var inverted: DodecicField {
        let factor = (low * low - (high * high).timesNonResidue).inverted
        return DodecicField(low * factor, -(high * factor))
    }

    /// This element raised to the power p, the prime of the base field.
    var frobenius: DodecicField {
        let (one, two) = (Self.frobeniusFactor, Self.frobeniusFactorSquared)
        let (three, four) = (two * one, two * two)
        return DodecicField(
            SexticField(low.a.conjugated, low.b.conjugated * two, low.c.conjugated * four),
            SexticField(high.a.conjugated * one, high.b.conjugated * three, high.c.conjugated * (four * one))
        )
    }

    /// w^(p - 1), which is (1 + u)^((p - 1) / 6).
    private static let frobeniusFactor = QuadraticField(.one, .one).raised(to: oneSixthOfModulusLess1)
    private static let frobeniusFactorSquared = frobeniusFactor.squared

    /// (p - 1) / 6, the exponent of ``frobeniusFactor``.
    private static let oneSixthOfModulusLess1: Limbs = {
        var out = BaseField.halfModulus
        var remainder: UInt64 = 0
        for index in (0..<6).reversed() {
            (out[index], remainder) = UInt64(3).dividingFullWidth((remainder, out[index]))
        }
        return out
    }()
}
