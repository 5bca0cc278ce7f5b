import SimpleXCrypto
import TestSupport
import Testing

/// Tests of local file encryption with the vectors in crypto-file.json.
@Suite struct CryptoFileTests {
    @Test
    func `Local files are encrypted as in simplexmq`() throws {
        for vector in try Vector.readFile("crypto-file").list("files") {
            let arguments = try readArguments(vector)
            let json = try vector.object("argsJson")
            #expect(
                try arguments.fileKeyText == (json.text("fileKey"))
                    && arguments.fileNonceText == (json.text("fileNonce"))
            )
            #expect(
                try CryptoFileArguments(fileKeyText: json.text("fileKey"), fileNonceText: json.text("fileNonce"))
                    == arguments
            )
            let length = try vector.int("contentsLength")
            // Contents that the vector omits count up from 7, modulo 256.
            let contents =
                vector.has("contents") ? try vector.bytes("contents") : (0..<length).map { UInt8(($0 + 7) & 255) }
            #expect(Digest.sha256(contents).hex == (try vector.text("contentsSha256")))
            let stored = try FileCipher.sealContents(contents, arguments)
            #expect(stored.count == (try vector.int("storedLength")))
            #expect(Digest.sha256(stored).hex == (try vector.text("storedSha256")))
            #expect(Array(stored.suffix(16)).hex == (try vector.text("last16")))
            #expect(try FileCipher.contentsSize(storedSize: Int64(stored.count)) == Int64(vector.int("contentsSize")))
            #expect(try FileCipher.openContents(stored, arguments) == contents)
        }
    }

    @Test
    func `Decrypting a changed, truncated or too short local file fails with the error of simplexmq`() throws {
        for vector in try Vector.readFile("crypto-file").list("errors") {
            let (arguments, stored) = (try readArguments(vector), try vector.bytes("stored"))
            let expected: FileCipher.Failure =
                try vector.text("error") == "FTCEInvalidFileSize" ? .invalidFileSize : .invalidAuthTag
            #expect(throws: expected) { try FileCipher.openContents(stored, arguments) }
        }
    }

    private func readArguments(_ vector: Vector) throws -> CryptoFileArguments {
        CryptoFileArguments(
            fileKey: try SymmetricKey(rawRepresentation: vector.bytes("key")),
            fileNonce: try BoxNonce(rawRepresentation: vector.bytes("nonce"))
        )
    }
}
