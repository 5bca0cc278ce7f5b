import Foundation
import TestSupport
import Testing

@testable import Files

@Suite("Replacement and creation of whole files")
struct AtomicReplacementTests {
    @Test
    func `A replaced file has the new contents and is accessible only to its owner`() throws {
        try withFolder { folder in
            let path = folder + "/a"
            try DiskFiles.replaceFile(path, with: Array("one".utf8))
            try DiskFiles.replaceFile(path, with: Array("two".utf8))
            #expect(try DiskFiles.readFile(path) == Array("two".utf8))
            #expect(DiskFiles.listEntries(folder) == ["a"])
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test
    func `The temporary file of a killed process does not prevent the next replacement of the file`() throws {
        try withFolder { folder in
            try DiskFiles.createFile(folder + "/a.new", [1])
            try DiskFiles.replaceFile(folder + "/a", with: [2])
            #expect(try DiskFiles.readFile(folder + "/a") == [2])
            #expect(DiskFiles.listEntries(folder) == ["a"])
        }
    }

    @Test
    func `A failed replacement of a file leaves the old file and no temporary file`() throws {
        try withFolder { folder in
            // The replacement fails, because a file cannot replace a folder.
            try DiskFiles.makeNewFolder(folder + "/a")
            let error = #expect(throws: FileSystemError.self) { try DiskFiles.replaceFile(folder + "/a", with: [1]) }
            #expect(error?.operation == .rename)
            #expect(DiskFiles.listEntries(folder) == ["a"])
        }
    }

    @Test
    func `Creating a new file fails if its path is an existing file or a symbolic link`() throws {
        try withFolder { folder in
            try DiskFiles.createFile(folder + "/a", [1])
            #expect(throws: FileSystemError(.open, folder + "/a", code: EEXIST)) {
                try DiskFiles.createFile(folder + "/a", [2])
            }
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder + "/b")
            #expect(throws: FileSystemError.self) { try DiskFiles.createFile(folder + "/link", [2]) }
            #expect(!DiskFiles.exists(folder + "/b"))
            #expect(try DiskFiles.createEmptyFile(folder + "/a") == false)
            #expect(try DiskFiles.readFile(folder + "/a") == [1])
        }
    }

    @Test
    func `The system errors for a full disk and for an exceeded quota are both recognized as a full disk`() {
        #expect(throws: FileSystemError(.write, "/dev/full", code: ENOSPC)) {
            try OpenFile("/dev/full", O_WRONLY).write([1])
        }
        #expect(FileSystemError(.write, "a", code: ENOSPC).isStorageFull)
        #expect(FileSystemError(.write, "a", code: EDQUOT).isStorageFull)
        #expect(!FileSystemError(.write, "a", code: EACCES).isStorageFull)
    }
}

@Suite("Reading files")
struct ReadingTests {
    @Test(arguments: [0, 1, 65536, 70_000])
    func `Reading a file above the maximum size is refused`(size: Int) throws {
        try withFolder { folder in
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
            try DiskFiles.createFile(folder + "/a", bytes)
            #expect(try DiskFiles.readFile(folder + "/a", limit: size) == bytes)
            if size > 0 {
                #expect(throws: FileSystemError(.read, folder + "/a", code: EFBIG)) {
                    try DiskFiles.readFile(folder + "/a", limit: size - 1)
                }
            }
            #expect(try DiskFiles.readFile(folder + "/b") == nil)
        }
    }

    @Test
    func `A file is read into a buffer of the caller, and refused if it does not fit into the buffer`() throws {
        try withFolder { folder in
            try DiskFiles.createFile(folder + "/a", [1, 2, 3])
            var bytes = [UInt8](repeating: 0, count: 3)
            #expect(try bytes.withUnsafeMutableBufferPointer { try DiskFiles.readFile(folder + "/a", into: $0) } == 3)
            #expect(bytes == [1, 2, 3])
            var short = [UInt8](repeating: 0, count: 2)
            #expect(throws: FileSystemError.self) {
                try short.withUnsafeMutableBufferPointer { try DiskFiles.readFile(folder + "/a", into: $0) }
            }
        }
    }
}

@Suite("Folders and paths")
struct FolderTests {
    @Test(arguments: [("a", "."), ("/a", "/"), ("/a/b", "/a"), ("a/b", "a")])
    func `The parent folder of a file path is computed`(path: String, folder: String) {
        #expect(FilePaths.parentFolder(of: path) == folder)
    }

    @Test
    func `A path whose last components do not exist is resolved to a path without symbolic links`() throws {
        try withFolder { folder in
            try DiskFiles.makeFolder(folder + "/real")
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder + "/real")
            let real = try #require(FilePaths.canonicalPath(folder + "/real"))
            #expect(FilePaths.canonicalPath(folder + "/link/new/file") == real + "/new/file")
            for bad in ["link", folder + "//a", folder + "/./a", folder + "/../a", folder + "/a\0"] {
                #expect(FilePaths.canonicalPath(bad) == nil)
            }
        }
    }

    @Test
    func `Removing a folder does not remove the targets of symbolic links in the folder`() throws {
        try withFolder { folder in
            try DiskFiles.makeFolder(folder + "/gone/deep")
            try DiskFiles.createFile(folder + "/kept", [1])
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/gone/link",
                withDestinationPath: folder + "/kept"
            )
            DiskFiles.removeTree(folder + "/gone")
            #expect(DiskFiles.listEntries(folder) == ["kept"])
        }
    }

    @Test
    func `Copying a file fails with ECANCELED if the caller stops the copy`() throws {
        try withFolder { folder in
            try DiskFiles.createFile(folder + "/a", [UInt8](repeating: 1, count: 3 << 20))
            var calls = 0
            let error = #expect(throws: FileSystemError.self) {
                try DiskFiles.copyFile(folder + "/a", to: folder + "/b") {
                    calls += 1
                    return calls < 3
                }
            }
            #expect(error?.errnoCode == ECANCELED && DiskFiles.fileSize(folder + "/b") == 2 << 20)
            try DiskFiles.copyFile(folder + "/a", to: folder + "/b")
            #expect(DiskFiles.fileSize(folder + "/b") == 3 << 20)
        }
    }

    @Test
    func `Creating a folder at the path of a file fails`() throws {
        try withFolder { folder in
            try DiskFiles.createFile(folder + "/a", [])
            #expect(throws: FileSystemError(.makeFolder, folder + "/a", code: ENOTDIR)) {
                try DiskFiles.makeFolder(folder + "/a")
            }
        }
    }
}

@Suite("Locks on files")
struct FileLockTests {
    @Test
    func `A file lock has one holder at a time`() throws {
        try withFolder { folder in
            let path = folder + "/lock"
            func isTaken() throws -> Bool {
                if let lock = try FileLock.tryAcquire(path) {
                    _ = consume lock
                    return false
                }
                return true
            }
            let lock = try FileLock.acquire(path)
            #expect(try isTaken())
            _ = consume lock
            #expect(try !isTaken())
        }
    }
}
