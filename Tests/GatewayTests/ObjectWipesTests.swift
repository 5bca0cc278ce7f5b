import Logging
import ObjectStorage
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("Deletion of the objects of deleted stores", .timeLimit(.minutes(5))) struct ObjectWipesTests {
    @Test
    func `If the object storage lists objects without end, the deletion of a store's objects pauses after 100 objects`()
        async throws
    {
        let folder = try TemporaryFolder()
        let objects = EndlessStore()
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let wipes = ObjectWipes(
            ObjectService(objects, log: log),
            StoreFolders(path: folder.path + "/stores"),
            settling: .zero,
            log: log
        )
        try wipes.recordFolderToWipe(StoreID.make())
        #expect(try await wipes.wipeAllFolders() == .seconds(60))
        #expect(objects.deletedCount == 100)
    }
}

/// A storage that always has one more object.
private final class EndlessStore: ObjectStore {
    private let deletionCount = Mutex(0)

    var deletedCount: Int { deletionCount.withLock { $0 } }
    func storeObject(_ key: String, _ source: ObjectSource) async throws(ObjectError) {}
    func fetchObject(
        _ key: String,
        size: Int64,
        _ take: @escaping @Sendable ([UInt8]) async throws -> Void
    ) async throws {}
    func deleteObject(_ key: String) async throws(ObjectError) { deletionCount.withLock { $0 += 1 } }
    func listKeys(beginning prefix: String) async throws(ObjectError) -> [String] { [prefix + "\(deletedCount)"] }
}
