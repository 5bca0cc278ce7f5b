import Synchronization

/// Counts the open connections of a port, in total and by address, and decides whether one more connection is allowed.
///
/// For loopback addresses only the total is limited: behind a proxy on this machine every client has a loopback
/// address.
package final class ConnectionLimiter: Sendable {
    /// Maximal number of descriptors of all connections (`maxDescriptors`), and maximal number of connections from one
    /// address (`maxConnectionsPerAddress`).
    package let maxDescriptors: Int
    package let maxConnectionsPerAddress: Int

    private struct State {
        var descriptorCount = 0
        var countsByAddress: [SourceAddress: Int] = [:]
        var refusedCount = 0
    }
    private let state = Mutex(State())

    package init(limit: Int, perAddress: Int) {
        self.maxDescriptors = limit
        maxConnectionsPerAddress = perAddress
    }

    /// Number of file descriptors that all connections use now.
    package var descriptorsInUse: Int { state.withLock { $0.descriptorCount } }
    /// Number of connections that were refused.
    package var refusedCount: Int { state.withLock { $0.refusedCount } }

    /// Returns whether one more connection from an address is allowed. If not, counts the refusal. The caller counts an
    /// allowed connection with ``countOpenedConnection(_:)``.
    package func admitsConnection(_ address: SourceAddress?) -> Bool {
        state.withLock { admitOrCountRefusal(address, &$0) }
    }

    private func admitOrCountRefusal(_ address: SourceAddress?, _ state: inout State) -> Bool {
        let fits = state.descriptorCount < maxDescriptors && hasRoomForConnection(address, state)
        if !fits { state.refusedCount += 1 }
        return fits
    }

    private func hasRoomForConnection(_ address: SourceAddress?, _ state: borrowing State) -> Bool {
        guard let address, !address.isLoopback else { return true }
        return state.countsByAddress[address, default: 0] < maxConnectionsPerAddress
    }

    package func countOpenedConnection(_ address: SourceAddress?) {
        state.withLock { Self.addOpenedConnection(address, &$0) }
    }

    private static func addOpenedConnection(_ address: SourceAddress?, _ state: inout State) {
        state.descriptorCount += 1
        if let address, !address.isLoopback { state.countsByAddress[address, default: 0] += 1 }
    }

    /// Returns whether a connection is allowed, and counts the connection or its refusal. The check and the count are
    /// one step, so that simultaneous connections cannot exceed the limit.
    package func admitAndCountConnection(_ address: SourceAddress?) -> Bool {
        state.withLock { state in
            guard admitOrCountRefusal(address, &state) else { return false }
            Self.addOpenedConnection(address, &state)
            return true
        }
    }

    /// Counts a connection as closed.
    /// - Parameter more: the number of additional descriptors that were counted for the connection.
    package func countClosedConnection(_ address: SourceAddress?, more: Int = 0) {
        state.withLock { state in
            state.descriptorCount -= 1 + more
            guard let address, let count = state.countsByAddress[address] else { return }
            state.countsByAddress[address] = count > 1 ? count - 1 : nil
        }
    }

    /// Takes additional descriptors for an open connection.
    /// - Returns: whether enough descriptors were free.
    package func takeDescriptors(more: Int) -> Bool {
        state.withLock { state in
            guard state.descriptorCount + more <= maxDescriptors else { return false }
            state.descriptorCount += more
            return true
        }
    }

    package func returnDescriptors(more: Int) { state.withLock { $0.descriptorCount -= more } }
}
