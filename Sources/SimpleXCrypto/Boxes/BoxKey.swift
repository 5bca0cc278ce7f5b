import CSodium

/// The key for XSalsa20-Poly1305: HSalsa20 with a zero input, keyed by a DH secret or a symmetric key.
///
/// NaCl derives a key in this way only in `crypto_box`. SimpleX also derives the keys of its symmetric boxes in this
/// way, so these boxes differ from NaCl's `secretbox`.
struct BoxKey: Sendable {
    static let tagSize = 16
    let secret: SecretBytes

    init(deriving source: SecretBytes) {
        Sodium.prepare()
        let input: [UInt8] = Array(repeating: 0, count: 16)
        secret = SecretBytes.filled(
            count: 32,
            { out in
                source.withPointer { _ = crypto_core_hsalsa20(out, input, $0, nil) }
            }
        )
    }

    /// The position of the 16-byte tag: before the ciphertext in messages, after it in files.
    enum TagPosition { case head, tail }

    /// Encrypts a message, and first pads the message to `paddedTo` bytes if given. The returned array is the only
    /// allocation: the message is padded and encrypted inside this array.
    func seal(
        _ message: some Collection<UInt8>,
        nonce: BoxNonce,
        paddedTo: Int?,
        tag: TagPosition
    ) throws(CryptoError) -> [UInt8] {
        if let paddedTo, !Padding.canPad(messageSize: message.count, to: paddedTo) { throw .messageTooLarge }
        return message.withContiguousBytes { input in
            let size = paddedTo ?? input.count
            return [UInt8](unsafeUninitializedCapacity: size + Self.tagSize) { out, initialized in
                let start = tag == .head ? Self.tagSize : 0
                let body = out[start..<start + size]
                if paddedTo == nil {
                    _ = UnsafeMutableBufferPointer(rebasing: body).initialize(fromContentsOf: input)
                } else {
                    Padding.writePaddedMessage(input, to: body)
                }
                encrypt(
                    UnsafeMutableBufferPointer(rebasing: body),
                    tag: out.baseAddress.map { $0 + (tag == .head ? 0 : size) },
                    nonce
                )
                initialized = size + Self.tagSize
            }
        }
    }

    /// Verifies and decrypts a box. If `padded`, also removes the padding. The returned array is the only allocation.
    func open(
        _ box: some Collection<UInt8>,
        nonce: BoxNonce,
        padded: Bool,
        tag: TagPosition
    ) throws(CryptoError) -> [UInt8] {
        guard box.count >= Self.tagSize else { throw .authenticationFailed }
        var failure: CryptoError?
        let message = box.withContiguousBytes { input in
            let size = input.count - Self.tagSize
            return [UInt8](unsafeUninitializedCapacity: size) { out, initialized in
                initialized = 0
                guard let start = input.baseAddress else { return }
                let (body, mac) = tag == .head ? (start + Self.tagSize, start) : (start, start + size)
                let opened = secret.withPointer {
                    crypto_secretbox_open_detached(
                        out.baseAddress,
                        body,
                        mac,
                        UInt64(size),
                        nonce.rawRepresentation,
                        $0
                    )
                }
                guard opened == 0 else { return failure = .authenticationFailed }
                guard padded else { return initialized = size }
                guard let base = out.baseAddress,
                    let length = Padding.parseMessageSize(in: UnsafeBufferPointer(start: base, count: size))
                else { return failure = .invalidPadding }
                // Moves the message over its length prefix; the regions overlap, which `update` allows.
                base.update(from: base + 2, count: length)
                initialized = length
            }
        }
        if let failure { throw failure }
        return message
    }

    private func encrypt(
        _ body: UnsafeMutableBufferPointer<UInt8>,
        tag: UnsafeMutablePointer<UInt8>?,
        _ nonce: BoxNonce
    ) {
        guard let start = body.baseAddress, let tag else { return }
        secret.withPointer {
            _ = crypto_secretbox_detached(start, tag, start, UInt64(body.count), nonce.rawRepresentation, $0)
        }
    }
}
