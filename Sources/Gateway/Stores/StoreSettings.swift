package import ChatCore
internal import Concurrency
package import Descriptors
internal import NIOCore
package import SimpleXCrypto

/// Settings of the stores.
package struct StoreSettings: Sendable {
    /// Configuration of the stores' cores. Each store replaces the folder, the key and the keyring by its own.
    package var chatConfiguration: ChatConfiguration
    /// The folder with a subfolder for each store.
    package var folder: String
    /// The cost (operations and memory) of deriving a key from an app password.
    package var appPasswordCost = PasswordCost.standard
    /// The duration of each unlock is extended to a multiple of this number of microseconds. So the duration does not
    /// reveal the steps of the unlock.
    package var unlockDurationStepMicroseconds: Int64 = 500_000
    /// Limit on open stores, because each open store keeps the files of its databases open.
    package var openStoreLimit: Allowance
    /// The time after which an unused store is closed until a request needs it; nil to keep stores open while the
    /// gateway runs.
    package var idleLimit: Duration?
    /// Decides which of several nodes has a store; nil for a single node.
    package var placement: (any StorePlacement)?
    /// The addresses that relays, proxies and desktops of stores other than the first may have; nil for all addresses.
    package var relayAddressPolicy: RelayAddressPolicy?
    /// The broker that gets the events of all stores; nil for no broker.
    package var broker: (any EventBroker)?
    /// The time after the deletion of a store during which one of its objects may still appear in the storage.
    var objectSettlingTime = Duration.seconds(900)
    var unlockDelay = UnlockDelay.Settings()
    /// The time that running commands get when their store is locked.
    var storeClosingTimeout = Duration.seconds(5)
    /// The time that the process must run after the opening of a store, before the opening counts as survived.
    var openingSurvivalTime = Duration.seconds(1)
    /// Shares the processor among the stores.
    var processorShares = ProcessorShares(.init(runningCalls: System.coreCount))
    /// The interval at which long statements are ended while a store with earlier crashes is opened.
    var crashedStoreStatementTimeout = Duration.seconds(30)
    var onStep: @Sendable (String) -> Void = { _ in }

    package init(chat: ChatConfiguration, folder: String, openStores: Int = .max) {
        self.chatConfiguration = chat
        self.folder = folder
        self.openStoreLimit = Allowance(openStores)
    }
}
