import Files
import Foundation
import Glibc
import NIOCore
import SimpleXCrypto

/// The costs of a message without a gateway, on this machine at this hour: its synced writes, the transfer of its
/// blocks over TLS, and its encryption.
///
/// The speed of a machine differs more between two hours than between two builds. So the targets for messages are
/// ratios to these costs.
struct BaselineCosts: Sendable {
    /// Number of synced appends per second. Each append writes 4 KiB and waits for `fsync` before the next append.
    var appendsPerSecond: Double
    /// Milliseconds in which a block of 16 KiB goes over TLS to an echo server and back.
    var blockExchangeMilliseconds: Double
    /// Milliseconds for the encryption of one message: AES-256-GCM and the secret box of its queue, each encrypted and
    /// decrypted.
    var cipherMilliseconds: Double

    /// Milliseconds for one synced append.
    var appendMilliseconds: Double { 1000 / appendsPerSecond }
    /// Milliseconds for one message, from its POST to the recipient's event, when messages are sent one after the
    /// other. Five writes are synced: two transactions of the sender, the relay's record and two transactions of the
    /// recipient. Two exchanges of blocks are needed: SEND with its answer, and MSG with ACK.
    var messageMilliseconds: Double { 5 * appendMilliseconds + 2 * blockExchangeMilliseconds + cipherMilliseconds }

    /// Measures the three costs one after the other, each for `seconds`.
    static func measureCosts(
        bench: String,
        folder: String,
        seconds: Int64,
        group: any EventLoopGroup
    ) async throws -> BaselineCosts {
        let appends = try measureAppendRate(folder + "/appends", seconds)
        let ciphers = try measureCipherTime(seconds)
        // The rate counts pairs of exchanges, so the time of a pair is divided by two.
        let pairs = try await BlockEcho.measureRate(
            bench: bench,
            folder: folder,
            pairs: 1,
            seconds: seconds,
            group: group
        )
        return BaselineCosts(
            appendsPerSecond: appends,
            blockExchangeMilliseconds: 500 / pairs,
            cipherMilliseconds: ciphers
        )
    }

    /// Returns the mean of two measurements of the costs, which were made before and after another measurement.
    static func mean(_ one: BaselineCosts, _ other: BaselineCosts) -> BaselineCosts {
        BaselineCosts(
            appendsPerSecond: 2 / (1 / one.appendsPerSecond + 1 / other.appendsPerSecond),
            blockExchangeMilliseconds: (one.blockExchangeMilliseconds + other.blockExchangeMilliseconds) / 2,
            cipherMilliseconds: (one.cipherMilliseconds + other.cipherMilliseconds) / 2
        )
    }

    private static func measureAppendRate(_ path: String, _ seconds: Int64) throws -> Double {
        let file = try OpenFile(path, O_WRONLY | O_CREAT | O_TRUNC)
        defer { DiskFiles.removeFile(path) }
        let page = [UInt8](repeating: 0x41, count: 4_096)
        return try measureRate(seconds) {
            try file.write(page)
            try file.sync()
        }
    }

    private static func measureCipherTime(_ seconds: Int64) throws -> Double {
        let message = [UInt8](repeating: 0x41, count: 15_800), iv = RandomBytes.make(count: 16)
        let key = SymmetricKey(), nonce = BoxNonce.random()
        return 1000
            / (try measureRate(seconds) {
                let sealed = try AES256GCM.seal(key: key, iv: iv, associatedData: [], message: message)
                let box = try SecretBox.sealTailTag(sealed.ciphertext, key: key, nonce: nonce)
                let opened = try SecretBox.openTailTag(box, key: key, nonce: nonce)
                _ = try AES256GCM.open(
                    key: key,
                    iv: iv,
                    associatedData: [],
                    ciphertext: opened,
                    tag: sealed.tag,
                    padded: false
                )
            })
    }

    /// Runs `body` repeatedly for `seconds`, and returns the number of runs per second.
    private static func measureRate(_ seconds: Int64, _ body: () throws -> Void) rethrows -> Double {
        let start = NIODeadline.now(), end = start + .seconds(seconds)
        var count = 0.0
        repeat {
            try body()
            count += 1
        } while NIODeadline.now() < end
        return count * 1000 / millisecondsPassed(since: start)
    }

    var figures: [Figure] {
        [
            Figure(name: "bare: synced appends of 4 KiB, one after the other", value: appendsPerSecond, unit: "/s"),
            Figure(
                name: "bare: a block of 16 KiB over TLS, there and back",
                value: blockExchangeMilliseconds,
                unit: "ms"
            ),
            Figure(name: "bare: the ciphers of a message, sealed and opened", value: cipherMilliseconds, unit: "ms"),
            Figure(
                name: "bare: all of a message (5 appends, 2 exchanges, ciphers)",
                value: messageMilliseconds,
                unit: "ms"
            ),
        ]
    }
}
