import Synchronization
import TestSupport
import Testing

@testable import Files

@Suite struct UnfinishedFolderTests {
    @Test
    func `An unfinished folder that is completed gets its final name and loses its mark file`() throws {
        try withFolder { folder in
            let place = folder + "/place"
            let unfinished = try UnfinishedFolder.makeFolder(place, mark: ".mark")
            try DiskFiles.createFile(place + "/file", [1])
            try unfinished.renameToFinal(as: place + "2")
            #expect(DiskFiles.listEntries(place + "2") == ["file"] && !DiskFiles.exists(place))
        }
    }

    @Test
    func `An unfinished folder cannot be continued while it is in use or if it has unknown contents`() throws {
        try withFolder { folder in
            let place = folder + "/place"
            var first: UnfinishedFolder? = try UnfinishedFolder.makeFolder(place, mark: ".mark")
            try DiskFiles.createFile(place + "/left", [1])
            #expect { try UnfinishedFolder.makeFolder(place, mark: ".mark") } throws: {
                if case UnfinishedFolder.Fault.inUse = $0 { true } else { false }
            }
            withExtendedLifetime(first) {}
            // Releasing the object has the same effect on its lock as the end of a process.
            first = nil
            let seen = Mutex<[String]>([])
            let second = try UnfinishedFolder.makeFolder(place, mark: ".mark") { path in
                seen.withLock { $0 = DiskFiles.listEntries(path).sorted() }
            }
            #expect(seen.withLock { $0 } == [".mark", "left"] && DiskFiles.listEntries(place) == [".mark"])
            second.removeFolder()
            #expect(!DiskFiles.exists(place))
            try DiskFiles.makeFolder(place + "/mine")
            #expect { try UnfinishedFolder.makeFolder(place, mark: ".mark") } throws: {
                if case UnfinishedFolder.Fault.pathOccupied = $0 { true } else { false }
            }
            UnfinishedFolder.removeUnfinished(place, mark: ".mark")
            #expect(DiskFiles.exists(place + "/mine"))
        }
    }

    @Test
    func `Listing a path that is not a folder fails, and listing a missing folder returns no names`() throws {
        try withFolder { folder in
            let place = folder + "/place"
            #expect(try DiskFiles.listNames(in: place) == [])
            try DiskFiles.createFile(place, [])
            #expect(throws: FileSystemError.self) { try DiskFiles.listNames(in: place) }
            #expect(throws: FileSystemError.self) { try DiskFiles.rename(place, toNew: place) }
        }
    }
}
