import Foundation
import Glibc
import JSON
import SimpleXCrypto
import Testing

@testable import SimpleXFFI

@Suite
struct FileAndMediaTests {
    @Test(arguments: [0, 1, 15, 16, 65536, 200_001])
    func `A file that 'chatWriteFile' encrypts can be read only with its key and nonce`(size: Int) async throws {
        try await Library.withFolder { folder in
            let contents = RandomBytes.make(count: size)
            let (path, arguments) = (
                folder + "/file",
                try Library.takeJSON(chatWriteFile(nil, folder + "/file", contents, CInt(size)))["cryptoArgs"]
            )
            #expect(try Data(contentsOf: URL(filePath: path)).count == size + 16)
            let (key, nonce) = (arguments?["fileKey"]?.stringValue ?? "", arguments?["fileNonce"]?.stringValue ?? "")
            #expect(Self.readFile(path, key, nonce) == contents)
            #expect(Self.readFile(path, key, Base64URL.encode(RandomBytes.make(count: 24))) == nil)
        }
    }

    @Test(arguments: [0, 1, 65519, 65520, 65530, 65536, 65537, 200_000])
    func `A file of any size is encrypted and decrypted by the C library`(size: Int) async throws {
        try await Library.withFolder { folder in
            let contents = RandomBytes.make(count: size)
            try Data(contents).write(to: URL(filePath: folder + "/plain"))
            let arguments = try Library.takeJSON(chatEncryptFile(nil, folder + "/plain", folder + "/sealed"))[
                "cryptoArgs"
            ]
            let (key, nonce) = (arguments?["fileKey"]?.stringValue ?? "", arguments?["fileNonce"]?.stringValue ?? "")
            #expect(Self.readFile(folder + "/sealed", key, nonce) == contents)
            #expect(Library.takeText(chatDecryptFile(folder + "/sealed", key, nonce, folder + "/again")) == "")
            #expect(try [UInt8](Data(contentsOf: URL(filePath: folder + "/again"))) == contents)
        }
    }

    @Test
    func `Decrypting a changed file fails and leaves no file, and a missing path causes an error`() async throws {
        try await Library.withFolder { folder in
            let arguments = try Library.takeJSON(chatWriteFile(nil, folder + "/file", [1, 2, 3], 3))["cryptoArgs"]
            let (key, nonce) = (arguments?["fileKey"]?.stringValue ?? "", arguments?["fileNonce"]?.stringValue ?? "")
            var stored = try Data(contentsOf: URL(filePath: folder + "/file"))
            stored[0] ^= 1
            try stored.write(to: URL(filePath: folder + "/file"))
            #expect(Library.takeText(chatDecryptFile(folder + "/file", key, nonce, folder + "/plain")) != "")
            #expect(!FileManager.default.fileExists(atPath: folder + "/plain"))
            #expect(try Library.takeJSON(chatEncryptFile(nil, folder + "/none", folder + "/sealed"))["type"] == "error")
            #expect(try Library.takeJSON(chatWriteFile(nil, folder + "/none/file", [1], 1))["type"] == "error")
        }
    }

    @Test
    func `A media frame of a call is encrypted and decrypted in place, and a changed frame is refused`() {
        let key = Base64URL.encode(RandomBytes.make(count: 32))
        let contents = Array("a frame of sound".utf8)
        var frame = contents + [UInt8](repeating: 0, count: 28)
        #expect(Library.takeText(chatEncryptMedia(nil, key, &frame, CInt(frame.count))) == "")
        #expect(Array(frame.prefix(contents.count)) != contents)
        var changed = frame
        changed[3] ^= 1
        #expect(Library.takeText(chatDecryptMedia(key, &changed, CInt(changed.count))) != "")
        #expect(Library.takeText(chatDecryptMedia("AAAA", &frame, CInt(frame.count))).hasPrefix("invalid key"))
        #expect(Library.takeText(chatDecryptMedia(key, &frame, CInt(frame.count))) == "")
        #expect(frame == contents + [UInt8](repeating: 0, count: 28))
        var short = [UInt8](repeating: 0, count: 27)
        #expect(Library.takeText(chatEncryptMedia(nil, key, &short, 27)) != "")
        #expect(Library.takeText(chatEncryptMedia(nil, key, nil, 100)) != "")
    }

    /// Contents of an encrypted file, or nil if the answer is an error.
    private static func readFile(_ path: String, _ key: String, _ nonce: String) -> [UInt8]? {
        guard let answer = chatReadFile(path, key, nonce) else { return nil }
        defer { free(answer) }
        guard answer[0] == 0 else { return nil }
        let size = UnsafeRawPointer(answer).loadUnaligned(fromByteOffset: 1, as: UInt32.self)
        return Array(UnsafeBufferPointer(start: answer + 5, count: Int(size)))
    }
}
