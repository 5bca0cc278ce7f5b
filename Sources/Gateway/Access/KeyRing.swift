internal import SimpleXCrypto
internal import Synchronization

/// The keys in memory.
public final class KeyRing: Sendable {
    private let file: KeyFile
    private let records: Mutex<[KeyRecord]>
    private let reloading = Mutex(())
    private let listeners = Mutex<[@Sendable (Set<String>) -> Void]>([])

    public init(file: KeyFile) throws(KeyFileError) {
        self.file = file
        self.records = Mutex(try file.load())
    }

    /// The owner of a key; every known key is compared, each in constant time.
    public func principal(for text: some StringProtocol) -> Principal? {
        guard let hash = APIKey.hash(of: text) else { return nil }
        return records.withLock { records in
            var found: Principal?
            for record in records where constantTimeEquals(record.hash, hash) {
                found = Principal(keyID: record.id, scopes: record.scopes, userId: record.userId)
            }
            return found
        }
    }

    func contains(id: String) -> Bool {
        records.withLock { $0.contains { $0.id == id } }
    }

    /// Reads the file again. One that cannot be read changes nothing: a torn write must not open or close doors.
    public func reload() {
        // One at a time, or an older reading could be stored after a newer one.
        reloading.withLock { _ in
            guard let loaded = try? file.load() else { return }
            records.withLock { $0 = loaded }
            let valid = Set(loaded.map(\.id))
            for listener in listeners.withLock({ $0 }) { listener(valid) }
        }
    }

    /// Tells which keys are valid whenever the file has changed.
    func onChange(_ listener: @escaping @Sendable (Set<String>) -> Void) {
        listeners.withLock { $0.append(listener) }
    }
}
