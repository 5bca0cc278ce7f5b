import Foundation
import Glibc
import Testing

@testable import Files

/// Folders of a store, and a foreign file outside of them.
private final class StoreFolders: Sendable {
    let root = FilePaths.absolutePath(NSTemporaryDirectory()) + "/store-\(UUID())"
    var foreignFile: String { root + "/elsewhere/foreign" }
    var filesFolder: String { root + "/data/files" }
    var spaceFolder: String { root + "/data/space" }

    init() throws {
        for folder in ["data/files/in", "data/space", "elsewhere"] {
            try FileManager.default.createDirectory(atPath: "\(root)/\(folder)", withIntermediateDirectories: true)
        }
        try Data("foreign".utf8).write(to: URL(filePath: foreignFile))
        for folder in [filesFolder, spaceFolder, filesFolder + "/in"] {
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: foreignFile)
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/linked",
                withDestinationPath: root + "/elsewhere"
            )
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func makeFile(_ text: String, seal: [UInt8]? = nil) -> StoreFile {
        let sealed = foreignFile
        return StoreFile(
            StoredPath(text.replacing("ROOT", with: root), seal: seal),
            in: FileRoots(files: filesFolder, others: [spaceFolder], databases: root + "/data") { path, seal in
                path == sealed && seal == [1]
            }
        )
    }

    /// Names of all files and folders, and the contents of the foreign file.
    var diskState: [String] {
        (FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String }.sorted() ?? []) + [
            (try? String(contentsOfFile: foreignFile, encoding: .utf8)) ?? "gone"
        ]
    }
}

@Suite("Files whose paths a database contains") struct StoreFileTests {
    static let hostilePaths = [
        "ROOT/elsewhere/foreign", "../../elsewhere/foreign", "in/../../../elsewhere/foreign", "link", "linked/foreign",
        "in/link", "in/linked/foreign",
        "ROOT/data/files/link", "ROOT/data/space/link", "ROOT/data/space/linked/foreign",
        "ROOT/data/space/../../elsewhere/foreign", "ROOT/data/keys.json",
        "../keys.json", "", ".", "..", "/", "in/", "in//x", "./x", "x\0y", "ROOT/data/space",
        "/proc/self/root/etc/hostname",
    ]

    @Test(arguments: hostilePaths)
    func `A database's path outside of the store's folders is not read, written or deleted`(text: String) throws {
        let place = try StoreFolders()
        let before = place.diskState
        for seal in [nil, [2]] as [[UInt8]?] {
            let file = place.makeFile(text, seal: seal)
            #expect(throws: FileSystemError.self) { _ = try file.openFile(O_RDONLY).read(upTo: 1) }
            #expect(throws: FileSystemError.self) { try file.openFile(O_WRONLY | O_TRUNC).write([1]) }
            #expect(!file.isFile && file.size == nil)
            file.removeFile()
        }
        #expect(place.diskState == before)
    }

    @Test(arguments: [
        "ROOT/elsewhere/new", "../../elsewhere/new", "linked/new", "in/linked/new", "ROOT/data/space/linked/new",
        "ROOT/data/new", "..",
    ])
    func `Writing a file is refused if its path leads through a symbolic link or out of the store's folders`(
        text: String
    ) throws {
        let place = try StoreFolders()
        let before = place.diskState
        let file = place.makeFile(text)
        #expect(throws: FileSystemError.self) { try file.replaceContent(with: [1]) }
        #expect(throws: FileSystemError.self) { try file.createPartialFile(".part").write([1]) }
        #expect(throws: FileSystemError.self) { try file.completeFile(from: ".part") }
        #expect(throws: FileSystemError.self) { try file.replaceFile(withFileAt: place.foreignFile) }
        #expect(place.diskState == before)
    }

    @Test
    func `Replacing a symbolic link with a file does not change the target of the link`() throws {
        let place = try StoreFolders()
        try place.makeFile("link").replaceContent(with: Array("own".utf8))
        #expect(try String(contentsOfFile: place.filesFolder + "/link", encoding: .utf8) == "own")
        #expect(try String(contentsOfFile: place.foreignFile, encoding: .utf8) == "foreign")
    }

    @Test(arguments: ["a", "in/a", "ROOT/data/files/a", "ROOT/data/space/a"])
    func `A file in a folder of the store is written, read and deleted`(text: String) throws {
        let place = try StoreFolders()
        let file = place.makeFile(text)
        #expect(!file.exists)
        try file.replaceContent(with: [1, 2])
        #expect(file.size == 2)
        try file.createPartialFile(".part").write([1, 2, 3])
        try file.completeFile(from: ".part")
        #expect(try file.openFile(O_RDONLY).read(upTo: 9) == [1, 2, 3])
        file.removeFile()
        #expect(!file.exists)
    }

    @Test
    func `A folder of the store can be a symbolic link to another folder`() throws {
        let place = try StoreFolders()
        try FileManager.default.createSymbolicLink(atPath: place.root + "/big", withDestinationPath: place.spaceFolder)
        let roots = FileRoots(files: place.root + "/big", others: [])
        for text in ["a", place.root + "/big/a", place.spaceFolder + "/a"] {
            try StoreFile(StoredPath(text), in: roots).replaceContent(with: [1])
            #expect(FileManager.default.fileExists(atPath: place.spaceFolder + "/a"))
            StoreFile(StoredPath("a"), in: roots).removeFile()
        }
    }

    @Test
    func `A permission for a file outside of the store's folders is valid only for the path of this file`() throws {
        let place = try StoreFolders()
        #expect(
            try place.makeFile("ROOT/elsewhere/foreign", seal: [1]).openFile(O_RDONLY).read(upTo: 9)
                == Array("foreign".utf8)
        )
        #expect(throws: FileSystemError.self) { _ = try place.makeFile("/etc/hostname", seal: [1]).openFile(O_RDONLY) }
    }

    @Test
    func `Opening a folder one path component after the other follows no symbolic link`() throws {
        let place = try StoreFolders()
        func open(_ names: [String]) throws -> Bool {
            let root = try OpenFile(place.filesFolder, FolderEntry.folderFlags)
            return try OpenFile.openFolder(names, stepwiseBeneath: root, path: "").descriptor >= 0
        }
        #expect(try open(["in"]))
        for names in [["linked"], ["in", "linked"], ["nothing"]] {
            #expect(throws: FileSystemError.self) { try open(names) }
        }
    }

    @Test
    func `The error for a file path outside of the store contains the reason`() throws {
        let place = try StoreFolders()
        let error = #expect(throws: FileSystemError.self) {
            _ = try place.makeFile("linked/foreign").openFile(O_RDONLY)
        }
        #expect(error?.reason == "it is not in a folder of the store")
    }
}
