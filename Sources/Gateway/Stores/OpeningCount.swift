internal import Concurrency
internal import Files

/// The crashes of the process while a store was opened, or soon after. Their number is the size of a file in the store's folder.
/// Everything here blocks.
struct OpeningCount: Sendable {
    /// After so many the store stays closed, until somebody tries it again.
    static let most = 2

    let path: String

    var value: Int { Int(clamping: DiskFiles.size(path) ?? 0) }

    func clear() { DiskFiles.removeFile(path) }

    static let reason = "The process crashed \(most) times while the store was opened: it stays closed until it is unlocked with \"retry\": true."
}

/// The opening of a store, until the process has outlived it for a while.
struct Opening: Sendable {
    /// nil where crashes cannot be noted.
    let mark: CrashMark?
    /// nil for a store with which the process has not crashed.
    let turn: AsyncLock.Turn?
}

extension StoreHost {
    /// Notes crashes of the process from here on as those of a store. Stores with which the process has crashed are opened one at a time:
    /// another crash is then the doing of one store.
    /// - Returns: nil where the store stays closed.
    func beginOpening(_ store: Store) async -> Opening? {
        let turn = store.crashes > 0 ? await suspects.turn() : nil
        let count = store.folder.openings
        let (crashes, mark) =
            (try? await blocking {
                let crashes = count.value
                return (crashes, crashes < OpeningCount.most ? CrashMark(count.path) : nil)
            }) ?? (0, nil)
        store.set(crashes: crashes)
        return crashes < OpeningCount.most ? Opening(mark: mark, turn: turn) : nil
    }

    /// Ends an opening when some time has passed, or when the task is cancelled.
    func settle(_ opening: Opening, of store: Store) -> Task<Void, Never> {
        Task { [settling = settings.openingSettles] in
            try? await Task.sleep(for: settling)
            await store.forgetCrashes()
            withExtendedLifetime(opening) { $0.turn?.end() }
        }
    }

    func report(held store: Store) {
        guard store.isHeld else { return }
        log.critical("a store stays closed", metadata: ["store": "\(store.id)", "reason": "\(OpeningCount.reason)"])
    }
}

extension Store {
    /// The process has outlived the opening, or somebody tries again.
    func forgetCrashes() async {
        await cleaningUp { [count = folder.openings] in count.clear() }
        set(crashes: 0)
    }
}
