public import ChatCore
public import Descriptors
public import SimpleXCrypto

/// How stores besides the first one are kept.
public struct StoreSettings: Sendable {
    /// How their cores are opened; folder, key and its keeping are each store's own.
    public var chat: ChatConfiguration
    /// The folder that holds a folder for each of them.
    public var folder: String
    /// What it costs to try an app password.
    public var passwordCost = PasswordCost.standard
    /// Microseconds to whose multiples the answer to an unlock is put off, so that its time tells nothing of what was done.
    public var unlockQuantum: Int64 = 500_000
    /// Stores that may be open at a time: each has its databases' files open.
    public var openStores: Allowance
    var delay = UnlockDelay.Settings()
    /// For commands that run when their store is locked.
    var patience = Duration.seconds(5)
    var onStep: @Sendable (String) -> Void = { _ in }

    public init(chat: ChatConfiguration, folder: String, openStores: Int = .max) {
        self.chat = chat
        self.folder = folder
        self.openStores = Allowance(openStores)
    }
}
