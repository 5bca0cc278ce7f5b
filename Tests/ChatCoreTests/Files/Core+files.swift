import ChatAPI
import Foundation
import JSON
import SimpleXCrypto

@testable import ChatCore

extension Core {
    var filesFolder: String { controller.services.folders.paths.filesFolder }

    /// Writes a file to the folder for files of messages.
    func writeFile(_ name: String, _ content: [UInt8]) throws {
        try FileManager.default.createDirectory(atPath: filesFolder, withIntermediateDirectories: true)
        try Data(content).write(to: URL(filePath: "\(filesFolder)/\(name)"))
    }

    /// Returns the bytes of a file on disk; nil if the file does not exist.
    func readStoredFile(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: "\(filesFolder)/\(name)").map { Array($0) }
    }

    /// Returns the decrypted contents of the file of an item.
    func decryptedContent(of file: JSONValue?) throws -> [UInt8]? {
        guard let name = file?["fileSource"]?["filePath"]?.stringValue, let stored = readStoredFile(name) else {
            return nil
        }
        guard let key = file?["fileSource"]?["cryptoArgs"]?["fileKey"]?.stringValue,
            let nonce = file?["fileSource"]?["cryptoArgs"]?["fileNonce"]?.stringValue
        else { return stored }
        return try FileCipher.openContents(stored, CryptoFileArguments(fileKeyText: key, fileNonceText: nonce))
    }

    var fileNames: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: filesFolder)) ?? []).sorted() }
}

/// Returns bytes that cannot be compressed well, the same each time.
func sampleBytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    return (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
    }
}
