import SimpleXCrypto
import Synchronization

/// Keys generated in advance, so that a message that turns the ratchet need not wait for new keys: those of sntrup761
/// take longer than all other work for a message. Each key is handed out once.
final class KeyReserve<Key: Sendable>: Sendable {
    private struct State {
        var keys: [Key] = []
        var isFilling = false
    }
    private let state = Mutex(State())
    private let capacity: Int
    private static var pause: Duration { .milliseconds(50) }
    private let make: @Sendable () throws(CryptoError) -> Key

    /// - Parameter capacity: number of keys kept ready once the first has been taken. They are made when half are gone,
    ///   and after a pause, so that they don't share the processor with the messages that needed the others.
    init(capacity: Int, _ make: @escaping @Sendable () throws(CryptoError) -> Key) {
        self.capacity = capacity
        self.make = make
    }

    func take() throws(CryptoError) -> Key {
        let (key, fillsAfter) = state.withLock { state -> (Key?, Duration?) in
            let key = state.keys.popLast()
            let mustFill = !state.isFilling && state.keys.count <= capacity / 2
            if mustFill { state.isFilling = true }
            return (key, mustFill ? key == nil ? .zero : Self.pause : nil)
        }
        if let fillsAfter {
            Task.detached(priority: .utility) {
                try? await Task.sleep(for: fillsAfter)
                self.fill()
            }
        }
        if let key { return key }
        return try make()
    }

    private func fill() {
        while true {
            // A failure is reported to the next caller, which generates a key itself.
            let key = try? make()
            let mayContinue = state.withLock { state in
                if let key { state.keys.append(key) }
                state.isFilling = key != nil && state.keys.count < capacity
                return state.isFilling
            }
            if !mayContinue { return }
        }
    }
}
