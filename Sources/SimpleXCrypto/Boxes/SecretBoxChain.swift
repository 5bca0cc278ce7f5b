/// A chain of one-time keys for secret boxes. The boxes are encrypted blocks of SMP (from version 11 on), or the bodies
/// of messages of remote control.
package struct SecretBoxChain: Hashable, Sendable {
    /// The current chain key, 32 bytes.
    package private(set) var key: SecretBytes

    package init(key: SecretBytes) { self.key = key }

    /// Makes the two chains of a session, one for each direction. `salt` is the session id.
    package static func makePair(salt: [UInt8], secret: SecretBytes) -> (SecretBoxChain, SecretBoxChain) {
        let keys = HKDF.sha512(salt: salt, ikm: secret, info: initInfo, count: 64)
        return (SecretBoxChain(key: keys[0..<32]), SecretBoxChain(key: keys[32..<64]))
    }

    /// Returns key and nonce of the next box, and replaces the chain key.
    package mutating func takeNextKey() throws(CryptoError) -> (key: SymmetricKey, nonce: BoxNonce) {
        let output = HKDF.sha512(salt: [], ikm: key, info: Self.stepInfo, count: 88)
        key = output[0..<32]
        return (try SymmetricKey(output[32..<64]), BoxNonce(padding: output[64..<88].bytes))
    }

    private static let initInfo = Array("SimpleXSbChainInit".utf8)
    private static let stepInfo = Array("SimpleXSbChain".utf8)
}
