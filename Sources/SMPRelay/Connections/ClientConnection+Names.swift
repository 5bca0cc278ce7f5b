import RelayBase
import SMP

/// Resolves names for clients (from SMP version 20): simplexmq `protocol/simplex-messaging.md`, "Resolver commands".
extension ClientConnection {
    /// Executes RSLV, with which a client asks for the record of a name, directly or through a proxy. The operator's
    /// own records are searched first. The answer of the operator's resolver is sent later, and other commands of the
    /// session do not wait for it.
    /// - Parameter form: converts the answer to the message that the client gets.
    func executeResolve(
        _ name: NameDomain,
        corrID: [UInt8],
        _ form: @escaping @Sendable (BrokerMessage) -> BrokerMessage = { $0 }
    ) {
        let (names, requests) = (relay.configuration.nameRecords, relay.nameRequests)
        guard names != nil || requests != nil else { return sendReply(corrID, [], form(.err(.name(.noResolver)))) }
        relay.counters.namesRequested.increment()
        if let record = names?[name] {
            relay.counters.namesResolved.increment()
            return sendReply(corrID, [], form(.rname(record)))
        }
        guard let requests else { return sendReply(corrID, [], form(.err(.name(.notFound)))) }
        guard let handle else { return }
        let isStarted =
            pendingNameRequestCount < requests.maxRequestsPerSession
            && requests.startRequest(name, for: handle, corrID: corrID) { [counters = relay.counters] result in
                switch result {
                case .success(let record):
                    counters.namesResolved.increment()
                    return form(.rname(record))
                case .failure(let error):
                    if error != .notFound { counters.namesFailed.increment() }
                    return form(.err(.name(error)))
                }
            }
        if isStarted {
            pendingNameRequestCount += 1
        } else {
            relay.counters.namesFailed.increment()
            sendReply(corrID, [], form(.err(.name(.resolver("too many requests")))))
        }
    }

    func answerName(_ message: BrokerMessage, corrID: [UInt8]) {
        pendingNameRequestCount -= 1
        enqueue(.message(message, corrID: corrID, entityID: []))
        sendCommitted()
    }
}
