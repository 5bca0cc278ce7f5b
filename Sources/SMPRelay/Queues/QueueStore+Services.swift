import RelayBase
import SMP

/// Stores services (clients with a certificate), and executes SUBS and NSUBS, with which a service subscribes to all
/// its queues. The protocol document does not describe these commands, so the code follows the original.
extension QueueStore {
    /// Returns the id of the service with this certificate, and assigns an id to an unknown service. Throws `SERVICE`
    /// if the service is known in another role or there are too many services.
    func findOrAssignServiceID(_ service: PeerService) throws(SMPErrorType) -> (id: ServiceID, number: UInt64) {
        guard let hash = Bytes32(service.certificateHash) else { throw .service }
        return try table.withLock { table throws(SMPErrorType) in
            if let known = table.findService(certificateHash: hash) {
                guard known.role == service.role else { throw .service }
                return (known.id, log.lastAwaitedRecordNumber)
            }
            guard table.services.count < Self.maxServices else { throw .service }
            let id = ServiceID.random()
            let number = try writeRecord(.serviceAdded(id, service.role, certificateHash: hash))
            table.insertService(Service(role: service.role, certificateHash: hash), id: id)
            return (id, number)
        }
    }

    /// The result of a service's subscription to all its queues.
    struct ServiceSubscribeResult: Sendable {
        var allQueues: ServiceQueues
        /// The session that was subscribed for the service before, and the queues that this session has lost.
        var previousSubscriber: (session: ConnectionHandle, lost: ServiceQueues)?
        /// The other sessions that have lost a subscription to a queue of the service, each with this queue.
        var otherSubscribers: [(session: ConnectionHandle, queue: Bytes24)] = []
        /// All queues of the service.
        var queueIDs: [Bytes24] = []
        /// The queues that have a message to deliver.
        var waitingQueues: [Bytes24] = []
    }

    /// Executes SUBS, which subscribes a service to all its queues.
    func subscribeService(
        _ id: ServiceID,
        _ subscriber: ConnectionHandle
    ) throws(SMPErrorType) -> ServiceSubscribeResult {
        try table.withLock { table throws(SMPErrorType) in
            guard let service = table.services[id] else { throw .auth }
            let previous = service.subscriber === subscriber ? nil : service.subscriber
            var result = ServiceSubscribeResult(
                allQueues: ServiceQueues(count: Int64(service.queues.count), hash: service.queuesHash),
                queueIDs: Array(service.queues)
            )
            var lost = ServiceQueues(count: 0)
            for queueID in service.queues {
                table.updateQueue(recipient: queueID) { queue in
                    if let old = queue.subscriber, old !== subscriber {
                        if old === previous {
                            lost.addQueue(queueID.bytes)
                        } else {
                            result.otherSubscribers.append((old, queueID))
                        }
                    }
                    queue.subscriber = subscriber
                    queue.deliveredID = queue.messages.first?.id
                    if queue.deliveredID != nil { result.waitingQueues.append(queueID) }
                }
            }
            table.updateService(id) { $0.subscriber = subscriber }
            if let previous { result.previousSubscriber = (previous, lost) }
            return result
        }
    }

    /// Makes a session the subscriber of a service, for NSUBS. The caller subscribes the session to the returned
    /// notifiers.
    func subscribeNotifierService(
        _ id: ServiceID,
        _ subscriber: ConnectionHandle
    ) throws(SMPErrorType) -> (previous: ConnectionHandle?, notifiers: Set<NotifierID>, all: ServiceQueues) {
        try table.withLock { table throws(SMPErrorType) in
            guard let service = table.services[id] else { throw .auth }
            let previous = service.subscriber === subscriber ? nil : service.subscriber
            table.updateService(id) { $0.subscriber = subscriber }
            return (
                previous, service.notifiers,
                ServiceQueues(count: Int64(service.notifiers.count), hash: service.notifiersHash)
            )
        }
    }

    /// Removes the subscription of a service whose session has closed.
    func unsubscribeService(_ id: ServiceID, _ subscriber: ConnectionHandle) {
        table.withLock { table in
            table.updateService(id) { if $0.subscriber === subscriber { $0.subscriber = nil } }
        }
    }
}
