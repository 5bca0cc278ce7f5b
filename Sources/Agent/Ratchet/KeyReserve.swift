import SimpleXCrypto
import Synchronization

/// Keys that are made ahead, so that a message which turns the ratchet does not wait for its new keys: those of sntrup761 take longer than all
/// else that is done with a message. A key is given once, and belongs to nobody before.
final class KeyReserve<Key: Sendable>: Sendable {
    private struct State {
        var keys: [Key] = []
        var isFilling = false
    }
    private let state = Mutex(State())
    private let capacity: Int
    private let make: @Sendable () throws(CryptoError) -> Key

    /// - Parameter capacity: keys that are kept ready once the first has been taken.
    init(capacity: Int = 4, _ make: @escaping @Sendable () throws(CryptoError) -> Key) {
        self.capacity = capacity
        self.make = make
    }

    func take() throws(CryptoError) -> Key {
        let (key, mustFill) = state.withLock { state in
            defer { state.isFilling = true }
            return (state.keys.popLast(), !state.isFilling)
        }
        if mustFill { Task.detached(priority: .utility) { self.fill() } }
        if let key { return key }
        return try make()
    }

    private func fill() {
        while true {
            // When none can be made, the next who needs one is told why.
            let key = try? make()
            let goesOn = state.withLock { state in
                if let key { state.keys.append(key) }
                state.isFilling = key != nil && state.keys.count < capacity
                return state.isFilling
            }
            if !goesOn { return }
        }
    }
}
