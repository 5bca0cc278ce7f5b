package import ChatStore
import Foundation
import SimpleXCrypto

/// A chat database without a core, which is removed with this object.
package final class TemporaryStore: Sendable {
    package let chats: ChatStore
    private let path: String

    package init() async throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("chats-\(UUID().uuidString).db").path
        chats = try await ChatStore.open(
            at: path,
            key: .raw([UInt8](repeating: 7, count: 32)),
            retention: JournalRetention()
        )
    }

    deinit {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
}
