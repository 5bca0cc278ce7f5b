import SMP
import SimpleXCrypto

/// The result of the decryption of a message. The ratchet and `skippedKeysChange` must be stored even if the plaintext
/// is an error, because a message with a genuine header has used up its key.
struct DecryptOutcome: Hashable, Sendable {
    var plaintext: Result<[UInt8], RatchetError>
    var skippedKeysChange: SkippedKeysChange = .none
}

extension Ratchet {
    /// Decrypts a message of the peer.
    ///
    /// If this function throws an error, nothing has changed: the message does not belong to this ratchet, or its
    /// header cannot be used. If the outcome contains an error (`duplicateMessage`, `earlierMessage`, `tooManySkipped`,
    /// a body that cannot be decrypted), the ratchet may have changed, and must be stored.
    /// - Parameter skipped: finds the stored keys of skipped messages. The outcome contains the changes to these keys.
    ///   A message of the current chain in its order, and a message that begins a new chain, need no lookup.
    mutating func decrypt(
        _ message: [UInt8],
        skipped: some SkippedKeyLookup = SkippedMessageKeys(),
        random: RatchetRandom = .systemRandom
    ) throws(RatchetError) -> DecryptOutcome {
        let encrypted: EncryptedMessage
        let encryptedHeader: EncryptedHeader
        do {
            encrypted = try EncryptedMessage(decoding: message)
            encryptedHeader = try EncryptedHeader(decoding: encrypted.header)
        } catch {
            throw .malformedHeader
        }
        if let receivingChain, let header = try openHeader(encryptedHeader, key: receivingChain.headerKey) {
            if header.ns < nr,
                let outcome = try decryptSkippedMessage(encrypted, header, receivingChain.headerKey, skipped)
            {
                return outcome
            }
            return try receiveMessage(encrypted, header, dhStep: false, random)
        }
        if let header = try openHeader(encryptedHeader, key: nextRcvHeaderKey) {
            return try receiveMessage(encrypted, header, dhStep: true, random)
        }
        for headerKey in try skipped.headerKeys() {
            guard let header = try openHeader(encryptedHeader, key: headerKey) else { continue }
            guard let outcome = try decryptSkippedMessage(encrypted, header, headerKey, skipped) else { break }
            return outcome
        }
        throw .undecryptableHeader
    }

    /// Decrypts a message that was skipped before, with its stored key; nil if no key is stored.
    private func decryptSkippedMessage(
        _ message: EncryptedMessage,
        _ header: MessageHeader,
        _ headerKey: SymmetricKey,
        _ skipped: some SkippedKeyLookup
    ) throws(RatchetError) -> DecryptOutcome? {
        guard let key = try skipped.messageKey(headerKey: headerKey, number: header.ns) else { return nil }
        return DecryptOutcome(
            plaintext: openBody(message, key: key),
            skippedKeysChange: .remove(headerKey: headerKey, number: header.ns)
        )
    }

    private mutating func receiveMessage(
        _ message: EncryptedMessage,
        _ header: MessageHeader,
        dhStep: Bool,
        _ random: RatchetRandom
    ) throws(RatchetError) -> DecryptOutcome {
        var next = self
        var added = SkippedMessageKeys()
        next.upgradeVersion(to: header.maxVersion)
        if dhStep {
            try next.skipMessages(to: header.pn, &added)
            try next.performDHStep(header, random)
        }
        let plaintext: Result<[UInt8], RatchetError>
        do throws(RatchetError) {
            try next.skipMessages(to: header.ns, &added)
            guard let chain = next.receivingChain else { throw .missingChain }
            let step = try withRatchetErrors { () throws(CryptoError) in
                try RatchetKDF.deriveMessageKeys(chain.chainKey)
            }
            plaintext = openBody(message, key: step.message)
            next.receivingChain?.chainKey = step.chainKey
            next.nr &+= 1
        } catch {
            // The message cannot be decrypted. But the DH step is kept, and so are the keys of the messages that were
            // skipped before this step.
            plaintext = .failure(error)
        }
        self = next
        return DecryptOutcome(plaintext: plaintext, skippedKeysChange: added.isEmpty ? .none : .add(added))
    }

    /// Raises the version of the ratchet to the highest version that both sides support.
    private mutating func upgradeVersion(to peerMax: E2EVersion) {
        versions.current = max(versions.current, min(peerMax, versions.maxSupported))
    }

    /// Advances the receiving chain to message `number`, and keeps the keys of the skipped messages. An error is thrown
    /// before any change.
    private mutating func skipMessages(to number: UInt32, _ added: inout SkippedMessageKeys) throws(RatchetError) {
        guard let chain = receivingChain else { return }
        let (next, wanted) = (UInt64(nr), UInt64(number))
        if next > wanted + 1 { throw .earlierMessage(nr - number - 1) }
        if next == wanted + 1 { throw .duplicateMessage }
        if next + UInt64(SkippedMessageKeys.maxSkippedMessages) < wanted { throw .tooManySkipped(wanted + 1 - next) }
        if next == wanted { return }
        var chainKey = chain.chainKey
        var keys: [UInt32: MessageKey] = [:]
        for skipped in nr..<number {
            let step = try withRatchetErrors { () throws(CryptoError) in try RatchetKDF.deriveMessageKeys(chainKey) }
            keys[skipped] = step.message
            chainKey = step.chainKey
        }
        receivingChain?.chainKey = chainKey
        nr = number
        added.insert(SkippedMessageKeys.Chain(headerKey: chain.headerKey, keys: keys))
    }

    private mutating func performDHStep(_ header: MessageHeader, _ random: RatchetRandom) throws(RatchetError) {
        let (receivingKEM, sendingKEM) = try performKEMStep(header.kem, random)
        let (old, new) = (ownDHKey, try withRatchetErrors(random.makeDHKey))
        let root = rootKey
        let (received, sent) = try withRatchetErrors { () throws(CryptoError) in
            let received = try RatchetKDF.deriveRootKeys(
                root,
                dh: old.sharedSecret(with: header.dhKey),
                kem: receivingKEM
            )
            return (
                received,
                try RatchetKDF.deriveRootKeys(
                    received.rootKey,
                    dh: new.sharedSecret(with: header.dhKey),
                    kem: sendingKEM
                )
            )
        }
        postQuantum.isSending = sendingKEM != nil
        postQuantum.isReceiving = receivingKEM != nil
        postQuantum.isEnabled = kem != nil || postQuantum.isSending || postQuantum.isReceiving
        postQuantum.reserveHeaderSpace(at: versions.current)
        receivingChain = ReceivingChain(chainKey: received.chainKey, headerKey: nextRcvHeaderKey)
        sendingChain = SendingChain(peerDH: header.dhKey, chainKey: sent.chainKey, headerKey: nextSndHeaderKey)
        ownDHKey = new
        rootKey = sent.rootKey
        pn = ns
        ns = 0
        nr = 0
        nextSndHeaderKey = sent.nextHeaderKey
        nextRcvHeaderKey = received.nextHeaderKey
    }

    /// Performs the KEM part of a DH step.
    /// - Returns: `receiving`, the secret that the peer has encapsulated (nil if there is none), and `sending`, a new
    ///   secret for the peer's new key (nil if this side wants no KEM, or the peer has sent no key).
    private mutating func performKEMStep(
        _ parameters: RatchetKEMParams?,
        _ random: RatchetRandom
    ) throws(RatchetError) -> (receiving: SecretBytes?, sending: SecretBytes?) {
        let wanted = postQuantum.isEnabled && versions.current >= .pqRatchet
        guard let parameters else {
            // The peer has sent no KEM parameters. This side proposes a KEM, unless the peer has just declined a
            // proposal.
            kem = kem == nil && wanted ? RatchetKEM(ownKey: try withRatchetErrors(random.makeKEMKey)) : nil
            return (nil, nil)
        }
        if case .accepted = parameters, kem == nil { throw .unexpectedKEM }
        let (ciphertext, peerKey) = try parameters.parseValues()
        let received = ciphertext.flatMap { ciphertext in kem?.ownKey.decapsulate(ciphertext) }
        guard wanted else {
            kem = nil
            return (received, nil)
        }
        let (answer, secret) = try withRatchetErrors { () throws(CryptoError) in try random.encapsulate(peerKey) }
        let own = try withRatchetErrors(random.makeKEMKey)
        kem = RatchetKEM(ownKey: own, acceptedKEM: .init(peerKey: peerKey, sharedSecret: secret, ciphertext: answer))
        return (received, secret)
    }

    /// Decrypts a header; nil when `key` is the wrong key.
    /// - Throws: when the key is right, but the form of the header is unknown.
    private func openHeader(_ header: EncryptedHeader, key: SymmetricKey) throws(RatchetError) -> MessageHeader? {
        guard
            let plaintext = try? AES256GCM.open(
                key: key,
                iv: header.iv,
                associatedData: associatedData,
                ciphertext: header.sealedHeader.ciphertext,
                tag: header.sealedHeader.tag
            )
        else { return nil }
        do { return try MessageHeader(decoding: plaintext, version: header.version) } catch { throw .malformedHeader }
    }

    private func openBody(_ message: EncryptedMessage, key: MessageKey) -> Result<[UInt8], RatchetError> {
        do {
            return .success(
                try AES256GCM.open(
                    key: key.key,
                    iv: key.iv,
                    associatedData: associatedData + message.header,
                    ciphertext: message.body.ciphertext,
                    tag: message.body.tag
                )
            )
        } catch {
            return .failure(.crypto(error))
        }
    }
}
