/// The decisions about a route that concern its safety, besides the scopes of its keys.
///
/// No decision has a default. The author of a route makes each decision, mostly by one of the presets. A preset
/// contains all decisions, so that a new decision compiles only after every preset has it.
struct RoutePolicy: Sendable, Equatable {
    var answers: Answers
    var acceptedCredentials: AcceptedCredentials
    var keyFields: KeyFields
    var profileKeys: ProfileKeys
    var chatKeys: ChatKeys
    var phones: Phones
    var unclaimedKeys: UnclaimedKeys
    var storeUse: StoreUse
    var callers: Callers
    var loggedPath: LoggedPath

    /// Whether the answers of a route contain secrets.
    enum Answers: Sendable {
        case plain
        /// The answers may contain lasting secrets: keys, links of addresses, passwords of relays, codes. Such answers
        /// are not compressed, because their length could reveal a secret.
        case secret
    }

    /// The credentials that a route accepts.
    enum AcceptedCredentials: Sendable {
        case key
        /// A key or a ticket. Browsers open these routes as streams, images or links, and cannot send a key with such
        /// requests.
        case ticket
        /// A key or a ticket. If the terminal client's socket is open to local programs, no credentials are needed. The
        /// terminal port serves only routes with this setting.
        case terminal
    }

    /// The header fields in which a request may contain its key.
    enum KeyFields: Sendable {
        case authorization
        /// `Authorization`; or `X-Gotify-Key`, which programs for Gotify send.
        case authorizationOrGotify
    }

    /// The access of keys that are bound to a profile.
    enum ProfileKeys: Sendable {
        /// The path must contain the key's profile.
        case profileInPath
        /// Every key is admitted. The answer is restricted to the key's profile.
        case answerFiltered
    }

    /// The access of keys that are limited to some chats.
    enum ChatKeys: Sendable {
        case refused
        /// The path must contain one of the key's chats. The core refuses all commands except reading and writing in
        /// the chat.
        case chatInPath
        /// Every key is admitted. The answer is restricted to the key's chats.
        case answerFiltered
    }

    /// The use of a route for connected phones.
    enum Phones: Sendable {
        /// The route concerns only this gateway, and refuses a key that can access only a phone.
        case refused
        /// A client can also send the request to a connected phone, at a path that begins with the path of the phone.
        case served
        /// The route concerns only this gateway. A key that can access only a phone may call it too.
        case keys
    }

    /// The access of keys that nobody has claimed yet.
    enum UnclaimedKeys: Sendable {
        case refused
        /// The path must contain the id of the unclaimed key. The answer of the route contains a lasting secret for
        /// this key.
        case keyInPath
        case admitted
    }

    /// The services that the handler uses, and the required state of the store.
    enum StoreUse: Sendable, Equatable {
        /// The services of the key's store. A closed store is opened first. A locked store refuses the request.
        case storeOfKey
        /// The services of the gateway. The route also works while stores are locked.
        case gateway(opensStore: Bool)
        /// The services of the first store while it is unlocked, otherwise the services of the gateway. The first store
        /// may be locked, because the route reads only figures of the process.
        case process

        /// Whether a closed store of the key is opened before the handler runs.
        var opensStore: Bool {
            switch self {
            case .storeOfKey, .process: true
            case .gateway(let opens): opens
            }
        }
    }

    /// The programs that call a route.
    enum Callers: Sendable {
        case clients
        /// Monitoring programs. Their requests are not counted for the rate of their address, and are logged at the
        /// level debug.
        case monitors
        /// Health checks. They are treated like monitoring programs, but the gateway accepts every host name in their
        /// requests, because load balancers call addresses that are not in the list of host names.
        case probes
    }

    /// The form of a route's path in the log.
    enum LoggedPath: Sendable {
        case complete
        /// The path without the values of its parameters. Used for paths that contain names chosen by users.
        case withoutParameters
    }
}
