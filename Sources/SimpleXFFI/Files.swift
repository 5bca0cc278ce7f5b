import ChatAPI
import SimpleXCrypto

/// Encrypts bytes with a new key, and writes them to a file. Returns JSON `WriteFileResult` with the key and the nonce.
@_cdecl("chat_write_file")
public func chatWriteFile(
    _ controller: UnsafeMutableRawPointer?,
    _ path: UnsafePointer<CChar>?,
    _ data: UnsafePointer<UInt8>?,
    _ count: CInt
) -> UnsafeMutablePointer<CChar>? {
    let (path, contents) = (CText.readText(path), CText.readBytes(data, count))
    return CText.copyJSON(
        json: writeEncryptedFile { arguments in
            try CallerFile.writeFile(path) { file in try file.write(FileCipher.sealContents(contents, arguments)) }
        }
    )
}

/// Reads and decrypts an encrypted file. Returns a zero byte, the size as 32 bits in native byte order, and the
/// contents. After an error, returns a byte 1 and the error message. The caller frees the memory.
@_cdecl("chat_read_file")
public func chatReadFile(
    _ path: UnsafePointer<CChar>?,
    _ key: UnsafePointer<CChar>?,
    _ nonce: UnsafePointer<CChar>?
) -> UnsafeMutablePointer<UInt8>? {
    do {
        let arguments = try CryptoFileArguments(fileKeyText: CText.readText(key), fileNonceText: CText.readText(nonce))
        let contents = try FileCipher.openContents(try CallerFile.readFile(CText.readText(path)), arguments)
        guard let size = UInt32(exactly: contents.count) else {
            throw CallerFile.Failure(message: "the file is too large")
        }
        return CText.copyBytes([0] + withUnsafeBytes(of: size) { Array($0) } + contents)
    } catch {
        return CText.copyBytes([1] + Array("\(error)".utf8) + [0])
    }
}

/// Encrypts a file with a new key into another file. Returns JSON `WriteFileResult` with the key and the nonce.
@_cdecl("chat_encrypt_file")
public func chatEncryptFile(
    _ controller: UnsafeMutableRawPointer?,
    _ from: UnsafePointer<CChar>?,
    _ to: UnsafePointer<CChar>?
) -> UnsafeMutablePointer<CChar>? {
    let (from, to) = (CText.readText(from), CText.readText(to))
    return CText.copyJSON(
        json: writeEncryptedFile { arguments in
            let stream = SecretBoxStream(key: arguments.fileKey, nonce: arguments.fileNonce)
            try CallerFile.writeFile(to) { file in
                try CallerFile.readParts(of: from) { part, _ in try file.write(stream.encrypt(part)) }
                try file.write(stream.computeTag())
            }
        }
    )
}

/// Decrypts the file `from` into the file `to`. Returns an empty text, or an error message. After an error, there is no
/// decrypted file. If the key or the nonce is malformed, or `to` cannot be opened, an existing file `to` is unchanged.
@_cdecl("chat_decrypt_file")
public func chatDecryptFile(
    _ from: UnsafePointer<CChar>?,
    _ key: UnsafePointer<CChar>?,
    _ nonce: UnsafePointer<CChar>?,
    _ to: UnsafePointer<CChar>?
) -> UnsafeMutablePointer<CChar>? {
    let (from, to) = (CText.readText(from), CText.readText(to))
    do {
        let arguments = try CryptoFileArguments(fileKeyText: CText.readText(key), fileNonceText: CText.readText(nonce))
        let stream = SecretBoxStream(key: arguments.fileKey, nonce: arguments.fileNonce)
        var tag: [UInt8] = []
        try CallerFile.writeFile(to) { file in
            try CallerFile.readParts(of: from) { part, left in
                // The tag is at the end of the file, and each of two parts may contain a piece of it. So the piece is
                // removed from each part.
                let ofTag = min(part.count, max(0, FileCipher.tagSize - left))
                try file.write(stream.decrypt(Array(part.dropLast(ofTag))))
                tag += part.suffix(ofTag)
            }
            guard tag.count == FileCipher.tagSize else { throw FileCipher.Failure.invalidFileSize }
            guard stream.isTagValid(tag: tag) else { throw FileCipher.Failure.invalidAuthTag }
        }
        return CText.copyText("")
    } catch {
        return CText.copyText("\(error)")
    }
}

private func writeEncryptedFile(_ write: (CryptoFileArguments) throws -> Void) -> WriteFileResult {
    let arguments = CryptoFileArguments()
    do {
        try write(arguments)
        return .result(cryptoArgs: CryptoFileArgs(fileKey: arguments.fileKeyText, fileNonce: arguments.fileNonceText))
    } catch {
        return .error(writeError: "\(error)")
    }
}
