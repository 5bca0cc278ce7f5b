import Foundation
import TestSupport
import Testing

/// The contract is edited in parts, one for each category, and served as a bundle.
@Suite struct BundleTests {
    @Test("openapi.yaml equals the output of the bundling script for the present parts")
    func bundle() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let copy = URL(filePath: NSTemporaryDirectory()).appending(path: "bundle-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: copy) }
        let made = "openapi/openapi.yaml"
        try FileManager.default.createDirectory(at: copy.appending(path: "deploy"), withIntermediateDirectories: true)
        for path in ["VERSION", "openapi", "deploy/contract", "deploy/vocabulary"] {
            try FileManager.default.copyItem(at: root.appending(path: path), to: copy.appending(path: path))
        }
        try FileManager.default.removeItem(at: copy.appending(path: made))
        let script = Process()
        script.executableURL = URL(filePath: "/bin/sh")
        script.arguments = [copy.appending(path: "deploy/contract").path]
        try Spawning.alone { try script.run() }
        script.waitUntilExit()
        #expect(script.terminationStatus == 0)
        #expect(
            try Data(contentsOf: copy.appending(path: made)) == Data(contentsOf: root.appending(path: made)),
            "run deploy/contract"
        )
    }
}
