internal import Concurrency
internal import OutgoingHTTP

/// When an event is sent again that has not been taken.
public struct DeliverySchedule: Sendable {
    /// The pause after each attempt; after the last of them an event is set aside, if the receiver takes others.
    var pauses: [Duration]
    /// The pause between attempts of all events together, while a receiver takes none.
    var probing: Backoff
    /// Attempts in a row that have failed, after which that is so.
    let failuresBeforeProbing = 3
    /// How long a receiver may take nothing before it is given up.
    var patience: Duration
    /// The random factor of each pause.
    var jitter: ClosedRange<Double>

    public static let standard = DeliverySchedule(
        pauses: [
            .seconds(5), .seconds(30), .seconds(120), .seconds(600), .seconds(1_800), .seconds(3_600), .seconds(7_200), .seconds(14_400), .seconds(28_800),
            .seconds(43_200),
        ], probing: Backoff(initial: .seconds(10), limit: .seconds(300), jitter: 0.8...1.2), patience: .seconds(3 * 86_400), jitter: 0.8...1.2)

    /// The longest pause that a receiver can ask for.
    static let longestPause: Int64 = 86_400_000

    /// Milliseconds until the next attempt.
    /// - Parameter attempts: those made; at least one.
    func pause(after attempts: Int) -> Int64 {
        let pause = pauses[min(max(attempts, 1), pauses.count) - 1]
        return Int64(pause / .milliseconds(1) * Double.random(in: jitter))
    }

    func isExhausted(_ attempts: Int) -> Bool { attempts > pauses.count }

    /// Milliseconds until a receiver that takes nothing is tried again.
    func probe(after failures: Int) -> Int64 { Int64(probing.delay(attempt: failures - failuresBeforeProbing) / .milliseconds(1)) }
}

/// How events are sent to receivers outside.
public struct DeliverySettings: Sendable {
    /// Addresses of inner networks that receivers may have. They may be without TLS.
    public var allowedAddresses: [String] = []
    /// A PEM file with certificate authorities in addition to the system's.
    public var authorities: String?
    /// A URL at which push services reach whoever answers for this gateway: `mailto:…` or `https://…`.
    public var pushContact: String?
    /// Connections to receivers at a time, of all stores.
    public var connections = 64
    var schedule = DeliverySchedule.standard
    /// Seconds for one attempt.
    var timeout: Int64 = 15
    /// Entries of the journal that are looked after at a time for one receiver.
    var window = 1_000
    /// Nil for the system's resolver.
    var lookUp: NameLookup?
    /// Requests to one receiver at a time.
    var parallel = 4

    public init() {}
}
