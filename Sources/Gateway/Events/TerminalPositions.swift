internal import Concurrency
internal import Files
internal import JSON
internal import Synchronization

/// The positions of clients of the WebSocket at `/`, whose protocol has no cursors. The next client of a key begins
/// after the last event that a client of the key has received. The first client of a key begins after the last event
/// before the start of the gateway. So a bot that connects again misses no events, as in the original, even after a
/// restart of the gateway. The positions are in the file `terminal-places.json` beside the list of keys.
final class TerminalPositions: Sendable {
    /// Maximal number of events that wait for a client. Earlier events are skipped without a report, since the protocol
    /// cannot report a gap.
    static let maxWaitingEvents: UInt64 = 10_000
    /// When more keys than this number have a stored position, the positions of all keys without a connected client are
    /// deleted.
    static let maxKeys = 1000
    /// Seconds from the change of a position to its write. If the process is killed, clients get the events of this
    /// time again.
    static let writeDelaySeconds: Int64 = 1

    /// The file with the positions.
    struct File: Sendable {
        let path: String
        /// The write fence of the store. After another node has taken over the store, the fence prevents this node from
        /// replacing the file. Nil for a store of a single node.
        var fence: WriteFence?
    }

    private struct State {
        /// The epoch of the journal. The positions are valid only in this journal.
        var epoch: String
        /// The position for keys that had no client yet.
        var startPosition: UInt64
        var positionsByKey: [String: UInt64] = [:]
        var clientCounts: [String: Int] = [:]
        var isChanged = false
        var isStopped = false
    }

    private let state: Mutex<State>
    private let file: File?
    private let clock: GatewayClock
    private let writeLock = Mutex(())

    /// - Parameter file: the file with the positions; nil for positions that end with the process.
    init(epoch: String, start: UInt64, file: File? = nil, clock: GatewayClock = .system) {
        (self.file, self.clock) = (file, clock)
        var first = State(epoch: epoch, startPosition: start)
        first.positionsByKey = file.map { Self.loadPositions($0.path, epoch) } ?? [:]
        state = Mutex(first)
    }

    /// Reads the stored positions. If the file cannot be read, returns no positions, and all keys count as new keys.
    private static func loadPositions(_ path: String, _ epoch: String) -> [String: UInt64] {
        guard let content = try? DiskFiles.readFile(path), let value = try? JSONValue(parsing: content),
            value["epoch"]?.stringValue == epoch, let places = value["places"]?.objectValue
        else { return [:] }
        let known = places.compactMap { entry in
            entry.value.clampedTime.flatMap { UInt64(exactly: $0) }.map { (entry.key, $0) }
        }
        return Dictionary(known) { max($0, $1) }
    }

    /// Records a new client.
    /// - Parameters:
    ///   - key: the name of the client's key.
    ///   - kept: the positions from which a reader of the journal can go on.
    /// - Returns: the number of the event after which the client begins. While another client of the key is connected,
    ///   the result is the number of the last event of the journal.
    func recordConnect(_ key: String, epoch: String, kept: ClosedRange<UInt64>) -> UInt64 {
        let place = state.withLock { state -> UInt64 in
            if state.epoch != epoch {
                state = State(epoch: epoch, startPosition: kept.upperBound, isStopped: state.isStopped)
            }
            let others = state.clientCounts.updateValue((state.clientCounts[key] ?? 0) + 1, forKey: key)
            guard others == nil else { return kept.upperBound }
            let place = state.positionsByKey[key] ?? state.startPosition
            let earliest = max(kept.lowerBound, kept.upperBound - min(kept.upperBound, Self.maxWaitingEvents))
            let begin = min(max(place, earliest), kept.upperBound)
            // The position is stored before the client receives an event. If the gateway ends before that, the client
            // begins at this position again.
            state.positionsByKey[key] = begin
            return begin
        }
        scheduleSave()
        return place
    }

    /// Records the number of an event that a client of the key has received.
    func recordReceived(_ key: String, epoch: String, at position: UInt64) {
        state.withLock { state in
            guard state.epoch == epoch, let place = state.positionsByKey[key] else { return }
            state.positionsByKey[key] = max(place, position)
        }
        scheduleSave()
    }

    /// Records the end of a client's connection, and the client's position.
    /// - Parameter position: the number of the last event that the client has received.
    func recordDisconnect(_ key: String, epoch: String, at position: UInt64) {
        state.withLock { state in
            guard state.epoch == epoch, let count = state.clientCounts[key] else { return }
            state.clientCounts[key] = count > 1 ? count - 1 : nil
            state.positionsByKey[key] = max(state.positionsByKey[key] ?? 0, position)
            guard state.positionsByKey.count > Self.maxKeys else { return }
            state.positionsByKey = state.positionsByKey.filter { state.clientCounts[$0.key] != nil }
        }
        scheduleSave()
    }

    // MARK: File

    private func scheduleSave() {
        let isFirst = state.withLock { state in
            guard file != nil, !state.isStopped, !state.isChanged else { return false }
            state.isChanged = true
            return true
        }
        guard isFirst else { return }
        Task { [weak self, clock] in
            // All changes until the end of this pause are written at once.
            try? await clock.sleepUntil(clock.seconds() + Self.writeDelaySeconds)
            guard let self else { return }
            BlockingThread.runOnThread { self.savePositions() }
        }
    }

    private func savePositions() {
        writeLock.withLock { _ in
            let content = state.withLock { state -> [UInt8]? in
                guard state.isChanged else { return nil }
                state.isChanged = false
                let places = state.positionsByKey.sorted { $0.key < $1.key }
                    .compactMap { place in Int64(exactly: place.value).map { (place.key, JSONValue.integer($0)) } }
                return JSONValue.object(
                    JSONObject([("epoch", .string(state.epoch)), ("places", .object(JSONObject(places)))])
                ).encodeText()
            }
            guard let file, let content else { return }
            // An error is ignored, since a later change writes the positions again. A node that has lost the store
            // writes nothing.
            try? file.fence.runIfValid { try DiskFiles.replaceFile(file.path, with: content) }
        }
    }

    /// Writes the positions a last time. A client that disconnects later may get some events twice.
    func stop() async {
        state.withLock { $0.isStopped = true }
        await withCheckedContinuation { continuation in
            BlockingThread.runOnThread {
                self.savePositions()
                continuation.resume()
            }
        }
    }
}

extension KeyRing {
    /// Returns the file for the positions of a store's terminal clients. The file is beside the store's list of keys.
    func terminalPositionsFile(of store: String?, _ fence: WriteFence? = nil) -> TerminalPositions.File? {
        keyFile(of: store).map { file in
            TerminalPositions.File(path: FilePaths.parentFolder(of: file.path) + "/terminal-places.json", fence: fence)
        }
    }
}
