/// The state of the division steps, which invert a polynomial modulo x^p - x - 1. `f` and `g` are polynomials with
/// their coefficients in reverse order. `v` and `r` are the factors by which the input is multiplied to get `f` and
/// `g`.
///
/// Bernstein and Yang, "Fast constant-time gcd computation and modular inversion" (2019): the number of steps is the
/// same for every input.
struct DivisionSteps {
    /// 2p - 1, the number of steps that is enough for every input.
    private static let stepCount = 2 * PrimeRing.degree - 1
    private static let rowLength = PrimeRing.degree + 1

    private var f = [Int16](repeating: 0, count: rowLength)
    /// The polynomial `g`. One extra element at the front receives the coefficient that a step shifts out.
    private var g = [Int16](repeating: 0, count: rowLength + 1)
    private var v = [Int16](repeating: 0, count: rowLength)
    private var r = [Int16](repeating: 0, count: rowLength)
    private var delta: Int16 = 1

    /// Prepares the rows `f`, `g`, `v` and `r` for the inversion of `input`.
    /// - Parameter start: the number by which the inverse is multiplied in `inverseCoefficients`.
    init(of input: [Int16], start: Int16) {
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
    var headCoefficient: Int16 { f[0] }

    /// Whether the input has an inverse. Valid after all steps.
    var isInvertible: Bool { delta == 0 }

    /// The coefficients of the inverse, multiplied by ``headCoefficient`` and by `start`. Valid after all steps.
    var inverseCoefficients: [Int16] { (0..<PrimeRing.degree).map { v[PrimeRing.degree - 1 - $0] } }

    /// Runs all steps.
    /// - Parameters:
    ///   - reduceHead: reduces the head of `g`, so that the result is 0 exactly if the head is 0 in the ring.
    ///   - factors: computes the factors of a step from the heads of `f` and `g`.
    ///   - eliminate: returns a new coefficient of `g` from the factors and the old coefficients of `g` and `f`, so
    ///     that the head of `g` becomes 0. It also returns a new coefficient of `r` from the old coefficients of `r`
    ///     and `v`.
    @inline(__always)
    mutating func runAllSteps<Factors>(
        reduceHead: (Int16) -> Int16,
        factors: (_ f: Int16, _ g: Int16) -> Factors,
        eliminate: (Factors, _ g: Int16, _ f: Int16) -> Int16
    ) {
        f.withUnsafeMutableBufferPointer { f in
            g.withUnsafeMutableBufferPointer { g in
                v.withUnsafeMutableBufferPointer { v in
                    r.withUnsafeMutableBufferPointer { r in
                        guard let f = f.baseAddress, let g = g.baseAddress, let v = v.baseAddress, let r = r.baseAddress
                        else { return }
                        for _ in 0..<Self.stepCount {
                            (v + 1).update(from: v, count: Self.rowLength - 1)
                            v[0] = 0
                            // The rows change places when delta is positive and the head of g is not 0.
                            let mask = PrimeRing.maskOfNegative(0 &- delta) & PrimeRing.maskOfNonZero(reduceHead(g[1]))
                            delta = (delta ^ (mask & (delta ^ (0 &- delta)))) &+ 1
                            let difference = mask & (f[0] ^ g[1])
                            let factors = factors(f[0] ^ difference, g[1] ^ difference)
                            for index in 0..<Self.rowLength {
                                let swapped = mask & (f[index] ^ g[index + 1])
                                let first = f[index] ^ swapped
                                f[index] = first
                                g[index] = eliminate(factors, g[index + 1] ^ swapped, first)
                            }
                            // The head is 0 now, so the other coefficients move up.
                            g[Self.rowLength] = 0
                            for index in 0..<Self.rowLength {
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
