/// The decisions about a route that concern safety, besides the scopes of its keys.
///
/// No decision has a default: the author of a route makes each, mostly by one of the presets. A preset states all
/// decisions, so that a new decision does not compile before every preset has it.
struct RoutePolicy: Sendable, Equatable {
    var answers: Answers
    var entrance: Entrance
    var profiles: ProfileKeys
    var chats: ChatKeys
    var phones: Phones
    var unclaimed: UnclaimedKeys
    var store: StoreUse
    var callers: Callers

    /// Secrets in the answers of a route.
    enum Answers: Sendable {
        case plain
        /// Answers may contain lasting secrets: keys, links of addresses, passwords of relays, codes. Such answers are
        /// not compressed, because their length could reveal a secret.
        case secret
    }

    /// Credentials that a route accepts.
    enum Entrance: Sendable {
        case key
        /// A key or a ticket: browsers open these routes as streams, images or links, and cannot send a key.
        case ticket
        /// A key or a ticket, or no credentials if the terminal client's socket is open to local programs. The terminal
        /// port serves only these routes.
        case terminal
    }

    /// Keys that are bound to a profile.
    enum ProfileKeys: Sendable {
        /// The path must name the key's profile.
        case path
        /// Every key; the answer is restricted to the key's profile.
        case filtered
    }

    /// Keys that are bound to single chats.
    enum ChatKeys: Sendable {
        case refused
        /// The path must name one of the key's chats. The core refuses commands beyond reading and writing in the chat.
        case path
        /// Every key; the answer is restricted to the key's chats.
        case filtered
    }

    /// The use of a route for connected phones.
    enum Phones: Sendable {
        /// The route concerns this gateway alone, and refuses keys of phones.
        case refused
        /// A phone has the route too, below its own path.
        case served
        /// The route concerns this gateway alone, and keys of phones may call it.
        case keys
    }

    /// Keys that nobody has claimed yet.
    enum UnclaimedKeys: Sendable {
        case refused
        /// The path must name the key itself, which the route gives a lasting secret.
        case path
        case admitted
    }

    /// The services that the handler uses, and the state of the store that it needs.
    enum StoreUse: Sendable, Equatable {
        /// The services of the key's store, which must be unlocked. A closed store is opened first.
        case own
        /// The services of the gateway. So stores can be managed while they are locked.
        case gateway(opensStore: Bool)
        /// The services of the first store while it is unlocked, otherwise those of the gateway, because figures of the
        /// process need no store.
        case process

        /// Whether a closed store of the key is opened first.
        var opensStore: Bool {
            switch self {
            case .own, .process: true
            case .gateway(let opens): opens
            }
        }
    }

    /// The programs that call a route.
    enum Callers: Sendable {
        case clients
        /// Monitoring: its requests do not count for the rate of their address, and are logged at the level debug.
        case monitors
        /// Health checks: like monitoring, but with any host name, because load balancers call addresses that are not
        /// in the list.
        case probes
    }
}
