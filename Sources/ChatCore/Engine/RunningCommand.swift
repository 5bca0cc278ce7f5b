internal import ChatAPI
internal import ChatStore

/// A command that is being executed. Its extensions implement the commands.
///
/// A command reads and writes through its own ``store``, which stores the answer together with the changes, and
/// publishes both in order. The store of the core is only for the core's own work, so ``CoreServices`` does not contain
/// it.
struct RunningCommand: Sendable {
    let services: CoreServices
    let lifecycle: any StoreLifecycle
    let store: CommandStore
    private let context: CommandContext
    private let isByAdministrator: Bool

    init(
        _ context: CommandContext,
        _ services: CoreServices,
        _ store: ChatStore,
        _ lifecycle: any StoreLifecycle,
        joining joint: JointTransaction? = nil,
        isByAdministrator: Bool = false
    ) {
        self.context = context
        self.services = services
        self.lifecycle = lifecycle
        self.store = CommandStore(store, for: context, joining: joint)
        self.isByAdministrator = isByAdministrator
    }

    /// The request that sent the command, if the request has an idempotency key; nil otherwise.
    var claim: RequestClaim? { context.claim }

    /// The counted attempts to guess passwords of hidden users. Attempts of administrators are counted separately, so
    /// that other clients cannot lock administrators out.
    var viewPasswordTries: ViewPasswordTries {
        isByAdministrator ? services.administratorsViewPasswordTries : services.viewPasswordTries
    }

    /// Replaces a terminal command, which contains names of chats, by the equivalent command, which contains ids.
    func setCommand(_ command: ChatCommand) { context.setCommand(command) }

    /// Marks the answer to the request as stored, when the caller has stored the answer without ``store``.
    func recordStoredAnswer() { context.recordStoredAnswer() }

    /// Records that the command has changed something outside the database. Its response is then published, even if no
    /// transaction of the command publishes it.
    func recordExternalChange() { context.recordWrite(published: false) }
}
