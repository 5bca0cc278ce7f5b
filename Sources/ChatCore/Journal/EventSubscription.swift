/// A receiver outside of the program to which events of the journal are sent, with its position.
public struct EventSubscription: Sendable, Hashable {
    public let id: String
    /// The kind of the receiver. Other modules define the kinds and their settings.
    public let kind: String
    /// The key whose rights decide which events are sent.
    public var keyId: String
    /// The settings of its kind, including secrets.
    public var settings: String
    public var state: State
    /// All entries up to this one were sent, except those that ``EventSubscriptions/entries(of:)`` lists.
    public var position: UInt64
    /// Milliseconds since 1970, as all times here.
    public let created: Int64
    /// The time since which all attempts have failed.
    public var failingSince: Int64?
    /// The time when the receiver last accepted an event; nil before the first.
    public var succeeded: Int64?

    /// Whether events are sent, or the reason why they are not.
    public enum State: String, Sendable, CaseIterable {
        case active
        /// The owner has stopped the subscription temporarily.
        case paused
        /// The attempts have failed for too long.
        case failed
        /// The receiver has refused further events.
        case gone
    }

    public init(id: String, kind: String, keyId: String, settings: String, position: UInt64, created: Int64) {
        self.id = id
        self.kind = kind
        self.keyId = keyId
        self.settings = settings
        state = .active
        self.position = position
        self.created = created
    }
}

/// An entry of the journal whose state for a subscription differs from the state that follows from the position.
public struct SubscribedEntry: Sendable, Hashable {
    /// The difference from the state that follows from the position.
    public enum State: String, Sendable {
        /// After the position, but already sent.
        case done
        /// After the position, and tried.
        case waiting
        /// Requested to be sent again.
        case replay
        /// The entries up to this one were lost to retention, and the receiver does not know yet.
        case gap
    }

    public var seq: UInt64
    public var state: State
    public var attempts: Int
    public var firstAttempt: Int64?
    public var nextAttempt: Int64

    public init(seq: UInt64, state: State, attempts: Int = 0, firstAttempt: Int64? = nil, nextAttempt: Int64 = 0) {
        self.seq = seq
        self.state = state
        self.attempts = attempts
        self.firstAttempt = firstAttempt
        self.nextAttempt = nextAttempt
    }
}

/// An attempt to deliver an event.
public struct DeliveryAttempt: Sendable, Hashable {
    /// Increases with each attempt; 0 before it is stored.
    public var id: Int64 = 0
    /// The id of the event for the receiver.
    public var eventId: String
    public var type: String
    /// Number of the attempt, from 1.
    public var attempt: Int
    public var started: Int64
    public var milliseconds: Int64
    /// The HTTP status of the answer, if there was one.
    public var status: Int?
    public var outcome: String
    public var error: String?
    public var nextAttempt: Int64?

    public init(
        eventId: String,
        type: String,
        attempt: Int,
        started: Int64,
        milliseconds: Int64,
        status: Int?,
        outcome: String,
        error: String? = nil
    ) {
        self.eventId = eventId
        self.type = type
        self.attempt = attempt
        self.started = started
        self.milliseconds = milliseconds
        self.status = status
        self.outcome = outcome
        self.error = error
    }
}

/// The changes by an attempt, stored in one transaction.
public struct SubscriptionChange: Sendable {
    public var subscription: EventSubscription
    public var attempt: DeliveryAttempt?
    public var stored: [SubscribedEntry] = []
    /// Entries to forget, besides those that the position has passed.
    public var removed: [SubscribedEntry] = []

    public init(_ subscription: EventSubscription) { self.subscription = subscription }
}
