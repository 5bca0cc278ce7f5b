import SimpleXCrypto

/// The password that clients need to create queues or files, if there is one.
package struct CreationPassword: Sendable {
    private let digest: [UInt8]?

    package init(_ password: String?) { digest = password.map { Digest.sha256(Array($0.utf8)) } }

    /// Whether `password` permits creating. The duration does not reveal at which position passwords differ.
    package func permits(_ password: String?) -> Bool {
        guard let digest else { return true }
        return constantTimeEquals(digest, Digest.sha256(Array((password ?? "").utf8))) && password != nil
    }
}
