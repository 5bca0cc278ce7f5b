import Foundation
import Testing

@testable import Files

@Suite struct FilePathsTests {
    @Test("an absolute path has no empty parts and no dots; from a folder that is there `..` leads where the system says", arguments: [
        ("/a//b/./c/", "/a/b/c"), ("/", "/"), ("//", "/"), ("/usr/..", "/"), ("/usr/../usr//lib", "/usr/lib"), ("/nowhere/../x", "/nowhere/../x"),
    ])
    func absolute(path: String, expected: String) {
        #expect(FilePaths.absolute(path) == expected)
    }

    @Test("a path that is not from the root is from the folder in which the process runs")
    func relative() {
        let here = FileManager.default.currentDirectoryPath
        #expect(FilePaths.absolute("a//b") == here + "/a/b")
        #expect(FilePaths.absolute("./") == here)
        #expect(FilePaths.absolute("../x") == FilePaths.folder(of: FilePaths.real(here) ?? here) + "/x")
    }

    @Test("behind a link `..` is the parent of what it leads to")
    func links() throws {
        let folder = try #require(FilePaths.real(NSTemporaryDirectory())) + "/paths-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder + "/deep/er", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder + "/deep/er")
        #expect(FilePaths.absolute(folder + "/link/../x") == folder + "/deep/x")
    }
}
