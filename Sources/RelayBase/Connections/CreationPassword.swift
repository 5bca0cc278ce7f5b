import SimpleXCrypto

/// The password that clients need to create queues or files, if there is one.
package struct CreationPassword: Sendable {
    private let passwordDigest: [UInt8]?

    package init(_ password: String?) { passwordDigest = password.map { Digest.sha256(Array($0.utf8)) } }

    /// Returns whether `password` permits creating queues or files. The duration does not reveal at which position
    /// `password` differs from the required password.
    package func permitsCreation(_ password: String?) -> Bool {
        guard let passwordDigest else { return true }
        return constantTimeEquals(passwordDigest, Digest.sha256(Array((password ?? "").utf8))) && password != nil
    }
}
