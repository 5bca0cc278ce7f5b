import Synchronization

/// The encrypted files whose authentication tags were verified. A later reader of an unchanged file need not read the
/// whole file for the verification.
final class VerifiedFiles: Sendable {
    /// The version of each file at the time of the verification. The keys are the ids of the files.
    private let versions = Mutex<[Int64: String]>([:])
    private static let maxFiles = 1_000

    func contains(_ fileId: Int64, _ version: String) -> Bool { versions.withLock { $0[fileId] == version } }

    func insert(_ fileId: Int64, _ version: String) {
        versions.withLock { versions in
            if versions.count >= Self.maxFiles { versions.removeAll() }
            versions[fileId] = version
        }
    }
}
