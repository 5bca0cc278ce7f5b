import CSodium

/// Decrypts any part of a locally encrypted file. This type verifies nothing: the caller must first verify the tag of
/// the whole file.
package struct CryptoFilePartDecryptor: Sendable {
    private let key: BoxKey
    private let nonce: [UInt8]

    package init(_ arguments: CryptoFileArguments) {
        key = BoxKey(deriving: arguments.fileKey.secret)
        nonce = arguments.fileNonce.rawRepresentation
    }

    /// Decrypts a part.
    /// - Parameter offset: the position of the part in the file, which equals its position in the contents.
    package func decryptPart(_ part: [UInt8], at offset: Int64) -> [UInt8] {
        guard offset >= 0, !part.isEmpty else { return [] }
        // The first 32 bytes of the keystream are the key of the tag, so the contents begin after them. The cipher can
        // only start at a multiple of 64 bytes, so the part gets `before` bytes in front, which are removed afterwards.
        let place = UInt64(offset) + 32
        let before = Int(place % 64)
        var bytes = [UInt8](repeating: 0, count: before) + part
        key.secret.withPointer { key in
            bytes.withUnsafeMutableBufferPointer { bytes in
                guard let start = bytes.baseAddress else { return }
                _ = crypto_stream_xsalsa20_xor_ic(start, start, UInt64(bytes.count), nonce, place / 64, key)
            }
        }
        bytes.removeFirst(before)
        return bytes
    }
}
