import SMP
import SimpleXCrypto

/// The data for the encryption of one message of a chain. The ratchet has already advanced past this message. The data
/// must be used only once.
struct MessageEncryptionKey: Hashable, Sendable {
    var version: E2EVersion
    var key: MessageKey
    var associatedData: [UInt8]
    /// The encrypted header.
    var header: [UInt8]

    /// Encrypts a message body.
    /// - Parameter paddedLength: length of the padded plaintext. The message is longer by its header and tag.
    func sealBody(_ plaintext: [UInt8], paddedLength: Int) throws(RatchetError) -> [UInt8] {
        let body = try withRatchetErrors { () throws(CryptoError) in
            try AES256GCM.seal(
                key: key.key,
                iv: key.iv,
                associatedData: associatedData + header,
                message: plaintext,
                paddedTo: paddedLength
            )
        }
        do {
            return try EncryptedMessage(header: header, body: body).encoded(version: version)
        } catch {
            throw .malformedHeader
        }
    }
}

extension Ratchet {
    /// Encrypts the next message of the sending chain. If this function throws, nothing has changed.
    /// - Parameters:
    ///   - paddedLength: length of the padded plaintext, which depends on the type of the agent message, not on the
    ///     content.
    ///   - pqEncryption: whether to use post-quantum encryption; must be passed with every message, see
    ///     `takeEncryptionKey`.
    ///   - supported: the highest version that this program supports. The header announces it to the peer.
    mutating func encrypt(
        _ plaintext: [UInt8],
        paddedLength: Int,
        pqEncryption: Bool? = nil,
        supported: E2EVersion = .current
    ) throws(RatchetError) -> [UInt8] {
        guard Padding.canPad(messageSize: plaintext.count, to: paddedLength) else { throw .crypto(.messageTooLarge) }
        var next = self
        let message = try next.takeEncryptionKey(pqEncryption: pqEncryption, supported: supported).sealBody(
            plaintext,
            paddedLength: paddedLength
        )
        self = next
        return message
    }

    /// Advances the sending chain and encrypts the header, for a body that is encrypted later.
    /// - Parameter pqEncryption: whether the next DH step should have a KEM; nil for no change. Every DH step resets
    ///   this setting to the peer's use of a KEM, so the caller must pass the value with every message.
    mutating func takeEncryptionKey(
        pqEncryption: Bool? = nil,
        supported: E2EVersion = .current
    ) throws(RatchetError) -> MessageEncryptionKey {
        guard let chain = sendingChain else { throw .missingChain }
        let step = try withRatchetErrors { () throws(CryptoError) in try RatchetKDF.deriveMessageKeys(chain.chainKey) }
        let version = versions.current
        let maxSupported = max(supported, pqEncryption == true ? .pqRatchet : version)
        var wanted = postQuantum
        wanted.isEnabled = pqEncryption ?? wanted.isEnabled
        wanted.reserveHeaderSpace(at: version)
        // The chain was derived with the present KEM. So the header still contains the KEM parameters, even if this
        // message switches the KEM off.
        let header = MessageHeader(
            maxVersion: maxSupported,
            dh: ownDHKey.publicKey,
            kem: kem?.parameters,
            pn: pn,
            ns: ns
        )
        let size = MessageHeader.paddedSize(version: version, pqSupported: wanted.isSupported)
        let encrypted = try encryptHeader(
            header,
            version: version,
            paddedTo: size,
            key: chain.headerKey,
            iv: step.headerIV
        )
        postQuantum = wanted
        if pqEncryption == false { kem?.acceptedKEM = nil }
        sendingChain?.chainKey = step.chainKey
        ns &+= 1
        versions.maxSupported = maxSupported
        return MessageEncryptionKey(
            version: version,
            key: step.message,
            associatedData: associatedData,
            header: encrypted
        )
    }

    private func encryptHeader(
        _ header: MessageHeader,
        version: E2EVersion,
        paddedTo size: Int,
        key: SymmetricKey,
        iv: [UInt8]
    ) throws(RatchetError) -> [UInt8] {
        do {
            let plaintext = try header.encoded(version: version)
            let box = try AES256GCM.seal(
                key: key,
                iv: iv,
                associatedData: associatedData,
                message: plaintext,
                paddedTo: size
            )
            return try EncryptedHeader(version: version, iv: iv, box: box).encoded()
        } catch let error as CryptoError {
            throw .crypto(error)
        } catch {
            throw .malformedHeader
        }
    }
}
