public import ObjectStorage

/// The object storage for files that are not in use.
public struct ObjectSettings: Sendable {
    public var service: ObjectService
    /// The folder in the storage, for this store alone: the store may delete everything below it.
    public var folder: String
    /// Time without use after which a file leaves the disk.
    public var after: Duration
    /// Time during which an object may still appear in the storage after its upload has failed. The object is deleted
    /// after this time.
    var settling = Duration.seconds(900)
    /// Maximum time between two searches for files to move: a new file may be due after ``after``.
    var pause: Duration
    /// Called after each step. An error ends the move at this step, as a crash would.
    var onStep: @Sendable (Step) async throws -> Void = { _ in }

    public init(service: ObjectService, folder: String, after: Duration) {
        self.service = service
        self.folder = folder
        self.after = after
        pause = min(max(after, .seconds(1)), .seconds(600))
    }

    /// A completed step of moving a file.
    enum Step: Sendable { case noted, put, recorded, removed }
}

/// Statistics of a store's objects in the object storage.
public struct ObjectFigures: Sendable, Hashable {
    public let kept: Int64
    /// The size of the files in bytes, before encryption.
    public let bytes: Int64
    /// The number of files that are due to leave the disk and are still there, at the last search.
    public let waiting: Int64
    /// The number of objects that are to be deleted, or that are being stored.
    public let deleting: Int64
}
