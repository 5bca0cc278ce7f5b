import CZstd
import Foundation
package import JSON

/// Reads the data for tests in `Tests/Fixtures`, which is compressed with zstd. The README of this folder states the
/// source of each file.
package enum Fixture {
    package enum Failure: Error { case missing(String), damaged(String) }

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures")

    /// Reads a file of values computed by the original implementation: `readVectors("crypto")` reads
    /// `Fixtures/vectors/crypto.json.zst`.
    package static func readVectors(_ name: String) throws -> JSONValue {
        try JSONValue(parsing: readContents("vectors/\(name).json.zst"), limits: JSONLimits(size: 64 << 20, depth: 512))
    }

    /// Reads the lines of a recorded conversation: `readTranscript("users")` reads
    /// `Fixtures/transcripts/users.jsonl.zst`.
    package static func readTranscript(_ name: String) throws -> [JSONValue] {
        try readContents("transcripts/\(name).jsonl.zst").split(separator: UInt8(ascii: "\n")).map {
            try JSONValue(parsing: Array($0), limits: JSONLimits(size: 64 << 20, depth: 512))
        }
    }

    /// Reads the names, members and cases of the core's interface from `Fixtures/catalogue/api.json.zst`.
    package static func readCatalogue() throws -> JSONValue {
        try JSONValue(parsing: readContents("catalogue/api.json.zst"), limits: JSONLimits(size: 64 << 20, depth: 512))
    }

    /// Returns a text file that is not compressed because it is edited by hand.
    package static func readText(_ path: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
    }

    package static func readContents(_ path: String) throws -> [UInt8] {
        guard let compressed = FileManager.default.contents(atPath: folder.appendingPathComponent(path).path) else {
            throw Failure.missing(path)
        }
        return try compressed.withUnsafeBytes { source in
            let size = ZSTD_getFrameContentSize(source.baseAddress, source.count)
            guard size < 256 << 20 else { throw Failure.damaged(path) }
            return try [UInt8](unsafeUninitializedCapacity: Int(size)) { target, count in
                let written = ZSTD_decompress(target.baseAddress, target.count, source.baseAddress, source.count)
                guard ZSTD_isError(written) == 0 else { throw Failure.damaged(path) }
                count = written
            }
        }
    }
}
