import SQLCipher

/// A change of ``RatchetSync`` that is stored until its event is delivered: the new state, and the failure that caused
/// it.
struct StoredRatchetSyncChange: Hashable, Sendable {
    var state: RatchetSync
    var failure: AgentCryptoFailure?

    func makeEvent(_ connection: ConnectionID, number: Int64, _ db: DatabaseConnection) throws -> AgentEvent {
        var queueStates = try ConnectionQueueStates(AgentConnection.get(connection, db), db)
        queueStates.ratchetSync = state
        return .ratchetSync(
            connection,
            RatchetSyncChange(changeNumber: number, state: state, failure: failure, queueStates: queueStates)
        )
    }

    var storedForm: [UInt8] { Array("\(state.rawValue) \(failure?.name ?? "")".utf8) }

    init(state: RatchetSync, failure: AgentCryptoFailure? = nil) {
        self.state = state
        self.failure = failure
    }

    init(stored: [UInt8]) {
        let words = String(decoding: stored, as: UTF8.self).split(separator: " ").map(String.init)
        state = words.first.flatMap(RatchetSync.init) ?? .ok
        failure =
            words.count > 1
            ? AgentCryptoFailure(name: words[1], number: words.count > 2 ? UInt64(words[2]) ?? 0 : 0) : nil
    }
}

extension AgentCryptoFailure {
    fileprivate var name: String {
        switch self {
        case .decryptAES: "decryptAES"
        case .decryptCB: "decryptCB"
        case .ratchetHeader: "ratchetHeader"
        case .ratchetEarlier(let number): "ratchetEarlier \(number)"
        case .ratchetSkipped(let number): "ratchetSkipped \(number)"
        case .ratchetSync: "ratchetSync"
        }
    }

    fileprivate init?(name: String, number: UInt64) {
        switch name {
        case "decryptAES": self = .decryptAES
        case "decryptCB": self = .decryptCB
        case "ratchetHeader": self = .ratchetHeader
        case "ratchetEarlier": self = .ratchetEarlier(UInt32(clamping: number))
        case "ratchetSkipped": self = .ratchetSkipped(number)
        case "ratchetSync": self = .ratchetSync
        default: return nil
        }
    }
}
