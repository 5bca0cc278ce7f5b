import Foundation
import Testing

@testable import Files

@Suite struct FilePathsTests {
    @Test(arguments: [
        ("/a//b/./c/", "/a/b/c"), ("/", "/"), ("//", "/"), ("/usr/..", "/"), ("/usr/../usr//lib", "/usr/lib"),
        ("/nowhere/../x", "/nowhere/../x"),
    ])
    func `A path is made absolute, without empty components, '.' and '..' that can be resolved`(
        path: String,
        expected: String
    ) {
        #expect(FilePaths.absolutePath(path) == expected)
    }

    @Test
    func `A relative path is resolved from the working directory of the process`() {
        let here = FileManager.default.currentDirectoryPath
        #expect(FilePaths.absolutePath("a//b") == here + "/a/b")
        #expect(FilePaths.absolutePath("./") == here)
        #expect(FilePaths.absolutePath("../x") == FilePaths.parentFolder(of: FilePaths.realPath(here) ?? here) + "/x")
    }

    @Test
    func `The path component '..' after a symbolic link leads to the parent of the link's target`() throws {
        let folder = try #require(FilePaths.realPath(NSTemporaryDirectory())) + "/paths-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder + "/deep/er", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder + "/deep/er")
        #expect(FilePaths.absolutePath(folder + "/link/../x") == folder + "/deep/x")
    }
}
