internal import ChatAPI

/// The keys that get an entry of the journal. Keys that are bound to no user get every entry except those of users that
/// are hidden and not active.
public enum EventAudience: Sendable, Hashable {
    /// All keys.
    case everybody
    /// The keys of one user.
    case user(Int64)
    /// The user of the event is unknown: keys bound to a user do not get it.
    case unbound

    /// Reads the form in which the journal stores it beside an entry without a user.
    init(stored: Int64?) {
        switch stored {
        case nil: self = .unbound
        case 0: self = .everybody
        case let user?: self = .user(user)
        }
    }

    var stored: Int64? {
        switch self {
        case .everybody: 0
        case .user(let user): user
        case .unbound: nil
        }
    }
}

extension ChatEvent {
    /// Whether an event without a user concerns no user, so that all keys may get it. Events with names of relays,
    /// connections or users must not be listed here.
    var isForEverybody: Bool {
        switch self {
        case .chatSuspended: true
        default: false
        }
    }
}
