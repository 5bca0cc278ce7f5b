import Foundation

/// A temporary folder of a test.
struct Folder: Sendable {
    let path: String

    /// Runs `body` with a new folder, and removes the folder afterwards.
    static func withNewFolder<T>(_ body: (Folder) async throws -> T) async throws -> T {
        let folder = Folder(path: NSTemporaryDirectory() + "/sxgw-process-\(UUID().uuidString)")
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        return try await body(folder)
    }

    func writeFile(_ name: String, _ text: String) throws -> String {
        try text.write(toFile: path + "/" + name, atomically: true, encoding: .utf8)
        return path + "/" + name
    }
}
