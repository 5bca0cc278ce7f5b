import SimpleXCrypto
import Synchronization

/// Keys that are generated in advance, so that a message with a ratchet step does not wait for new keys. Generating
/// keys of sntrup761 takes longer than all other work for a message. Each key is returned once.
final class KeyReserve<Key: Sendable>: Sendable {
    private struct State {
        var keys: [Key] = []
        var isFilling = false
    }
    private let state = Mutex(State())
    private let capacity: Int
    private static var refillPause: Duration { .milliseconds(50) }
    private let makeKey: @Sendable () throws(CryptoError) -> Key

    /// Makes an empty reserve, which generates its keys with `make`.
    /// - Parameter capacity: the number of keys that are kept ready after the first call of ``takeKey()``. When half of
    ///   the keys are used, new keys are made after a pause, so that the messages that use these keys are processed
    ///   first.
    init(capacity: Int, _ make: @escaping @Sendable () throws(CryptoError) -> Key) {
        self.capacity = capacity
        self.makeKey = make
    }

    func takeKey() throws(CryptoError) -> Key {
        let (key, fillsAfter) = state.withLock { state -> (Key?, Duration?) in
            let key = state.keys.popLast()
            let mustFill = !state.isFilling && state.keys.count <= capacity / 2
            if mustFill { state.isFilling = true }
            return (key, mustFill ? key == nil ? .zero : Self.refillPause : nil)
        }
        if let fillsAfter {
            Task.detached(priority: .utility) {
                try? await Task.sleep(for: fillsAfter)
                self.refillKeys()
            }
        }
        if let key { return key }
        return try makeKey()
    }

    private func refillKeys() {
        while true {
            // An error is ignored here: the next caller generates a key itself, and gets the error.
            let key = try? makeKey()
            let mayContinue = state.withLock { state in
                if let key { state.keys.append(key) }
                state.isFilling = key != nil && state.keys.count < capacity
                return state.isFilling
            }
            if !mayContinue { return }
        }
    }
}
