import Foundation
import TestSupport
import Testing

/// The contract is edited in parts, one for each category, and served as a bundle.
@Suite struct BundleTests {
    @Test
    func `The contract files in the repository equal a bundle that is newly made from the parts of the contracts`()
        throws
    {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let copy = URL(filePath: NSTemporaryDirectory()).appending(path: "bundle-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: copy) }
        let made = ["openapi/openapi.yaml", "openapi/openapi.json", "openapi/asyncapi.json"]
        try FileManager.default.createDirectory(at: copy.appending(path: "deploy"), withIntermediateDirectories: true)
        for path in [
            "VERSION", "openapi", "deploy/contract", "deploy/contract-answers", "deploy/contract-json",
            "deploy/python-types", "deploy/typescript-types", "deploy/vocabulary",
        ] {
            try FileManager.default.copyItem(at: root.appending(path: path), to: copy.appending(path: path))
        }
        for path in made { try FileManager.default.removeItem(at: copy.appending(path: path)) }
        let script = Process()
        script.executableURL = URL(filePath: "/bin/sh")
        script.arguments = [copy.appending(path: "deploy/contract").path]
        try Spawning.runAlone { try script.run() }
        script.waitUntilExit()
        #expect(script.terminationStatus == 0)
        for path in made {
            #expect(
                try Data(contentsOf: copy.appending(path: path)) == Data(contentsOf: root.appending(path: path)),
                "\(path): run deploy/contract"
            )
        }
    }
}
