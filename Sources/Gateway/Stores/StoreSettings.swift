public import ChatCore
public import Descriptors
public import SimpleXCrypto

/// How stores other than the first one are kept.
public struct StoreSettings: Sendable {
    /// How their cores are opened; folder, key and its keeping are each store's own.
    public var chat: ChatConfiguration
    /// The folder with a subfolder for each store.
    public var folder: String
    /// What it costs to try an app password.
    public var passwordCost = PasswordCost.standard
    /// In microseconds. The answer to an unlock is delayed to a multiple of this, so that its duration does not reveal what was done.
    public var unlockQuantum: Int64 = 500_000
    /// Stores that may be open at a time: each has its databases' files open.
    public var openStores: Allowance
    /// After how long a store that nobody uses is closed, until somebody does; nil: all are open as long as the gateway runs.
    public var closesAfter: Duration?
    /// Which of several nodes has which store; nil where there is one.
    public var placement: (any StorePlacement)?
    /// Where relays, proxies and desktops of stores may be, besides those of the first store; nil: anywhere.
    public var relayReach: RelayReach?
    /// Gets the events of all stores; nil for nobody.
    public var broker: (any EventBroker)?
    /// How long after the deletion of a store one of its objects may still appear in the storage.
    var objectSettling = Duration.seconds(900)
    var delay = UnlockDelay.Settings()
    /// For commands that run when their store is locked.
    var patience = Duration.seconds(5)
    /// How long a process lives that has outlived the opening of a store.
    var openingSettles = Duration.seconds(1)
    /// For statements of a store with which the process has crashed, while it is opened.
    var suspectPatience = Duration.seconds(30)
    var onStep: @Sendable (String) -> Void = { _ in }

    public init(chat: ChatConfiguration, folder: String, openStores: Int = .max) {
        self.chat = chat
        self.folder = folder
        self.openStores = Allowance(openStores)
    }
}
