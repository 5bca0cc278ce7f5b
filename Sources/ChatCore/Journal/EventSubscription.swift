/// Somebody outside who is sent events of the journal, and how far that has come.
public struct EventSubscription: Sendable, Hashable {
    public let id: String
    /// What kind of receiver it is. The kinds and their settings are not this module's.
    public let kind: String
    /// The key with whose rights it gets events.
    public var keyId: String
    /// What its kind needs, secrets among it.
    public var settings: String
    public var state: State
    /// All entries up to this one have left, but for those that ``EventSubscriptions/entries(of:)`` lists.
    public var position: UInt64
    /// Milliseconds since 1970, as all moments here.
    public let created: Int64
    /// Since when nothing has left, where attempts have failed.
    public var failingSince: Int64?
    /// When an event was last taken; nil when none was.
    public var succeeded: Int64?

    /// Whether events are sent, and if not, why.
    public enum State: String, Sendable, CaseIterable {
        case active
        /// Its owner has stopped it for a while.
        case paused
        /// It has failed for too long.
        case failed
        /// The receiver has asked for no more.
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

/// An entry of the journal whose state for a subscription is not the one that its place before or after the position says.
public struct SubscribedEntry: Sendable, Hashable {
    /// How the entry differs from what its place says.
    public enum State: String, Sendable {
        /// After the position, and left already.
        case done
        /// After the position, and tried.
        case waiting
        /// Asked for once more.
        case replay
        /// The entries up to this one were lost to retention, and the receiver is yet to know.
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
    /// Grows; 0 before it is stored.
    public var id: Int64 = 0
    /// The id by which the receiver knows the event.
    public var eventId: String
    public var type: String
    /// From 1.
    public var attempt: Int
    public var started: Int64
    public var milliseconds: Int64
    /// The HTTP status of the answer, if there was one.
    public var status: Int?
    public var outcome: String
    public var error: String?
    public var nextAttempt: Int64?

    public init(eventId: String, type: String, attempt: Int, started: Int64, milliseconds: Int64, status: Int?, outcome: String, error: String? = nil) {
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

/// What an attempt changes, in one transaction.
public struct SubscriptionChange: Sendable {
    public var subscription: EventSubscription
    public var attempt: DeliveryAttempt?
    public var stored: [SubscribedEntry] = []
    /// Forgotten, besides those that the position has passed.
    public var removed: [SubscribedEntry] = []

    public init(_ subscription: EventSubscription) { self.subscription = subscription }
}
