import SimpleXCrypto
import Transport

/// The state of a client: its queues and its session. The client's lock protects this value.
struct SMPClientState {
    /// A session, or the attempt to establish one. The number identifies the session: events of earlier sessions are
    /// ignored.
    struct Link {
        var number: UInt64
        var task: Task<SMPSession, any Error>
        var isConnected = false
        /// The host to which the session is connected.
        var host: TransportHost?
    }

    /// An established session, and the number of its ``Link``.
    struct LinkedSession: Sendable {
        var session: SMPSession
        var number: UInt64
    }

    /// A request to forward commands to another relay (PRXY), and its result. The request was sent in one session with
    /// this client's relay.
    struct ProxiedEntry: Sendable {
        var number: UInt64
        var task: Task<ProxiedRelay, any Error>
        /// The id of the session between the proxy and the destination relay, once the session is established.
        var sessionID: [UInt8]?
    }

    var configuration: SMPClientConfiguration
    var link: Link?
    /// Whether the last attempt to establish a session failed.
    var hasFailed = false
    /// Relays to which the relay of this client forwards commands.
    var proxiedRelays: [ProtocolServer: ProxiedEntry] = [:]
    private(set) var nextLinkNumber: UInt64 = 0
    var isClosed = false
    /// Queues to which every session should be subscribed.
    var desiredQueues: [[UInt8]: RcvQueueCredentials] = [:]
    /// Queues that the current session is subscribed to.
    var activeQueues: Set<[UInt8]> = []
    /// Queues for which a caller will send the subscription command (SUB), once there is a session.
    var subscribingQueues: Set<[UInt8]> = []
    /// The number of the session in which the client has last tried to subscribe to all queues of its service (SUBS).
    /// The client tries this once in a session, even if SUBS fails.
    var serviceSubscribedLinkNumber: UInt64?
    /// The id of the service to whose queues the current session is subscribed with one command (SUBS).
    var subscribedServiceID: [UInt8]?
    /// Whether the relay has not yet reported that the waiting messages of the service are delivered. A relay reports
    /// this once after each subscription, so further reports are ignored.
    var awaitsServiceDelivery = false
    /// The delivery state of each queue in the current session, by recipient id.
    var deliveries: [[UInt8]: QueueDelivery] = [:]
    /// Notifiers to which this client has subscribed.
    var notifiers: Set<[UInt8]> = []
    /// The task that waits and reconnects, while there is no session and there are subscriptions to restore.
    var reconnectTask: Task<Void, Never>?
    /// The number of the last task in ``reconnectTask``.
    var reconnectTaskNumber: UInt64 = 0
    /// The function that gets the queues of this client after ``SMPClient/closeAndPassQueues(to:)``.
    var queueSuccessor: (@Sendable ([RcvQueueCredentials]) -> Void)?

    init(configuration: SMPClientConfiguration) {
        self.configuration = configuration
    }

    mutating func takeLinkNumber() -> UInt64 {
        nextLinkNumber &+= 1
        return nextLinkNumber
    }

    /// Removes the session, which is lost or about to be closed, from this state. Returns the events to emit.
    mutating func removeSession() -> [SMPClientEvent] {
        guard let link else { return [] }
        let lost = Array(activeQueues)
        let ofService = subscribedServiceID.map { id in lost.count { desiredQueues[$0]?.serviceID == id } }
        self.link = nil
        activeQueues = []
        subscribingQueues = []
        deliveries = [:]
        subscribedServiceID = nil
        awaitsServiceDelivery = false
        guard link.isConnected, let host = link.host else { return [] }
        return [.disconnected(lost, host)] + (ofService.map { [.serviceDisconnected(count: Int64($0))] } ?? [])
    }

    /// Prepares a queue for another subscription command (SUB), if the queue is active or has a delivery state. After
    /// SUB the relay may deliver the unacknowledged message again. Does nothing for other queues.
    mutating func recordSubscription(_ rcvID: [UInt8]) {
        guard activeQueues.contains(rcvID) || deliveries[rcvID] != nil else { return }
        deliveries[rcvID, default: QueueDelivery()].recordRepeatedSubscription()
    }

    /// Removes a queue from the subscriptions and deliveries of this client.
    mutating func removeQueue(_ rcvID: [UInt8]) {
        desiredQueues[rcvID] = nil
        deliveries[rcvID] = nil
        activeQueues.remove(rcvID)
    }

    func isCurrentLink(_ number: UInt64) -> Bool { link?.number == number }

    /// Queues that a new session has to subscribe to.
    var missingQueues: [RcvQueueCredentials] {
        desiredQueues.values.filter { !activeQueues.contains($0.rcvID) && !subscribingQueues.contains($0.rcvID) }
    }
}
