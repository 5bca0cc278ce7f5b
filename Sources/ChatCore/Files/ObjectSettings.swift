public import ObjectStorage

/// Where files go that nobody uses.
public struct ObjectSettings: Sendable {
    public var service: ObjectService
    /// The folder in the storage, of this store alone: the store may delete everything below it.
    public var folder: String
    /// A file that nobody has used for this long leaves the disk.
    public var after: Duration
    /// How long an object may still appear in the storage after its upload has failed. It is deleted only after that.
    var settling = Duration.seconds(900)
    /// It looks for such files at least this often: a new one may be due after ``after``.
    var pause: Duration
    /// Told after each step. What it throws ends the move there, as a crash would.
    var onStep: @Sendable (Step) async throws -> Void = { _ in }

    public init(service: ObjectService, folder: String, after: Duration) {
        self.service = service
        self.folder = folder
        self.after = after
        pause = min(max(after, .seconds(1)), .seconds(600))
    }

    /// What has happened to a file that is moved.
    enum Step: Sendable { case noted, put, recorded, removed }
}

/// What a store has in the object storage.
public struct ObjectFigures: Sendable, Hashable {
    public let kept: Int64
    /// The size of the files in bytes, before encryption.
    public let bytes: Int64
    /// Files that nobody has used for long, and that are still on the disk, as of the last look.
    public let waiting: Int64
    /// Objects of files that are gone.
    public let deleting: Int64
}
