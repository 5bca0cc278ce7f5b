internal import Concurrency
internal import OutgoingHTTP

/// The pauses after which an event is sent again when its receiver has not accepted it.
package struct DeliverySchedule: Sendable {
    /// The pause after each failed attempt. If the attempt after the last pause fails too, the event is abandoned, but
    /// only while the receiver accepts other events.
    var retryPauses: [Duration]
    /// The pauses between attempts while a receiver accepts no events. In this state, one event at a time is sent.
    var probeBackoff: Backoff
    /// Number of failed attempts in a row after which the gateway assumes that a receiver accepts no events.
    let failuresBeforeProbing = 3
    /// The maximal time in which a receiver accepts no event. After this time, the deliveries to the receiver end.
    var maxFailureTime: Duration
    /// The range of the random factor of each pause.
    var jitter: ClosedRange<Double>

    package static let standard = DeliverySchedule(
        retryPauses: [
            .seconds(5), .seconds(30), .seconds(120), .seconds(600), .seconds(1_800), .seconds(3_600), .seconds(7_200),
            .seconds(14_400), .seconds(28_800),
            .seconds(43_200),
        ],
        probeBackoff: Backoff(initial: .seconds(10), limit: .seconds(300), jitter: 0.8...1.2),
        maxFailureTime: .seconds(3 * 86_400),
        jitter: 0.8...1.2
    )

    /// The longest pause that a receiver can request, in milliseconds.
    static let longestPauseMilliseconds: Int64 = 86_400_000

    /// Returns the milliseconds until the next attempt.
    /// - Parameter attempts: the number of attempts so far; at least one.
    func pauseMilliseconds(after attempts: Int) -> Int64 {
        let pause = retryPauses[min(max(attempts, 1), retryPauses.count) - 1]
        return Int64(pause / .milliseconds(1) * Double.random(in: jitter))
    }

    func isExhausted(_ attempts: Int) -> Bool { attempts > retryPauses.count }

    /// Returns the milliseconds until the next attempt for a receiver that accepts no events.
    func probePauseMilliseconds(after failures: Int) -> Int64 {
        Int64(probeBackoff.computeDelay(attempt: failures - failuresBeforeProbing) / .milliseconds(1))
    }
}

/// Settings for deliveries of events to receivers outside of the gateway.
package struct DeliverySettings: Sendable {
    /// Addresses of internal networks that receivers may have. Such receivers need no TLS.
    package var allowedAddresses: [String] = []
    /// A PEM file of certificate authorities that are accepted in addition to the authorities of the system.
    package var authorityFile: String?
    /// A URL at which push services can reach the operator of this gateway: `mailto:…` or `https://…`.
    package var pushContact: String?
    /// Maximal number of open connections to receivers for all stores together, including connections that are kept
    /// open for later requests.
    package var maxConnections = 64
    var schedule = DeliverySchedule.standard
    /// Maximal seconds for one attempt.
    var timeoutSeconds: Int64 = 15
    /// Maximal number of journal entries that wait for one receiver.
    var maxWaitingEntries = 1_000
    /// Maximal number of entries of one consumer that workers have at the same time.
    var maxHandedOutEntries = 1_000
    /// Maximal number of bytes of events in one answer to a worker. A larger event is handed out alone.
    var maxAnswerBytes = 4 << 20
    /// Maximal number of entries of one consumer that are set aside. Further entries are handed out until they are
    /// acknowledged.
    var maxSetAsideEntries = 1_000
    /// Maximal number of entries after the position of a subscription that are stored as done: accepted by a webhook or
    /// a push service, or acknowledged by a worker. When more entries are done, the position moves past waiting
    /// entries.
    var maxDoneEntries = 2_000
    /// The function that finds the addresses of host names; nil for the system's resolver.
    var nameLookup: NameLookup?
    var clock = DeliveryClock()
    /// Maximal number of simultaneous requests to one receiver.
    var maxParallelRequests = 4

    package init() {}
}
