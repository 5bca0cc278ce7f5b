public import ChatAPI

/// Whether messages come over the connections of a store, by the agent's names of them.
public struct Subscriptions: Hashable, Sendable {
    private var statuses: [String: SubscriptionStatus] = [:]
    /// Those that were told of since a reading began: what is read of them may be older.
    private var told: Set<String> = []

    public subscript(connection: String) -> SubscriptionStatus? { statuses[connection] }

    public mutating func beginReading() { told = [] }

    mutating func tell(_ status: SubscriptionStatus, _ connections: [String]) {
        for connection in connections { statuses[connection] = status }
        told.formUnion(connections)
    }

    mutating func take(_ read: [ConnNetworkStatus]) {
        for one in read where !told.contains(one.agentConnId) {
            switch one.networkStatus {
            case .connected: statuses[one.agentConnId] = .active
            case .disconnected: statuses[one.agentConnId] = .pending
            case .error(let error): statuses[one.agentConnId] = .removed(subError: error)
            case .unknown, .unrecognized: statuses[one.agentConnId] = nil
            }
        }
    }
}
