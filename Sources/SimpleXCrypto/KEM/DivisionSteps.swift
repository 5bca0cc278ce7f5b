/// The state of the division steps, which invert a polynomial modulo x^p - x - 1. `f` and `g` are polynomials with
/// their coefficients in reverse order. `v` and `r` are the factors by which the input is multiplied to get `f` and
/// `g`.
///
/// Bernstein and Yang, "Fast constant-time gcd computation and modular inversion" (2019): the number of steps is the
/// same for every input.
struct DivisionSteps<Coefficient: FixedWidthInteger & SignedInteger> {
    /// 2p - 1, the number of steps that is enough for every input.
    private static var stepCount: Int { 2 * PrimeRing.degree - 1 }
    /// p + 1, rounded up to whole blocks. The added coefficients of `f` and `g` are always 0. The added coefficients of
    /// `v` and `r` may have other values. No result depends on them, because coefficients of `v` and `r` move only to
    /// higher positions.
    private static var rowLength: Int { roundUp(PrimeRing.degree + 1) }
    /// Number of coefficients that the compiler handles in one round of a loop.
    private static var blockLength: Int { 32 }

    private static func roundUp(_ count: Int) -> Int { (count + blockLength - 1) / blockLength * blockLength }

    private var f = [Coefficient](repeating: 0, count: rowLength)
    /// The polynomial `g`. One extra element at the front receives the coefficient that a step shifts out.
    private var g = [Coefficient](repeating: 0, count: rowLength + 1)
    private var v = [Coefficient](repeating: 0, count: rowLength)
    private var r = [Coefficient](repeating: 0, count: rowLength)
    private var delta: Int16 = 1

    /// Prepares the rows `f`, `g`, `v` and `r` for the inversion of `input`.
    /// - Parameter start: the number by which the inverse is multiplied in `inverseCoefficients`.
    init(of input: [Coefficient], start: Coefficient) {
        let last = PrimeRing.degree
        r[0] = start
        // `f` begins as x^p - x - 1, with the highest coefficient first.
        f[0] = 1
        f[last - 1] = -1
        f[last] = -1
        for index in 0..<last where index < input.count { g[last - index] = input[index] }
    }

    /// The first coefficient (the head) of `f` after all steps. ``inverseCoefficients`` must still be divided by this
    /// coefficient.
    var headCoefficient: Coefficient { f[0] }

    /// Whether the input has an inverse. The value is right only after all steps.
    var isInvertible: Bool { delta == 0 }

    /// The coefficients of the inverse, multiplied by ``headCoefficient`` and by `start`. The values are right only
    /// after all steps.
    var inverseCoefficients: [Coefficient] { (0..<PrimeRing.degree).map { v[PrimeRing.degree - 1 - $0] } }

    /// Runs all steps.
    /// - Parameters:
    ///   - reduceHead: reduces the head of `g`, so that the result is 0 exactly if the head is 0 in the ring.
    ///   - factors: computes the factors of a step from the heads of `f` and `g`.
    ///   - eliminate: returns a new coefficient of `g` from the factors and the old coefficients of `g` and `f`, so
    ///     that the head of `g` becomes 0. It also returns a new coefficient of `r` from the old coefficients of `r`
    ///     and `v`.
    @inline(__always)
    mutating func runAllSteps<Factors>(
        reduceHead: (Coefficient) -> Int16,
        factors: (_ f: Coefficient, _ g: Coefficient) -> Factors,
        eliminate: (Factors, _ g: Coefficient, _ f: Coefficient) -> Coefficient
    ) {
        f.withUnsafeMutableBufferPointer { f in
            g.withUnsafeMutableBufferPointer { g in
                v.withUnsafeMutableBufferPointer { v in
                    r.withUnsafeMutableBufferPointer { r in
                        guard let f = f.baseAddress, let g = g.baseAddress, let v = v.baseAddress, let r = r.baseAddress
                        else { return }
                        for step in 0..<Self.stepCount {
                            // The remaining steps read this many coefficients of f and g. Higher coefficients stay as
                            // they are.
                            let readCount = min(Self.rowLength, Self.roundUp(Self.stepCount - step))
                            // Each step adds at most one coefficient to v and r. Higher coefficients are 0.
                            let factorCount = min(Self.rowLength, Self.roundUp(step + 1))
                            (v + 1).update(from: v, count: factorCount - 1)
                            v[0] = 0
                            // The rows change places when delta is positive and the head of g is not 0.
                            let swaps = PrimeRing.maskOfNegative(0 &- delta) & PrimeRing.maskOfNonZero(reduceHead(g[1]))
                            delta = (delta ^ (swaps & (delta ^ (0 &- delta)))) &+ 1
                            let mask = Coefficient(truncatingIfNeeded: swaps)
                            let difference = mask & (f[0] ^ g[1])
                            let factors = factors(f[0] ^ difference, g[1] ^ difference)
                            for index in 0..<readCount {
                                let swapped = mask & (f[index] ^ g[index + 1])
                                let first = f[index] ^ swapped
                                f[index] = first
                                g[index] = eliminate(factors, g[index + 1] ^ swapped, first)
                            }
                            for index in 0..<factorCount {
                                let swapped = mask & (v[index] ^ r[index])
                                let first = v[index] ^ swapped
                                v[index] = first
                                r[index] = eliminate(factors, r[index] ^ swapped, first)
                            }
                        }
                    }
                }
            }
        }
    }
}
