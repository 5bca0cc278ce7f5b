import CSodium

/// A stream of encrypted parts in the format of libsodium (`crypto_secretstream_xchacha20poly1305`). Only a holder of
/// the key can read parts. The reader detects parts that were changed, omitted, repeated or reordered. The last part is
/// marked, so that the reader detects an incomplete stream.
///
/// One side writes with ``sealPart(_:isLast:additional:)``, the other side reads with ``openPart(_:additional:)``. A
/// stream is used by one thread at a time.
package final class SecretStream {
    /// The number of bytes by which a sealed part is longer than its content.
    package static let overheadBytes = Int(crypto_secretstream_xchacha20poly1305_abytes())
    package static let headerSize = Int(crypto_secretstream_xchacha20poly1305_headerbytes())

    private var state: crypto_secretstream_xchacha20poly1305_state
    /// The public header, which the reader needs in addition to the key.
    package let header: [UInt8]

    /// Makes a stream that encrypts parts.
    package init(writingWith key: SymmetricKey) {
        Sodium.prepare()
        var (state, header) = (
            crypto_secretstream_xchacha20poly1305_state(), [UInt8](repeating: 0, count: Self.headerSize)
        )
        defer { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }
        key.secret.withPointer { _ = crypto_secretstream_xchacha20poly1305_init_push(&state, &header, $0) }
        (self.state, self.header) = (state, header)
    }

    /// Makes a stream for reading.
    /// - Throws: `CryptoError.invalidLength` for a header of another size.
    package init(readingWith key: SymmetricKey, header: [UInt8]) throws(CryptoError) {
        Sodium.prepare()
        guard header.count == Self.headerSize else {
            throw .invalidLength(of: "header", expected: Self.headerSize, actual: header.count)
        }
        var (state, code) = (crypto_secretstream_xchacha20poly1305_state(), Int32(-1))
        defer { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }
        key.secret.withPointer { code = crypto_secretstream_xchacha20poly1305_init_pull(&state, header, $0) }
        (self.state, self.header) = (state, header)
        guard code == 0 else { throw .libraryFailure("crypto_secretstream_init_pull") }
    }

    deinit { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }

    /// Encrypts the next part.
    /// - Parameter additional: bytes outside of the stream that the reader must also have.
    package func sealPart(_ part: [UInt8], isLast: Bool, additional: [UInt8] = []) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: part.count + Self.overheadBytes)
        let tag =
            isLast
            ? UInt8(crypto_secretstream_xchacha20poly1305_tag_final())
            : UInt8(crypto_secretstream_xchacha20poly1305_tag_message())
        _ = crypto_secretstream_xchacha20poly1305_push(
            &state,
            &out,
            nil,
            part,
            UInt64(part.count),
            additional,
            UInt64(additional.count),
            tag
        )
        return out
    }

    /// Decrypts the next part.
    /// - Throws: `CryptoError.authenticationFailed` for a part that is not the next part of this stream with this key.
    package func openPart(
        _ part: [UInt8],
        additional: [UInt8] = []
    ) throws(CryptoError) -> (bytes: [UInt8], isLast: Bool) {
        guard part.count >= Self.overheadBytes else { throw .authenticationFailed }
        // The array has at least one byte, so that it has an address.
        var out = [UInt8](repeating: 0, count: max(1, part.count - Self.overheadBytes))
        var (tag, count) = (UInt8(0), UInt64(0))
        let code = crypto_secretstream_xchacha20poly1305_pull(
            &state,
            &out,
            &count,
            &tag,
            part,
            UInt64(part.count),
            additional,
            UInt64(additional.count)
        )
        guard code == 0 else { throw .authenticationFailed }
        out.removeLast(out.count - Int(count))
        return (out, tag == UInt8(crypto_secretstream_xchacha20poly1305_tag_final()))
    }
}
