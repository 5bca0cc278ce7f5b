import ChatCore
import Files
import Foundation
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Backups that share files with an earlier backup", .socketTimeLimit)
struct SharedCopyTests {
    /// Returns the inode number of a file.
    private func readInode(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int)
    }

    /// Runs `body` with a folder for copies, and the path of a file.
    private func withSource(_ body: (_ copies: String, _ source: String) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let source = folder.path + "/source"
        try DiskFiles.createFile(source, Array("content".utf8))
        try await body(folder.path, source)
    }

    /// Makes a copy of one file, with the list of its contents.
    private func makeCopy(_ source: String, to target: String, base: String?, isSettled: Bool = true) throws -> Bool {
        try DiskFiles.makeFolder(target)
        let sources = try CopySources(base: base, settledAge: isSettled ? 0 : CopySources.minAgeNanoseconds)
        let state = try #require(CopySources.FileState.readState(source))
        let isShared = sources.shareFile("file", state, in: target)
        if !isShared {
            try DiskFiles.copyFile(source, to: target + "/file")
            sources.recordState("file", state)
        }
        try sources.writeStates(to: target)
        try CopyChecksums.writeList(in: target, except: [], known: sources.sharedHashes) { true }
        return isShared
    }

    @Test
    func `A backup shares an unchanged file with an earlier backup, and copies a changed file`() async throws {
        try await withSource { copies, source in
            let (one, two, three) = (copies + "/1", copies + "/2", copies + "/3")
            #expect(try !makeCopy(source, to: one, base: nil))
            #expect(try makeCopy(source, to: two, base: one))
            #expect(try readInode(one + "/file") == readInode(two + "/file") && CopyChecksums.verifyFiles(two))
            try DiskFiles.replaceFile(source, with: Array("changed".utf8))
            #expect(try !makeCopy(source, to: three, base: two))
            #expect(
                try DiskFiles.readFile(three + "/file") == Array("changed".utf8) && CopyChecksums.verifyFiles(three)
            )
            #expect(try DiskFiles.readFile(two + "/file") == Array("content".utf8))
        }
    }

    @Test
    func `A file that was changed within the last two seconds is copied, and not shared with an earlier backup`()
        async throws
    {
        try await withSource { copies, source throws in
            #expect(try !makeCopy(source, to: copies + "/1", base: nil, isSettled: false))
            #expect(try !makeCopy(source, to: copies + "/2", base: copies + "/1"))
        }
    }

    @Test
    func `No files are shared with a backup whose checksum list was changed, or with a folder without such a list`()
        async throws
    {
        try await withSource { copies, source in
            let one = copies + "/1"
            _ = try makeCopy(source, to: one, base: nil)
            try DiskFiles.replaceFile(one + "/" + CopyChecksums.fileName, with: Array("changed\n".utf8))
            #expect(try !makeCopy(source, to: copies + "/2", base: one))
            CopyChecksums.removeListFiles(from: copies + "/2")
            #expect(try !makeCopy(source, to: copies + "/3", base: copies + "/2"))
        }
    }

    @Test
    func `A backup locks its earlier backup while it shares files, and is refused if another process holds the lock`()
        async throws
    {
        try await withSource { copies, source in
            let one = copies + "/1"
            _ = try makeCopy(source, to: one, base: nil)
            func isFree() throws -> Bool { try FileLock.tryAcquire(one + "/.lock") != nil }
            do {
                guard let user = try FileLock.tryAcquire(one + "/.lock") else { throw RawConnection.Failure.closed }
                #expect(throws: ProblemDetails.self) { try makeCopy(source, to: copies + "/2", base: one) }
                withExtendedLifetime(user) {}
            }
            do {
                let sources = try CopySources(base: one, settledAge: 0)
                #expect(try !isFree())
                withExtendedLifetime(sources) {}
            }
            #expect(try makeCopy(source, to: copies + "/3", base: one) && isFree())
        }
    }

    @Test
    func `A backup is refused if the lock file of its earlier backup cannot be opened`() async throws {
        try await withSource { copies, source in
            _ = try makeCopy(source, to: copies + "/1", base: nil)
            // A folder cannot be opened as a lock file, so the copy cannot be locked.
            try DiskFiles.makeFolder(copies + "/1/.lock")
            let problem = #expect(throws: ProblemDetails.self) {
                try makeCopy(source, to: copies + "/2", base: copies + "/1")
            }
            #expect(problem?.code == .invalidValue && problem?.detail.contains("locked") == true)
        }
    }

    @Test
    func `If only one of a store's two databases can be shared, both are copied and get checksums of their own`()
        async throws
    {
        try await withSource { copies, _ in
            let (data, one, two) = (copies + "/data", copies + "/1", copies + "/2")
            let files = ["chat.db", "agent.db"].map { data + "/" + $0 }
            for folder in [data, one, two] { try DiskFiles.makeFolder(folder) }
            for file in files { try DiskFiles.createFile(file, Array("content".utf8)) }
            let first = try CopySources(base: nil, settledAge: 0)
            for (file, name) in zip(files, ["chat.db", "agent.db"]) {
                first.recordState(name, try #require(CopySources.FileState.readState(file)))
                try DiskFiles.copyFile(file, to: one + "/" + name)
            }
            try first.writeStates(to: one)
            try CopyChecksums.writeList(in: one, except: []) { true }
            DiskFiles.removeFile(one + "/agent.db")
            let sources = try CopySources(base: one, settledAge: 0)
            let copier = FolderCopier(
                dataFolder: data,
                target: two,
                stores: [],
                storeFolders: StoreFolders(path: data + "/stores"),
                publishedPaths: [],
                mayContinue: { true },
                copyRoot: two,
                sources: sources
            )
            #expect(try !copier.shareDatabases(files))
            #expect(sources.sharedHashes.isEmpty)
            // A database writes its copy with other bytes, so hashes of the source would make the list wrong.
            for name in ["chat.db", "agent.db"] { try DiskFiles.createFile(two + "/" + name, Array("a copy".utf8)) }
            try CopyChecksums.writeList(in: two, except: [], known: sources.sharedHashes) { true }
            #expect(try CopyChecksums.verifyFiles(two))
        }
    }

    @Test
    func `If a shared file is damaged, the damage is found in each backup that contains the file`() async throws {
        try await withSource { copies, source in
            let (one, two) = (copies + "/1", copies + "/2")
            _ = try makeCopy(source, to: one, base: nil)
            try Data("CONTENT".utf8).write(to: URL(fileURLWithPath: one + "/file"))
            #expect(try makeCopy(source, to: two, base: one))
            for copy in [one, two] { #expect(throws: CopyChecksums.Fault.self) { try CopyChecksums.verifyFiles(copy) } }
        }
    }

    @Test
    func `Before a gateway serves a backup, files that the backup shares with another backup are duplicated`()
        async throws
    {
        try await withSource { copies, source in
            let (one, two) = (copies + "/1", copies + "/2")
            _ = try makeCopy(source, to: one, base: nil)
            _ = try makeCopy(source, to: two, base: one)
            try CopyChecksums.prepareForChanges(two)
            #expect(try readInode(one + "/file") != readInode(two + "/file"))
            #expect(try DiskFiles.readFile(two + "/file") == Array("content".utf8))
            #expect(!DiskFiles.exists(two + "/" + CopySources.fileName))
            // The start may still fail after the release. So the folder must still be a valid copy.
            #expect(try CopyChecksums.verifyFiles(two))
            #expect(try !makeCopy(source, to: copies + "/3", base: two))
        }
    }

    @Test
    func `A backup with a base backup shares databases of unchanged stores, and can be opened like a full backup`()
        async throws
    {
        let (folder, copies) = (try TemporaryFolder(), try TemporaryFolder())
        defer {
            folder.remove()
            copies.remove()
        }
        let (one, two, three) = (copies.path + "/1", copies.path + "/2", copies.path + "/3")
        let databases = ["simplex_v1_chat.db", "simplex_v1_agent.db"]
        let id = try await LockableGateway.run(in: folder) { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let made = try await client.post("/v1/stores", ["name": "Bob"]).json
            let id = try #require(made["store"]?["storeId"]?.stringValue)
            let store = try #require(gateway.server.stores).requireStore(id)
            func copy(_ target: String, base: String?) async throws -> JSONValue {
                var body: JSONObject = ["folder": .string(target)]
                if let base { body["base"] = .string(base) }
                return try await client.post("/v1/backup", .object(body)).json
            }
            try await waitUntil(
                "the databases have no logs, and were not changed for two seconds",
                every: .milliseconds(100)
            ) {
                // A worker may write after the start of the gateway. So the connections are closed again each time,
                // which removes the logs.
                await store.openedStore?.core.controller?.releaseDatabaseResources()
                return try databases.allSatisfy { name in
                    let path = "\(gateway.folder)/stores/\(id)/\(name)"
                    let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
                    return !DiskFiles.exists(path + "-wal") && (date?.timeIntervalSinceNow ?? 0) < -2.1
                }
            }
            #expect(try await copy(one, base: nil)["shared"] == 0)
            #expect(try await copy(two, base: one)["shared"]?.integerValue ?? 0 > 1)
            let refused = try await client.post("/v1/backup", ["folder": .string(three), "base": .string(copies.path)])
            #expect(refused.status == 422, "\(refused.text)")
            return id
        }
        for name in databases {
            let path = "/stores/\(id)/\(name)"
            #expect(try readInode(one + path) == readInode(two + path))
        }
        try CopyChecksums.prepareForChanges(two)
        try await LockableGateway.run(in: TemporaryFolder(path: two)) { gateway in
            let users = try await gateway.connectClient().call("GET", "/v1/users").json["users"]?.arrayValue ?? []
            #expect(users.map { $0["user"]?["localDisplayName"] } == ["alice"])
            try await waitUntil("the store opens") { try gateway.server.stores?.requireStore(id).openedStore != nil }
        }
        #expect(try CopyChecksums.verifyFiles(one))
    }

    @Test
    func `A backup copies a store with a waiting write before all other stores that are not copied yet`() async throws {
        let order = CopyOrder(count: 4)
        #expect(try await order.takeNextStore(isForAwaited: false) == 0)
        order.recordWaitingWrite(3)
        order.recordWaitingWrite(0)
        #expect(try await order.takeNextStore(isForAwaited: false) == 3)
        let waiting = Task.immediate { try await order.takeNextStore(isForAwaited: true) }
        order.recordWaitingWrite(2)
        #expect(try await waiting.value == 2)
        let others = (0..<3).map { _ in Task.immediate { try await order.takeNextStore(isForAwaited: true) } }
        #expect(try await order.takeNextStore(isForAwaited: false) == 1)
        #expect(try await order.takeNextStore(isForAwaited: false) == nil)
        for other in others { #expect(try await other.value == nil) }
    }
}
