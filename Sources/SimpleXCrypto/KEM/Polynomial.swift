/// A polynomial with coefficients modulo q, from -2295 to 2295.
struct Polynomial {
    var coefficients: [Int16]

    static func product(_ a: Polynomial, _ b: Ternary) -> Polynomial {
        Polynomial(coefficients: PrimeRing.product(a.coefficients, b.coefficients).map(PrimeRing.reduce))
    }

    var timesThree: Polynomial { Polynomial(coefficients: coefficients.map { PrimeRing.reduce(3 &* Int32($0)) }) }

    var modulo3: Ternary { Ternary(coefficients: coefficients.map { PrimeRing.reduceModulo3(Int32($0)) }) }

    /// The polynomial with each coefficient rounded to a multiple of three.
    var rounded: Polynomial { Polynomial(coefficients: coefficients.map { $0 &- PrimeRing.reduceModulo3(Int32($0)) }) }

    /// Returns the inverse of the polynomial 3f.
    ///
    /// Each step of ``DivisionSteps`` multiplies two rows in Montgomery form, which also divides the products by 2^16.
    /// Both rows are divided by the same factor, so that the quotient at the end is right. Coefficients stay below 2q.
    static func computeInverseOfThree(times f: Ternary) -> Polynomial {
        var rows = DivisionSteps<Int16>(of: f.coefficients, start: computeInverse(of: 3))
        rows.runAllSteps(
            reduceHead: { PrimeRing.reduce(Int32($0)) },
            factors: { (f: MontgomeryFactor($0), g: MontgomeryFactor($1)) },
            eliminate: { heads, g, f in heads.f.times(g) &- heads.g.times(f) }
        )
        let scale = Int32(computeInverse(of: PrimeRing.reduce(Int32(rows.headCoefficient))))
        return Polynomial(
            coefficients: rows.inverseCoefficients.map { PrimeRing.reduce(scale &* Int32(PrimeRing.reduce(Int32($0)))) }
        )
    }

    /// Returns the inverse modulo q of a number that is not 0. The inverse is the power with the exponent q - 2.
    private static func computeInverse(of number: Int16) -> Int16 {
        var power: Int16 = 1
        for bit in stride(from: 12, through: 0, by: -1) {
            power = PrimeRing.reduce(Int32(power) &* Int32(power))
            if ((PrimeRing.modulus - 2) >> Int32(bit)) & 1 == 1 {
                power = PrimeRing.reduce(Int32(power) &* Int32(number))
            }
        }
        return power
    }
}

/// A factor for many multiplications modulo q. Each product is divided by 2^16.
private struct MontgomeryFactor {
    private let factor: Int16
    /// The product of the factor and the inverse of q, modulo 2^16.
    private let quotient: Int16

    /// The inverse of q = 4591 modulo 2^16, since 4591 × 15631 is 1 modulo 2^16.
    private static let inverseOfModulus: Int16 = 15631

    @inline(__always)
    init(_ factor: Int16) {
        self.factor = factor
        quotient = factor &* Self.inverseOfModulus
    }

    @inline(__always)
    func times(_ x: Int16) -> Int16 {
        Self.upperHalf(x, factor) &- Self.upperHalf(x &* quotient, Int16(truncatingIfNeeded: PrimeRing.modulus))
    }

    @inline(__always)
    private static func upperHalf(_ a: Int16, _ b: Int16) -> Int16 {
        Int16(truncatingIfNeeded: (Int32(a) &* Int32(b)) &>> 16)
    }
}
