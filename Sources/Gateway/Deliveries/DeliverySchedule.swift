internal import Concurrency
internal import OutgoingHTTP

/// The times at which an event that was not taken is sent again.
public struct DeliverySchedule: Sendable {
    /// The pause after each attempt. After the last one an event is set aside, if the receiver takes other events.
    var pauses: [Duration]
    /// The pause between attempts of all events together, while a receiver takes no events.
    var probing: Backoff
    /// Number of failed attempts in a row after which a receiver counts as taking no events.
    let failuresBeforeProbing = 3
    /// The time without a taken event after which a receiver is given up.
    var patience: Duration
    /// The random factor of each pause.
    var jitter: ClosedRange<Double>

    public static let standard = DeliverySchedule(
        pauses: [
            .seconds(5), .seconds(30), .seconds(120), .seconds(600), .seconds(1_800), .seconds(3_600), .seconds(7_200),
            .seconds(14_400), .seconds(28_800),
            .seconds(43_200),
        ],
        probing: Backoff(initial: .seconds(10), limit: .seconds(300), jitter: 0.8...1.2),
        patience: .seconds(3 * 86_400),
        jitter: 0.8...1.2
    )

    /// The longest pause that a receiver can ask for, in milliseconds.
    static let longestPause: Int64 = 86_400_000

    /// Milliseconds until the next attempt.
    /// - Parameter attempts: the number of attempts so far; at least one.
    func pause(after attempts: Int) -> Int64 {
        let pause = pauses[min(max(attempts, 1), pauses.count) - 1]
        return Int64(pause / .milliseconds(1) * Double.random(in: jitter))
    }

    func isExhausted(_ attempts: Int) -> Bool { attempts > pauses.count }

    /// Milliseconds until the next attempt for a receiver that takes no events.
    func probe(after failures: Int) -> Int64 {
        Int64(probing.delay(attempt: failures - failuresBeforeProbing) / .milliseconds(1))
    }
}

/// Settings for sending events to external receivers.
public struct DeliverySettings: Sendable {
    /// Addresses of internal networks that receivers may have, also without TLS.
    public var allowedAddresses: [String] = []
    /// A PEM file with certificate authorities in addition to the system's.
    public var authorities: String?
    /// A URL at which push services can reach the operator of this gateway: `mailto:…` or `https://…`.
    public var pushContact: String?
    /// Maximal number of connections to receivers at a time, of all stores together.
    public var connections = 64
    var schedule = DeliverySchedule.standard
    /// Maximal seconds for one attempt.
    var timeout: Int64 = 15
    /// Maximal number of journal entries that wait at a time for one receiver.
    var window = 1_000
    /// A replacement for the system's resolver; nil to use the system's.
    var lookUp: NameLookup?
    /// Maximal number of requests to one receiver at a time.
    var parallel = 4

    public init() {}
}
