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

    /// On a full disk an opening goes uncounted.
    func set(_ value: Int) { try? DiskFiles.replace(path, with: Array("\(min(value, Self.most))".utf8)) }

    func clear() { DiskFiles.removeFile(path) }

    static let reason = "The process ended \(most) times while the store was opened: it stays closed until it is unlocked with \"retry\": true."
}

extension Store {
    /// Notes that the store is about to be opened.
    /// - Returns: false where it stays closed.
    func beginOpening() async -> Bool {
        let count = folder.openings
        let ends = (try? await blocking {
            let ends = count.value
            if ends < OpeningCount.most { count.set(ends + 1) }
            return ends
        }) ?? 0
        set(endedOpenings: ends)
        return ends < OpeningCount.most
    }

    /// The process has outlived the opening, or somebody tries again.
    func forgetOpenings() async {
        await cleaningUp { [count = folder.openings] in count.clear() }
        set(endedOpenings: 0)
    }
}

extension StoreHost {
    /// Waits while another store is opened with which the process has ended. Another end is then the doing of one store.
    /// - Returns: nil for a store with which the process has not ended.
    func turnOfSuspect(_ store: Store) async -> AsyncLock.Turn? {
        store.endedOpenings > 0 ? await suspects.turn() : nil
    }

    func report(held store: Store) {
        guard store.isHeld else { return }
        log.critical("a store stays closed", metadata: ["store": "\(store.id)", "reason": "\(OpeningCount.reason)"])
    }
}
