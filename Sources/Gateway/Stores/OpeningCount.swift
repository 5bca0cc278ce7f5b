internal import Concurrency
internal import Files

/// The crashes of the process while a store was opened, or soon after. Their number is the size of a file in the
/// store's folder.
/// Everything here blocks.
struct OpeningCount: Sendable {
    /// Number of crashes after which the store stays closed, until somebody asks for another attempt.
    static let most = 2

    let path: String

    var value: Int { Int(clamping: DiskFiles.size(path) ?? 0) }

    func clear() { DiskFiles.removeFile(path) }

    static let reason =
        "The process crashed \(most) times while the store was opened: it stays closed until it is unlocked with \"retry\": true."
}

/// The opening of a store, until the process has run for a while after it.
struct Opening: Sendable {
    /// nil when crashes cannot be noted.
    let mark: CrashMark?
    /// nil for a store at whose opening the process has not crashed.
    let turn: AsyncLock.Turn?
}

extension StoreHost {
    /// Begins to count crashes of the process as crashes of a store. Stores with earlier crashes are opened one at a
    /// time, so that it is known which store caused another crash.
    /// - Returns: nil when the store stays closed.
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

    /// Ends an opening after some time, or when the task is cancelled.
    func settle(_ opening: Opening, of store: Store) -> Task<Void, Never> {
        Task { [self, settling = settings.openingSettles] in
            try? await Task.sleep(for: settling)
            await endOpening(opening, of: store)
        }
    }

    /// Ends an opening: crashes of the process are no longer counted as crashes of the store.
    func endOpening(_ opening: Opening, of store: Store) async {
        await store.forgetCrashes()
        withExtendedLifetime(opening) { $0.turn?.end() }
    }

    func report(held store: Store) {
        guard store.isHeld else { return }
        log.critical("a store stays closed", metadata: ["store": "\(store.id)", "reason": "\(OpeningCount.reason)"])
    }
}

extension Store {
    /// Sets the number of crashes to zero, after the process has survived the opening, or when somebody asks for
    /// another attempt.
    func forgetCrashes() async {
        await cleaningUp { [count = folder.openings] in count.clear() }
        set(crashes: 0)
    }
}
