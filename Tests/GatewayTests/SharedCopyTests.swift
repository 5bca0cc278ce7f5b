import ChatCore
import Files
import Foundation
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Copies that share files with an earlier copy", .socketTimeLimit)
struct SharedCopyTests {
    /// Returns the inode number of a file.
    private func inode(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int)
    }

    /// Runs `body` with a folder for copies, and the path of a file.
    private func with(_ body: (_ copies: String, _ source: String) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let source = folder.path + "/source"
        try DiskFiles.create(source, Array("content".utf8))
        try await body(folder.path, source)
    }

    /// Makes a copy of one file, with the list of its contents.
    private func copy(_ source: String, to target: String, base: String?, isSettled: Bool = true) throws -> Bool {
        try DiskFiles.makeFolder(target)
        let sources = try CopySources(base: base, settledAge: isSettled ? 0 : CopySources.settledNanoseconds)
        let state = try #require(CopySources.FileState.read(source))
        let isShared = sources.shareFile("file", state, in: target)
        if !isShared {
            try DiskFiles.copy(source, to: target + "/file")
            sources.recordState("file", state)
        }
        try sources.write(to: target)
        try CopyList.write(in: target, except: [], known: sources.knownHashes) { true }
        return isShared
    }

    @Test
    func `An unchanged file is shared with the earlier copy, and a changed file is copied`() async throws {
        try await with { copies, source in
            let (one, two, three) = (copies + "/1", copies + "/2", copies + "/3")
            #expect(try !copy(source, to: one, base: nil))
            #expect(try copy(source, to: two, base: one))
            #expect(try inode(one + "/file") == inode(two + "/file") && CopyList.verifyFiles(two))
            try DiskFiles.replace(source, with: Array("changed".utf8))
            #expect(try !copy(source, to: three, base: two))
            #expect(try DiskFiles.read(three + "/file") == Array("changed".utf8) && CopyList.verifyFiles(three))
            #expect(try DiskFiles.read(two + "/file") == Array("content".utf8))
        }
    }

    @Test
    func `A file that was changed within the last two seconds is copied again`() async throws {
        try await with { copies, source throws in
            #expect(try !copy(source, to: copies + "/1", base: nil, isSettled: false))
            #expect(try !copy(source, to: copies + "/2", base: copies + "/1"))
        }
    }

    @Test
    func `Nothing is shared with a copy whose list was changed, or with a folder without a list`() async throws {
        try await with { copies, source in
            let one = copies + "/1"
            _ = try copy(source, to: one, base: nil)
            try DiskFiles.replace(one + "/" + CopyList.fileName, with: Array("changed\n".utf8))
            #expect(try !copy(source, to: copies + "/2", base: one))
            CopyList.remove(from: copies + "/2")
            #expect(try !copy(source, to: copies + "/3", base: copies + "/2"))
        }
    }

    @Test
    func `Nothing is shared with a copy that another process uses, and the earlier copy is locked during a backup`()
        async throws
    {
        try await with { copies, source in
            let one = copies + "/1"
            _ = try copy(source, to: one, base: nil)
            func isFree() throws -> Bool { try FileLock.tryAcquire(one + "/.lock") != nil }
            do {
                guard let user = try FileLock.tryAcquire(one + "/.lock") else { throw RawConnection.Failure.closed }
                #expect(throws: ProblemDetails.self) { try copy(source, to: copies + "/2", base: one) }
                withExtendedLifetime(user) {}
            }
            do {
                let sources = try CopySources(base: one, settledAge: 0)
                #expect(try !isFree())
                withExtendedLifetime(sources) {}
            }
            #expect(try copy(source, to: copies + "/3", base: one) && isFree())
        }
    }

    @Test
    func `A backup is refused if its earlier copy cannot be locked`() async throws {
        try await with { copies, source in
            _ = try copy(source, to: copies + "/1", base: nil)
            // A folder cannot be opened as a lock.
            try DiskFiles.makeFolder(copies + "/1/.lock")
            let problem = #expect(throws: ProblemDetails.self) {
                try copy(source, to: copies + "/2", base: copies + "/1")
            }
            #expect(problem?.code == .invalidValue && problem?.detail.contains("locked") == true)
        }
    }

    @Test
    func `If only one database of a store can be shared, both are copied, and the list has the hashes of their copies`()
        async throws
    {
        try await with { copies, _ in
            let (data, one, two) = (copies + "/data", copies + "/1", copies + "/2")
            let files = ["chat.db", "agent.db"].map { data + "/" + $0 }
            for folder in [data, one, two] { try DiskFiles.makeFolder(folder) }
            for file in files { try DiskFiles.create(file, Array("content".utf8)) }
            let first = try CopySources(base: nil, settledAge: 0)
            for (file, name) in zip(files, ["chat.db", "agent.db"]) {
                first.recordState(name, try #require(CopySources.FileState.read(file)))
                try DiskFiles.copy(file, to: one + "/" + name)
            }
            try first.write(to: one)
            try CopyList.write(in: one, except: []) { true }
            DiskFiles.removeFile(one + "/agent.db")
            let sources = try CopySources(base: one, settledAge: 0)
            let copier = FolderCopier(
                folder: data,
                target: two,
                stores: [],
                folders: StoreFolders(path: data + "/stores"),
                publishedPaths: [],
                mayContinue: { true },
                copyRoot: two,
                sources: sources
            )
            #expect(try !copier.shareDatabases(files))
            #expect(sources.knownHashes.isEmpty)
            // A copy that a database writes differs from its file.
            for name in ["chat.db", "agent.db"] { try DiskFiles.create(two + "/" + name, Array("a copy".utf8)) }
            try CopyList.write(in: two, except: [], known: sources.knownHashes) { true }
            #expect(try CopyList.verifyFiles(two))
        }
    }

    @Test
    func `A damaged shared file is found in each copy that has it`() async throws {
        try await with { copies, source in
            let (one, two) = (copies + "/1", copies + "/2")
            _ = try copy(source, to: one, base: nil)
            try Data("CONTENT".utf8).write(to: URL(fileURLWithPath: one + "/file"))
            #expect(try copy(source, to: two, base: one))
            for copy in [one, two] { #expect(throws: CopyList.Fault.self) { try CopyList.verifyFiles(copy) } }
        }
    }

    @Test
    func `A copy that is served gets files of its own`() async throws {
        try await with { copies, source in
            let (one, two) = (copies + "/1", copies + "/2")
            _ = try copy(source, to: one, base: nil)
            _ = try copy(source, to: two, base: one)
            try CopyList.prepareForChanges(two)
            #expect(try inode(one + "/file") != inode(two + "/file"))
            #expect(try DiskFiles.read(two + "/file") == Array("content".utf8))
            #expect(!DiskFiles.exists(two + "/" + CopySources.fileName))
            // The start may still fail after the release. So the folder must still be a valid copy.
            #expect(try CopyList.verifyFiles(two))
            #expect(try !copy(source, to: copies + "/3", base: two))
        }
    }

    @Test
    func `A backup with a base shares the databases of unchanged stores, and opens like a full backup`() async throws {
        let (folder, copies) = (try TemporaryFolder(), try TemporaryFolder())
        defer {
            folder.remove()
            copies.remove()
        }
        let (one, two, three) = (copies.path + "/1", copies.path + "/2", copies.path + "/3")
        let id = try await LockableGateway.run(in: folder) { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let made = try await client.post("/v1/stores", ["name": "Bob"]).json
            let id = try #require(made["store"]?["storeId"]?.stringValue)
            let store = try #require(gateway.server.stores).requireStore(id)
            // After this, the databases have no logs.
            await store.openedStore?.core.controller?.releaseDatabaseResources()
            func copy(_ target: String, base: String?) async throws -> JSONValue {
                var body: JSONObject = ["folder": .string(target)]
                if let base { body["base"] = .string(base) }
                return try await client.post("/v1/backup", .object(body)).json
            }
            try await eventually("the databases were not changed for two seconds") {
                let path = gateway.folder + "/stores/" + id + "/simplex_v1_agent.db"
                let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
                return (date?.timeIntervalSinceNow ?? 0) < -2.1
            }
            #expect(try await copy(one, base: nil)["shared"] == 0)
            #expect(try await copy(two, base: one)["shared"]?.integerValue ?? 0 > 1)
            let refused = try await client.post("/v1/backup", ["folder": .string(three), "base": .string(copies.path)])
            #expect(refused.status == 422, "\(refused.text)")
            return id
        }
        for name in ["simplex_v1_chat.db", "simplex_v1_agent.db"] {
            let path = "/stores/\(id)/\(name)"
            #expect(try inode(one + path) == inode(two + path))
        }
        try CopyList.prepareForChanges(two)
        try await LockableGateway.run(in: TemporaryFolder(path: two)) { gateway in
            let users = try await gateway.connectClient().call("GET", "/v1/users").json["users"]?.arrayValue ?? []
            #expect(users.map { $0["user"]?["localDisplayName"] } == ["alice"])
            try await eventually("the store opens") { try gateway.server.stores?.requireStore(id).openedStore != nil }
        }
        #expect(try CopyList.verifyFiles(one))
    }

    @Test
    func `During a backup, a store with a waiting write is the next`() async throws {
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
