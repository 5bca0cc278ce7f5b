/// The optimal Ate pairing of BLS12-381. It implements only the check that signatures need: whether a product of
/// pairings is 1.
enum Pairing {
    /// The absolute value of the curve's parameter t. The parameter itself is negative.
    private static let curveParameter: UInt64 = 0xD201_0000_0001_0000

    /// Returns whether the product of the pairings of all pairs is 1. The pairing of a pair with the identity is 1.
    static func isProductOne(_ pairs: [(CurvePoint, TwistPoint)]) -> Bool {
        let lines = pairs.compactMap { point, twist in
            point.affine.map { ($0, twist) }
        }
        var points = lines.map { JacobianTwistPoint($0.1) }
        var value = DodecicField.one
        for place in (0..<63).reversed() {
            value = value.squared
            for index in points.indices {
                value = value * Self.lineValue(of: points[index].doubleReturningTangent(), at: lines[index].0)
            }
            guard curveParameter >> place & 1 == 1 else { continue }
            for index in points.indices {
                guard let line = points[index].addReturningLine(lines[index].1) else { continue }
                value = value * Self.lineValue(of: line, at: lines[index].0)
            }
        }
        return raiseToFinalPower(value) == .one
    }

    private static func lineValue(
        of line: JacobianTwistPoint.Line,
        at point: (x: BaseField, y: BaseField)
    ) -> DodecicField {
        DodecicField(
            SexticField(line.constant, line.slope * point.x, .zero),
            SexticField(.zero, line.height * point.y, .zero)
        )
    }

    /// Returns `value` raised to 3 · (p^12 - 1) / r. The order r is not divisible by 3, so the result is 1 for the same
    /// values as without the factor 3.
    ///
    /// The computation has two parts. The exponent of the second part is (t - 1)²·(t + p)·(t² + p² - 1) + 3 (Hayashida,
    /// Hayasaka, Teruya, "Efficient final exponentiation via cyclotomic structure for pairings over families of
    /// elliptic curves").
    private static func raiseToFinalPower(_ value: DodecicField) -> DodecicField {
        let first = value.conjugated * value.inverted
        let base = first.frobenius.frobenius * first
        // The norm of the value is 1 now. So from here on, the conjugate is the inverse.
        let once = raisedToParameter(base) * base.conjugated
        let twice = raisedToParameter(once) * once.conjugated
        let third = raisedToParameter(twice) * twice.frobenius
        let fourth =
            raisedToParameter(raisedToParameter(third)) * third.frobenius.frobenius * third.conjugated
        return fourth * base.squared * base
    }

    /// Returns `value` raised to t, for a value whose conjugate is its inverse.
    private static func raisedToParameter(_ value: DodecicField) -> DodecicField {
        var power = value
        for place in (0..<63).reversed() {
            power = power.squared
            if curveParameter >> place & 1 == 1 { power = power * value }
        }
        return power.conjugated
    }
}
