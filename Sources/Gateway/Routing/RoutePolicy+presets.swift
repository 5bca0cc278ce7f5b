extension RoutePolicy {
    /// The policy for data of the key's store, or of the profile in the path.
    static let storeData = RoutePolicy(
        answers: .plain,
        acceptedCredentials: .key,
        keyFields: .authorization,
        profileKeys: .profileInPath,
        chatKeys: .refused,
        phones: .served,
        unclaimedKeys: .refused,
        storeUse: .storeOfKey,
        callers: .clients,
        loggedPath: .complete
    )

    /// The policy for data of the chat in the path.
    static let chatData = storeData.replacing(\.chatKeys, .chatInPath)

    /// The policy for uploads. An upload has no chat yet. A key that is limited to some chats can send only the uploads
    /// that were made with this key.
    static let uploads = storeData.replacing(\.chatKeys, .answerFiltered)

    /// The policy for messages that this gateway sends later. A key that is limited to some chats may send to these
    /// chats, and reads only the messages that were planned with this key.
    static let plannedMessages = wholeStore.replacing(\.chatKeys, .answerFiltered)

    /// The policy for notices of other programs. A key sends only to its profile and its chats.
    static let notices = wholeStore.replacing(\.profileKeys, .answerFiltered).replacing(\.chatKeys, .answerFiltered)

    /// The policy for data that browsers open as streams, images or links.
    static let browserView = storeData.replacing(\.acceptedCredentials, .ticket)

    /// The policy for data with lasting secrets.
    static let secretData = storeData.replacing(\.answers, .secret)

    /// The policy for routes that concern a whole store: its core, its databases and its other devices. These routes
    /// are not for the stores of phones.
    static let wholeStore = storeData.replacing(\.phones, .refused)

    /// The policy for events. The routes admit every key that may follow events.
    static let events = RoutePolicy(
        answers: .plain,
        acceptedCredentials: .key,
        keyFields: .authorization,
        profileKeys: .answerFiltered,
        chatKeys: .answerFiltered,
        phones: .served,
        unclaimedKeys: .refused,
        storeUse: .storeOfKey,
        callers: .clients,
        loggedPath: .complete
    )

    /// The policy for receivers of deliveries. Each receiver belongs to a key.
    static let receivers = events.replacing(\.phones, .refused)

    /// The policy for routes that manage stores, locked or unlocked, or the process with all its stores.
    static let storeManagement = RoutePolicy(
        answers: .secret,
        acceptedCredentials: .key,
        keyFields: .authorization,
        profileKeys: .profileInPath,
        chatKeys: .refused,
        phones: .refused,
        unclaimedKeys: .refused,
        storeUse: .gateway(opensStore: false),
        callers: .clients,
        loggedPath: .complete
    )

    /// The policy for the keys of the caller's store. The handler shows and changes only keys whose rights the caller
    /// has too.
    static let keys = storeManagement.replacing(\.profileKeys, .answerFiltered)

    /// The policy for facts about the process that need no store.
    static let processFacts = RoutePolicy(
        answers: .plain,
        acceptedCredentials: .key,
        keyFields: .authorization,
        profileKeys: .profileInPath,
        chatKeys: .refused,
        phones: .refused,
        unclaimedKeys: .refused,
        storeUse: .process,
        callers: .clients,
        loggedPath: .complete
    )

    /// Returns a copy of the policy with another decision.
    func replacing<Decision>(_ field: WritableKeyPath<RoutePolicy, Decision>, _ decision: Decision) -> RoutePolicy {
        var policy = self
        policy[keyPath: field] = decision
        return policy
    }
}
