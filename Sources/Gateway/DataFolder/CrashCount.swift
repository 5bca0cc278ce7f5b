internal import Concurrency
internal import Files

/// The number of crashes of the process while a store was opened, or soon after. The number is the size of a file in
/// the store's folder.
///
/// All functions block the thread.
struct CrashCount: Sendable {
    /// Number of crashes after which the store stays closed, until a client asks for another attempt.
    static let maxCrashes = 2

    let path: String

    var crashCount: Int { Int(clamping: DiskFiles.fileSize(path) ?? 0) }

    func resetCount() { DiskFiles.removeFile(path) }

    static let heldClosedReason =
        "The process crashed \(maxCrashes) times while the store was opened: it stays closed until it is unlocked with \"retry\": true."
}

/// The opening of a store, and the time after it in which a crash of the process counts as a crash of the store.
struct Opening: Sendable {
    /// Counts a crash of the process; nil when the file for crashes cannot be opened.
    let crashMark: CrashMark?
    /// The held lock `crashedStoreLock`, under which stores with earlier crashes are opened one by one; nil for a store
    /// without earlier crashes.
    let crashedStoreTurn: AsyncLock.Turn?
}
