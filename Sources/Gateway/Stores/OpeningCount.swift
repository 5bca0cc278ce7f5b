internal import Concurrency
internal import Files

/// The openings of a store that the process did not outlive. Their number is a file in the store's folder. Everything here blocks.
struct OpeningCount: Sendable {
    /// After so many the store stays closed, until somebody tries it again.
    static let most = 2

    let path: String

    /// A file that holds no number counts as none.
    var value: Int {
        guard let content = try? DiskFiles.read(path, limit: 16), let text = String(validating: content, as: UTF8.self) else { return 0 }
        return max(0, Int(text) ?? 0)
    }

    var isReached: Bool { value >= Self.most }

    /// The count is on the disk before the store is opened. On a full disk the opening goes uncounted.
    func begin() { try? DiskFiles.replace(path, with: Array("\(min(value, Self.most) + 1)".utf8)) }

    func clear() {
        guard DiskFiles.exists(path) else { return }
        DiskFiles.removeFile(path)
        DiskFiles.syncFolder(of: path)
    }

    static let reason = "The process ended \(most) times while the store was opened: it stays closed until it is unlocked with \"retry\": true."
}

extension Store {
    /// Notes that the store is about to be opened.
    /// - Returns: false where it stays closed.
    func beginOpening() async -> Bool {
        let count = folder.openings
        let mayOpen = (try? await blocking {
            guard !count.isReached else { return false }
            count.begin()
            return true
        }) ?? true
        set(isHeld: !mayOpen)
        return mayOpen
    }

    /// The process has outlived the opening, or somebody tries again.
    func forgetOpenings() async {
        await cleaningUp { [count = folder.openings] in count.clear() }
        set(isHeld: false)
    }
}
