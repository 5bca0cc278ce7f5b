import Glibc
import TestSupport
import Testing

@testable import Files

@Suite struct FolderNamesTests {
    private let invalidName: [CChar] = [0x61, CChar(bitPattern: 0xFF), 0x62, 0]

    /// Makes a file or a folder with a name that is not UTF-8.
    private func makeEntry(in folder: String, isFolder: Bool) {
        let path = folder.utf8CString.dropLast() + [0x2F] + invalidName
        if isFolder {
            #expect(mkdir(Array(path), 0o700) == 0)
        } else {
            #expect(close(open(Array(path), O_CREAT | O_WRONLY, 0o600)) == 0)
        }
    }

    @Test(arguments: [false, true])
    func `A file name that is not UTF-8 makes the complete listing of its folder fail`(isFolder: Bool) throws {
        try withFolder { folder in
            try DiskFiles.createFile(folder + "/known", [])
            makeEntry(in: folder, isFolder: isFolder)
            #expect { try DiskFiles.listNames(in: folder) } throws: {
                ($0 as? FileSystemError)?.description == "\(folder)/a\\xffb: its name is not UTF-8"
            }
            #expect(DiskFiles.listEntries(folder) == ["known"])
        }
    }

    @Test
    func `A file or folder name that is not UTF-8 is found in any subfolder`() throws {
        try withFolder { folder in
            try DiskFiles.makeFolder(folder + "/deep/deeper")
            try DiskFiles.createFile(folder + "/deep/deeper/Müller \u{1F600}", [])
            #expect(symlink(folder, folder + "/deep/link") == 0)
            try DiskFiles.checkAllReadable(below: folder)
            makeEntry(in: folder + "/deep/deeper", isFolder: false)
            #expect { try DiskFiles.checkAllReadable(below: folder) } throws: {
                ($0 as? FileSystemError)?.path == folder + "/deep/deeper/a\\xffb"
            }
        }
    }

    @Test
    func `A folder is removed with files and folders whose names are not UTF-8`() throws {
        try withFolder { folder in
            try DiskFiles.makeFolder(folder + "/gone/deep/deeper")
            try DiskFiles.createFile(folder + "/gone/deep/file", [1])
            makeEntry(in: folder + "/gone", isFolder: false)
            makeEntry(in: folder + "/gone/deep", isFolder: true)
            try DiskFiles.makeFolder(folder + "/stays")
            try DiskFiles.createFile(folder + "/stays/file", [1])
            #expect(
                symlink(folder + "/stays", folder + "/gone/link") == 0
                    && symlink(folder + "/stays", folder + "/gone/deep/link") == 0
            )
            DiskFiles.removeTree(folder + "/gone")
            #expect(DiskFiles.listEntries(folder) == ["stays"] && DiskFiles.listEntries(folder + "/stays") == ["file"])
            DiskFiles.removeTree(folder + "/none")
        }
    }

    @Test
    func `A rename that must not replace anything fails if a file, folder or dangling link has the new name`() throws {
        try withFolder { folder in
            for isFolder in [false, true] {
                let source = folder + "/source"
                if isFolder { try DiskFiles.makeFolder(source) } else { try DiskFiles.createFile(source, [1]) }
                try DiskFiles.makeFolder(folder + "/folder")
                try? DiskFiles.createFile(folder + "/file", [2])
                symlink(folder + "/nowhere", folder + "/link")
                for name in ["folder", "file", "link"] {
                    #expect { try DiskFiles.rename(source, toNew: folder + "/" + name) } throws: {
                        ($0 as? FileSystemError)?.errnoCode == EEXIST
                    }
                }
                #expect(try DiskFiles.readFile(folder + "/file") == [2])
                try DiskFiles.rename(source, toNew: folder + "/target")
                #expect(DiskFiles.isFolder(folder + "/target") == isFolder && !DiskFiles.exists(source))
                DiskFiles.removeTree(folder + "/target")
            }
        }
    }
}
