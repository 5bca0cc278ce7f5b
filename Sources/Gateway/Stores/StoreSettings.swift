public import ChatCore
public import Descriptors
public import SimpleXCrypto

/// Settings of the stores.
public struct StoreSettings: Sendable {
    /// Configuration of the stores' cores. Each store sets its own folder, key and keyring.
    public var chat: ChatConfiguration
    /// The folder with a subfolder for each store.
    public var folder: String
    /// The cost of an attempt with an app password.
    public var passwordCost = PasswordCost.standard
    /// Microseconds. The answer to an unlock is delayed to a multiple of this, so that its duration does not reveal the
    /// work that was done.
    public var unlockQuantum: Int64 = 500_000
    /// Limit on open stores, because each keeps the files of its databases open.
    public var openStores: Allowance
    /// The time after which an unused store is closed until a request needs it; nil to keep stores open as long as the
    /// gateway runs.
    public var closesAfter: Duration?
    /// Decides which of several nodes has a store; nil for a single node.
    public var placement: (any StorePlacement)?
    /// The addresses that relays, proxies and desktops of stores other than the first may have; nil for all addresses.
    public var relayReach: RelayReach?
    /// Gets the events of all stores; nil for none.
    public var broker: (any EventBroker)?
    /// The time after the deletion of a store for which one of its objects may still appear in the storage.
    var objectSettling = Duration.seconds(900)
    var delay = UnlockDelay.Settings()
    /// The time that commands get when their store is locked.
    var patience = Duration.seconds(5)
    /// The time that the process must survive after the opening of a store.
    var openingSettles = Duration.seconds(1)
    /// The time that statements get while a store is opened at whose opening the process has crashed before.
    var suspectPatience = Duration.seconds(30)
    var onStep: @Sendable (String) -> Void = { _ in }

    public init(chat: ChatConfiguration, folder: String, openStores: Int = .max) {
        self.chat = chat
        self.folder = folder
        self.openStores = Allowance(openStores)
    }
}
