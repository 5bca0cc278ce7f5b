/// A security code that the two sides of a connection have compared, and the time of the comparison.
package struct SecurityCode: Codable, Hashable, Sendable {
    package var securityCode: String
    package var verifiedAt: UTCTime

    package init(securityCode: String, verifiedAt: UTCTime) {
        self.securityCode = securityCode
        self.verifiedAt = verifiedAt
    }
}
