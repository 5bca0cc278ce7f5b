import SimpleXCrypto

/// Encrypts and decrypts audio and video frames of calls, with AES-256-GCM and a 12-byte IV. The last 28 bytes of a
/// frame are reserved for the tag and the IV.
private enum MediaFrame {
    static let ivBytes = 12
    static let reservedBytes = AES256GCM.tagSize + ivBytes

    struct Failure: Error {
        var message: String
    }

    static func parseKey(_ text: String) throws(Failure) -> SymmetricKey {
        do { return try SymmetricKey(rawRepresentation: Base64URL.decode(text)) } catch {
            throw Failure(message: "invalid key: \(error)")
        }
    }

    static func encryptFrame(_ frame: [UInt8], _ keyText: String) throws(Failure) -> [UInt8] {
        let contents = try sliceContents(of: frame)
        let (key, iv) = (try parseKey(keyText), RandomBytes.make(count: ivBytes))
        do {
            let sealed = try AES256GCM.seal(key: key, iv: iv, associatedData: [], message: Array(contents))
            return sealed.ciphertext + sealed.tag + iv
        } catch { throw Failure(message: "\(error)") }
    }

    static func decryptFrame(_ frame: [UInt8], _ keyText: String) throws(Failure) -> [UInt8] {
        let contents = try sliceContents(of: frame)
        let key = try parseKey(keyText)
        let rest = frame.suffix(reservedBytes)
        do {
            let plain = try AES256GCM.open(
                key: key,
                iv: Array(rest.suffix(ivBytes)),
                associatedData: [],
                ciphertext: Array(contents),
                tag: Array(rest.prefix(AES256GCM.tagSize)),
                padded: false
            )
            return plain + [UInt8](repeating: 0, count: reservedBytes)
        } catch { throw Failure(message: "\(error)") }
    }

    private static func sliceContents(of frame: [UInt8]) throws(Failure) -> ArraySlice<UInt8> {
        guard frame.count >= reservedBytes else {
            throw Failure(message: "the frame has no room for the IV and the tag")
        }
        return frame.dropLast(reservedBytes)
    }

    /// Replaces the contents of a frame by the result of `change`. Returns an empty text, or an error message. After an
    /// error the frame is unchanged.
    static func transformFrame(
        _ frame: UnsafeMutablePointer<UInt8>?,
        _ count: CInt,
        _ change: ([UInt8]) throws(Failure) -> [UInt8]
    ) -> UnsafeMutablePointer<CChar>? {
        do throws(Failure) {
            let changed = try change(CText.readBytes(frame, count))
            if changed.count == Int(count) { frame?.update(from: changed, count: changed.count) }
            return CText.copyText("")
        } catch {
            return CText.copyText(error.message)
        }
    }
}

/// Encrypts an audio or video frame of a call in place. The last 28 bytes of the frame are reserved for the tag and the
/// IV. Returns an empty text, or an error message.
@_cdecl("chat_encrypt_media")
public func chatEncryptMedia(
    _ controller: UnsafeMutableRawPointer?,
    _ key: UnsafePointer<CChar>?,
    _ frame: UnsafeMutablePointer<UInt8>?,
    _ count: CInt
) -> UnsafeMutablePointer<CChar>? {
    let key = CText.readText(key)
    return MediaFrame.transformFrame(frame, count) { frame throws(MediaFrame.Failure) in
        try MediaFrame.encryptFrame(frame, key)
    }
}

/// Decrypts an audio or video frame of a call in place. The last 28 bytes of the frame become zero. Returns an empty
/// text, or an error message.
@_cdecl("chat_decrypt_media")
public func chatDecryptMedia(
    _ key: UnsafePointer<CChar>?,
    _ frame: UnsafeMutablePointer<UInt8>?,
    _ count: CInt
) -> UnsafeMutablePointer<CChar>? {
    let key = CText.readText(key)
    return MediaFrame.transformFrame(frame, count) { frame throws(MediaFrame.Failure) in
        try MediaFrame.decryptFrame(frame, key)
    }
}
