internal import ChatAPI
internal import ChatStore
internal import JSON
internal import SQLCipher

extension RunningCommand {
    /// `/_save app settings`: stores all settings of the app. The settings for media determine which media are received
    /// automatically.
    func saveAppSettings(_ settings: AppSettings) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            try tx.db.insert(
                into: "settings",
                or: .replace,
                ["name": AppSettings.storedName, "value": try StoredJSON.encode(settings)]
            )
            return .cmdOk(user_: nil)
        }
    }

    /// `/_get app settings`: returns the stored settings. A setting that was not stored has the default that the app
    /// gives for its platform, or otherwise the general default.
    func getAppSettings(defaults: AppSettings?) async throws -> ChatResponse {
        try await store.read { db in try Self.readAppSettings(defaults: defaults, db) }
    }

    static func readAppSettings(defaults: AppSettings?, _ db: StoreConnection) throws -> ChatResponse {
        let row = try db.queryFirst("SELECT value FROM settings WHERE name = ?", [AppSettings.storedName])
        return .appSettings(appSettings: try AppSettings(saved: row?.string("value"), over: defaults))
    }
}

extension AppSettings {
    /// Merges stored settings and defaults, separately for each setting. A stored setting overrides the default of the
    /// app, and this default overrides the general default. A setting without a value is absent from the JSON.
    fileprivate init(saved: String?, over defaults: AppSettings?) throws {
        var members = JSONObject()
        for layer in [
            try JSONEncoder().encodeValue(Self.standard), try defaults.map { try JSONEncoder().encodeValue($0) },
            try saved.map { try JSONValue(parsing: $0) },
        ] {
            for (name, value) in layer?.objectValue ?? JSONObject() { members[name] = value }
        }
        self = try JSONDecoder().decode(AppSettings.self, from: .object(members))
    }

    /// The general defaults of the settings.
    static let standard = AppSettings(
        networkConfig: .appDefaults,
        privacyEncryptLocalFiles: true,
        privacyAskToApproveRelays: true,
        privacyAcceptImages: true,
        privacyLinkPreviews: true,
        privacySanitizeLinks: false,
        privacyShowChatPreviews: true,
        privacySaveLastDraft: true,
        privacyProtectScreen: false,
        privacyMediaBlurRadius: 0,
        notificationMode: .instant,
        notificationPreviewMode: .message,
        webrtcPolicyRelay: true,
        webrtcICEServers: [],
        confirmRemoteSessions: false,
        connectRemoteViaMulticast: true,
        connectRemoteViaMulticastAuto: true,
        developerTools: false,
        confirmDBUpgrades: false,
        androidCallOnLockScreen: .show,
        iosCallKitEnabled: true,
        iosCallKitCallsInRecents: false,
        uiProfileImageCornerRadius: 22.5,
        uiChatItemRoundness: 0.75,
        uiChatItemTail: true,
        uiColorScheme: .system,
        uiDarkColorScheme: .simplex,
        oneHandUI: true,
        chatBottomBar: true
    )
}
