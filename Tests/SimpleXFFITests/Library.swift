import Foundation
import Glibc
import JSON

@testable import SimpleXFFI

/// The C interface as a C program sees it.
enum Library {
    /// Copies a returned text and frees it, as the caller must do.
    static func takeText(_ text: UnsafeMutablePointer<CChar>?) -> String {
        guard let text else { return "(null)" }
        defer { free(text) }
        return String(cString: text)
    }

    static func takeJSON(_ text: UnsafeMutablePointer<CChar>?) throws -> JSONValue {
        try JSONValue(parsing: takeText(text))
    }

    static func openStore(
        _ prefix: String,
        key: String = "",
        keepKey: CInt = 0,
        confirm: String = "yesUp"
    ) throws -> (controller: UnsafeMutableRawPointer?, answer: JSONValue) {
        var controller: UnsafeMutableRawPointer?
        let answer = try takeJSON(chatMigrateInitKey(prefix, key, keepKey, confirm, 0, &controller))
        return (controller, answer)
    }

    static func sendCommand(_ controller: UnsafeMutableRawPointer?, _ command: String) throws -> JSONValue {
        try takeJSON(chatSendCommand(controller, command))
    }

    /// Runs `body` with a temporary folder on a new thread. The calls block, so they must not use a thread that their
    /// work needs.
    static func withFolder<T: Sendable>(_ body: @escaping @Sendable (String) throws -> T) async throws -> T {
        let folder = FileManager.default.temporaryDirectory.appending(path: "libsimplex-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body(folder.path) }) }
        }
    }
}
