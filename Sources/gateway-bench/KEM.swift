import NIOCore
import SimpleXCrypto

/// Measures the key encapsulation (KEM, sntrup761) of the post-quantum ratchet on one core. A step of the ratchet needs
/// one key generation, one encapsulation and one decapsulation.
func measureKEM(milliseconds: Int64) -> [Figure] {
    let key = SNTRUP761.PrivateKey()
    let publicKey = key.publicKey
    let ciphertext = publicKey.encapsulate().ciphertext
    func measureRate(_ name: String, _ operation: () -> Void) -> Figure {
        let start = NIODeadline.now()
        var (count, elapsed) = (0, TimeAmount.zero)
        repeat {
            operation()
            count += 1
            elapsed = NIODeadline.now() - start
        } while elapsed < .milliseconds(milliseconds)
        return Figure(name: "sntrup761 \(name)", value: Double(count) * 1e9 / Double(elapsed.nanoseconds), unit: "/s")
    }
    return [
        measureRate("key generation") { _ = SNTRUP761.PrivateKey() },
        measureRate("encapsulation") { _ = publicKey.encapsulate() },
        measureRate("decapsulation") { _ = key.decapsulate(ciphertext) },
    ]
}
