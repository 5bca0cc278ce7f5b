import SimpleXCrypto
import Synchronization

/// Keys generated in advance, so that a message that turns the ratchet need not wait for new keys: those of sntrup761 take longer than all other
/// work for a message. Each key is handed out once.
final class KeyReserve<Key: Sendable>: Sendable {
    private struct State {
        var keys: [Key] = []
        var isFilling = false
    }
    private let state = Mutex(State())
    private let capacity: Int
    private let make: @Sendable () throws(CryptoError) -> Key

    /// - Parameter capacity: number of keys kept ready once the first has been taken.
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
            // A failure is reported to the next caller, which generates a key itself.
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
