import SMP
import SimpleXCrypto
import Synchronization

/// Encrypts sent bodies and decrypts received bodies of a session. Every body has a separate number and separate keys.
///
/// A body consists of the number (4 bytes) ‖ the length (4) ‖ a box with the session's id and the content. A body of
/// the controller has two signatures after the box. Keys of skipped numbers are kept, since requests of one connection
/// can arrive in another order.
package final class SessionCipher: Sendable {
    fileprivate struct State {
        var keys: SessionKeys
        var lastSentNumber: UInt32 = 0
        var lastReceivedNumber: UInt32 = 0
        var skippedKeys: [UInt32: (body: SealingKey, file: SealingKey)] = [:]
    }

    private let sessionID: [UInt8]
    private let state: Mutex<State>
    private let signingKeys: SessionKeys.SigningKeys

    /// The maximum number of message numbers that one message may skip.
    package static let maxSkippedNumbers: UInt32 = 256
    /// The maximum number of skipped message keys that are kept.
    static let maxKeptKeys = 1024
    /// Maximal size of a received box, in bytes. A controller receives whole lists of chats with their pictures; a host
    /// receives commands.
    var maxBoxBytes: Int {
        switch signingKeys {
        case .sign: 32 << 20
        case .verify: 16 << 20
        }
    }
    /// Number of bytes of a body before its box.
    static let headSize = 8

    /// - Parameter sessionID: the channel binding of the TLS connection.
    package init(_ keys: SessionKeys, sessionID: [UInt8]) {
        self.sessionID = sessionID
        signingKeys = keys.signingKeys
        state = Mutex(State(keys: keys))
    }

    /// Number of bytes of the signatures after the box of a received body.
    var signaturesSize: Int {
        switch signingKeys {
        case .sign: 0
        case .verify: 2 * (1 + Ed25519.signatureSize)
        }
    }

    // MARK: Sending

    /// Returns the next body, and the key for a file that follows the body.
    package func sealBody(_ content: [UInt8]) throws(XRCPError) -> (body: [UInt8], file: SealingKey) {
        let (number, bodyKey, fileKey) = try takeNextSendingKeys()
        guard let id = UInt8(exactly: sessionID.count),
            let box = try? SecretBox.sealTailTag([id] + sessionID + content, key: bodyKey.key, nonce: bodyKey.nonce),
            let size = UInt32(exactly: box.count)
        else { throw .encrypt }
        var body = Self.bigEndianBytes(number) + Self.bigEndianBytes(size) + box
        if case .sign(let session, let identity) = signingKeys {
            guard let sessionSignature = try? session.sign(Digest.sha512(body)),
                let identitySignature = try? identity.sign(Digest.sha512(body + sessionSignature))
            else { throw .encrypt }
            for signature in [sessionSignature, identitySignature] {
                body += [UInt8(Ed25519.signatureSize)] + signature
            }
        }
        return (body, fileKey)
    }

    private func takeNextSendingKeys() throws(XRCPError) -> (UInt32, SealingKey, SealingKey) {
        let next = state.withLock { state -> Result<(UInt32, SealingKey, SealingKey), XRCPError> in
            Result { () throws(XRCPError) in
                guard state.lastSentNumber < .max else { throw .encrypt }
                state.lastSentNumber += 1
                let (body, file) = (try state.keys.takeNextSendingKey(), try state.keys.takeNextSendingKey())
                return (
                    state.lastSentNumber, SealingKey(key: body.key, nonce: body.nonce),
                    SealingKey(key: file.key, nonce: file.nonce)
                )
            }
        }
        return try next.get()
    }

    // MARK: Receiving

    /// Returns the length of the box of a body that begins with these eight bytes.
    func boxSize(head: [UInt8]) throws(ExchangeError) -> Int {
        var reader = ByteReader(head)
        guard (try? reader.readWord32()) != nil, let size = try? reader.readWord32(), size <= maxBoxBytes else {
            throw .invalidSize
        }
        return Int(size)
    }

    /// Returns the content of a body, and the key of a file that follows the body. The number of the body counts as
    /// used only after the signatures are verified.
    func openBody(
        head: [UInt8],
        box: [UInt8],
        signatures: [UInt8]
    ) throws(ExchangeError) -> (content: [UInt8], file: SealingKey) {
        if case .verify(let session, let identity) = signingKeys {
            try Self.verifySignatures(signatures, over: head + box, session, identity)
        }
        var reader = ByteReader(head)
        guard let number = try? reader.readWord32() else { throw .invalidSize }
        let keys = try takeKeys(of: number)
        guard var content = (try? SecretBox.openTailTag(box, key: keys.body.key, nonce: keys.body.nonce))?[...] else {
            throw .control(.decrypt)
        }
        guard let size = content.popFirst() else { throw .invalidBody("empty body") }
        guard constantTimeEquals(Array(content.prefix(Int(size))), sessionID) else { throw .sessionCode }
        return (Array(content.dropFirst(sessionID.count)), keys.file)
    }

    private static func verifySignatures(
        _ signatures: [UInt8],
        over signed: [UInt8],
        _ session: Ed25519.PublicKey,
        _ identity: Ed25519.PublicKey
    ) throws(ExchangeError) {
        var reader = ByteReader(signatures)
        guard let first = try? reader.readShortBytes(), let second = try? reader.readShortBytes() else {
            throw .invalidBody("signatures")
        }
        guard session.isValidSignature(first, for: Digest.sha512(signed)),
            identity.isValidSignature(second, for: Digest.sha512(signed + first))
        else {
            throw .control(.controllerAuth)
        }
    }

    private func takeKeys(of number: UInt32) throws(ExchangeError) -> (body: SealingKey, file: SealingKey) {
        let found = state.withLock { state -> Result<(body: SealingKey, file: SealingKey), ExchangeError> in
            Result { () throws(ExchangeError) in try state.takeKeys(of: number) }
        }
        return try found.get()
    }

    private static func bigEndianBytes(_ value: UInt32) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}

extension SessionCipher.State {
    fileprivate mutating func takeKeys(of number: UInt32) throws(ExchangeError) -> (body: SealingKey, file: SealingKey)
    {
        if number == lastReceivedNumber { throw .duplicate }
        if number < lastReceivedNumber {
            guard let kept = skippedKeys.removeValue(forKey: number) else {
                throw .earlier(lastReceivedNumber - number)
            }
            return kept
        }
        guard number - lastReceivedNumber <= SessionCipher.maxSkippedNumbers else {
            throw .manySkipped(number - lastReceivedNumber)
        }
        while true {
            lastReceivedNumber += 1
            let keys = try deriveNextKeys()
            if lastReceivedNumber == number {
                dropOldestKeys()
                return keys
            }
            skippedKeys[lastReceivedNumber] = keys
        }
    }

    private mutating func deriveNextKeys() throws(ExchangeError) -> (body: SealingKey, file: SealingKey) {
        do throws(XRCPError) {
            let (body, file) = (try keys.takeNextReceivingKey(), try keys.takeNextReceivingKey())
            return (SealingKey(key: body.key, nonce: body.nonce), SealingKey(key: file.key, nonce: file.nonce))
        } catch {
            throw .control(error)
        }
    }

    /// Removes the oldest skipped keys when more than ``SessionCipher/maxKeptKeys`` are kept.
    private mutating func dropOldestKeys() {
        guard skippedKeys.count > SessionCipher.maxKeptKeys else { return }
        for number in skippedKeys.keys.sorted().prefix(skippedKeys.count - SessionCipher.maxKeptKeys) {
            skippedKeys[number] = nil
        }
    }
}
