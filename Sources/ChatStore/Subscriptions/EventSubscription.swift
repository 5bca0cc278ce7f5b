/// A subscription to events of the journal by a receiver outside of the program, with its position in the journal. The
/// gateway sends the events to the receiver, or workers take the events of a consumer.
package struct EventSubscription: Sendable, Hashable {
    package let id: String
    /// The kind of the receiver. Other modules define the kinds and their settings.
    package let kind: String
    /// The key whose rights decide which events are sent.
    package var keyId: String
    /// The settings for the kind of the receiver, including secrets.
    package var settings: String
    package var state: State
    /// All entries up to this number were sent to the receiver. ``EventSubscriptions/readEntries(of:)`` lists the
    /// exceptions.
    package var position: UInt64
    /// Time of the creation in milliseconds since 1970. All times in this file have this unit.
    package let createdMilliseconds: Int64
    /// The time since which all attempts to send an event have failed; nil while no attempts fail.
    package var failingSinceMilliseconds: Int64?
    /// The time at which the receiver last accepted an event; nil before the first accepted event.
    package var lastSuccessMilliseconds: Int64?

    /// Whether events are sent, or the reason why no events are sent.
    package enum State: String, Sendable, CaseIterable {
        case active
        /// The owner has stopped the subscription temporarily.
        case paused
        /// The attempts to send events have failed for too long.
        case failed
        /// The receiver has refused further events.
        case gone
    }

    package init(id: String, kind: String, keyId: String, settings: String, position: UInt64, created: Int64) {
        self.id = id
        self.kind = kind
        self.keyId = keyId
        self.settings = settings
        state = .active
        self.position = position
        self.createdMilliseconds = created
    }
}

/// An entry of the journal that has a separate state for a subscription. The position of the subscription gives the
/// state of all other entries: sent, or not sent yet.
package struct SubscribedEntry: Sendable, Hashable {
    /// The state of the entry for the subscription.
    package enum State: String, Sendable {
        /// The entry is after the position, but was already sent.
        case done
        /// The entry is after the position, and an attempt to send it has failed.
        case waiting
        /// The owner has requested to send the entry again.
        case replay
        /// The retention has deleted entries up to this one, and the receiver was not told yet.
        case gap
        /// A worker has the entry until `nextAttemptUnixMilliseconds`. The entry can also be before the position, if
        /// the owner has requested to send the entry again.
        case handedOut = "out"
        /// Workers have not acknowledged the entry after the maximal number of attempts.
        case setAside = "aside"
    }

    package var seq: UInt64
    package var state: State
    package var attemptCount: Int
    /// The time of the first attempt to send the entry. In a consumer, it is the time at which a worker last got the
    /// entry.
    package var firstAttemptMilliseconds: Int64?
    /// The time of the next attempt to send the entry. If the entry is set aside, it is the time at which the entry was
    /// set aside.
    package var nextAttemptUnixMilliseconds: Int64

    package init(seq: UInt64, state: State, attempts: Int = 0, firstAttempt: Int64? = nil, nextAttempt: Int64 = 0) {
        self.seq = seq
        self.state = state
        self.attemptCount = attempts
        self.firstAttemptMilliseconds = firstAttempt
        self.nextAttemptUnixMilliseconds = nextAttempt
    }
}

/// An attempt to deliver an event.
package struct DeliveryAttempt: Sendable, Hashable {
    /// The id of the attempt, which grows with each attempt; 0 before the attempt is stored.
    package var id: Int64 = 0
    /// The id of the event, as the receiver sees it.
    package var eventId: String
    package var eventType: String
    /// The number of the attempt for this event, from 1.
    package var attemptNumber: Int
    package var startedMilliseconds: Int64
    package var durationMilliseconds: Int64
    /// The HTTP status of the answer; nil if there was no answer.
    package var httpStatus: Int?
    package var outcome: String
    package var error: String?
    package var nextAttemptUnixMilliseconds: Int64?

    package init(
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
        self.eventType = type
        self.attemptNumber = attempt
        self.startedMilliseconds = started
        self.durationMilliseconds = milliseconds
        self.httpStatus = status
        self.outcome = outcome
        self.error = error
    }
}

/// Changes of a subscription and its entries, for example after an attempt to deliver an event. They are stored in one
/// transaction.
package struct SubscriptionChange: Sendable {
    package var subscription: EventSubscription
    package var attempt: DeliveryAttempt?
    package var entriesToStore: [SubscribedEntry] = []
    /// Entries whose states are deleted, in addition to the entries up to the position.
    package var entriesToRemove: [SubscribedEntry] = []
    /// The request that makes the changes, with its answer.
    package var answeredRequest: AnsweredRequest?

    package init(_ subscription: EventSubscription) { self.subscription = subscription }
}
