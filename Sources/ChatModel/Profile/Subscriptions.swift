package import ChatAPI

/// The subscription status of all connections in a store, by connection id of the agent.
package struct Subscriptions: Hashable, Sendable {
    private var statuses: [String: SubscriptionStatus] = [:]
    /// The connections whose status the core has reported since a read of all statuses began. The result of the read
    /// may be older than these reports, so it does not change these connections.
    private var connectionsReportedSinceReading: Set<String> = []

    package subscript(connection: String) -> SubscriptionStatus? { statuses[connection] }

    package mutating func beginReading() { connectionsReportedSinceReading = [] }

    mutating func setStatus(_ status: SubscriptionStatus, _ connections: [String]) {
        for connection in connections { statuses[connection] = status }
        connectionsReportedSinceReading.formUnion(connections)
    }

    mutating func mergeReadStatuses(_ read: [ConnNetworkStatus]) {
        for one in read where !connectionsReportedSinceReading.contains(one.agentConnId) {
            switch one.networkStatus {
            case .connected: statuses[one.agentConnId] = .active
            case .disconnected: statuses[one.agentConnId] = .pending
            case .error(let error): statuses[one.agentConnId] = .removed(subError: error)
            case .unknown, .unrecognized: statuses[one.agentConnId] = nil
            }
        }
    }
}
