package import ObjectStorage

/// The settings of the object storage for files that are not in use.
package struct ObjectSettings: Sendable {
    package var service: ObjectService
    /// The folder of this store in the storage. No other store uses the folder, and this store may delete everything in
    /// it.
    package var folder: String
    /// Time after the last use of a file until the file is moved from the disk to the storage.
    package var idleTimeBeforeMove: Duration
    /// Time for which the storage may still create an object after the upload of the object has failed. The object is
    /// deleted after this time.
    var failedUploadDeletionDelay = Duration.seconds(900)
    /// Maximum time between two searches for files to move. The searches are repeated, because a file can be moved only
    /// when it was not used for ``idleTimeBeforeMove``.
    var maxSearchPause: Duration
    /// A function that is called after each step of moving a file to the storage. If the function throws, the move ends
    /// at this step, as after a crash. Only tests set this function.
    var onStep: @Sendable (Step) async throws -> Void = { _ in }

    package init(service: ObjectService, folder: String, after: Duration) {
        self.service = service
        self.folder = folder
        self.idleTimeBeforeMove = after
        maxSearchPause = min(max(after, .seconds(1)), .seconds(600))
    }

    /// A completed step of moving a file.
    enum Step: Sendable { case noted, put, recorded, removed }
}

/// Statistics of a store's objects in the object storage.
package struct ObjectFigures: Sendable, Hashable {
    package let keptObjectCount: Int64
    /// The size of the files in bytes, before encryption.
    package let fileBytes: Int64
    /// The number of files that wait to be moved from the disk to the storage, according to the last search.
    package let waitingFileCount: Int64
    /// The number of objects that wait to be deleted, or whose upload is not complete.
    package let incompleteObjectCount: Int64
}
