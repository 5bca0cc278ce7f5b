import SimpleXCrypto

/// Lookup of the keys of skipped messages.
protocol SkippedKeyLookup {
    /// Returns the header keys of the chains with skipped messages.
    func headerKeys() throws(RatchetError) -> [SymmetricKey]
    func messageKey(headerKey: SymmetricKey, number: UInt32) throws(RatchetError) -> MessageKey?
}

/// Keys of messages that are missing while later messages have arrived, by header key and number.
struct SkippedMessageKeys: SkippedKeyLookup, Hashable, Sendable {
    struct Chain: Hashable, Sendable {
        var headerKey: SymmetricKey
        var keys: [UInt32: MessageKey]
    }

    /// Maximal number of messages of a chain that may be missing before a received message.
    static let maxSkippedMessages: UInt32 = 512

    /// Chains with missing messages, in the order of their addition.
    private(set) var chains: [Chain] = []

    var isEmpty: Bool { chains.isEmpty }
    var count: Int { chains.reduce(0) { $0 + $1.keys.count } }

    func headerKeys() -> [SymmetricKey] { chains.map(\.headerKey) }

    func messageKey(headerKey: SymmetricKey, number: UInt32) -> MessageKey? {
        chains.first { $0.headerKey == headerKey }?.keys[number]
    }

    mutating func insert(headerKey: SymmetricKey, number: UInt32, key: MessageKey) {
        insert(Chain(headerKey: headerKey, keys: [number: key]))
    }

    mutating func insert(_ chain: Chain) {
        if let index = chains.firstIndex(where: { $0.headerKey == chain.headerKey }) {
            chains[index].keys.merge(chain.keys) { _, new in new }
        } else {
            chains.append(chain)
        }
    }

    mutating func remove(headerKey: SymmetricKey, number: UInt32) {
        guard let index = chains.firstIndex(where: { $0.headerKey == headerKey }) else { return }
        chains[index].keys[number] = nil
        if chains[index].keys.isEmpty { chains.remove(at: index) }
    }

    mutating func apply(_ change: SkippedKeysChange) {
        switch change {
        case .none: break
        case .add(let added): for chain in added.chains { insert(chain) }
        case .remove(let headerKey, let number): remove(headerKey: headerKey, number: number)
        }
    }
}

/// The change of the skipped keys by a received message. Store it together with the ratchet.
enum SkippedKeysChange: Hashable, Sendable {
    case none
    case add(SkippedMessageKeys)
    case remove(headerKey: SymmetricKey, number: UInt32)
}
