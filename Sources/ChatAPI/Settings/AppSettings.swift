/// Settings that an app stores in the core. `uiCurrentThemeIds` contains a theme id for each colour scheme.
package struct AppSettings: Codable, Hashable, Sendable {
    package var appPlatform: AppPlatform?
    package var networkConfig: NetworkConfig?
    package var networkProxy: NetworkProxy?
    package var privacyEncryptLocalFiles: Bool?
    package var privacyAskToApproveRelays: Bool?
    package var privacyAcceptImages: Bool?
    package var privacyLinkPreviews: Bool?
    package var privacySanitizeLinks: Bool?
    package var privacyShowChatPreviews: Bool?
    package var privacySaveLastDraft: Bool?
    package var privacyProtectScreen: Bool?
    package var privacyMediaBlurRadius: Int?
    package var notificationMode: AppNotificationMode?
    package var notificationPreviewMode: NotificationPreviewMode?
    package var webrtcPolicyRelay: Bool?
    package var webrtcICEServers: [String]?
    package var confirmRemoteSessions: Bool?
    package var connectRemoteViaMulticast: Bool?
    package var connectRemoteViaMulticastAuto: Bool?
    package var developerTools: Bool?
    package var confirmDBUpgrades: Bool?
    package var androidCallOnLockScreen: LockScreenCalls?
    package var iosCallKitEnabled: Bool?
    package var iosCallKitCallsInRecents: Bool?
    package var uiProfileImageCornerRadius: Double?
    package var uiChatItemRoundness: Double?
    package var uiChatItemTail: Bool?
    package var uiColorScheme: UIColorScheme?
    package var uiDarkColorScheme: DarkColorScheme?
    package var uiCurrentThemeIds: [String: String]?
    package var uiThemes: [UITheme]?
    package var oneHandUI: Bool?
    package var chatBottomBar: Bool?

    package init(
        appPlatform: AppPlatform? = nil,
        networkConfig: NetworkConfig? = nil,
        networkProxy: NetworkProxy? = nil,
        privacyEncryptLocalFiles: Bool? = nil,
        privacyAskToApproveRelays: Bool? = nil,
        privacyAcceptImages: Bool? = nil,
        privacyLinkPreviews: Bool? = nil,
        privacySanitizeLinks: Bool? = nil,
        privacyShowChatPreviews: Bool? = nil,
        privacySaveLastDraft: Bool? = nil,
        privacyProtectScreen: Bool? = nil,
        privacyMediaBlurRadius: Int? = nil,
        notificationMode: AppNotificationMode? = nil,
        notificationPreviewMode: NotificationPreviewMode? = nil,
        webrtcPolicyRelay: Bool? = nil,
        webrtcICEServers: [String]? = nil,
        confirmRemoteSessions: Bool? = nil,
        connectRemoteViaMulticast: Bool? = nil,
        connectRemoteViaMulticastAuto: Bool? = nil,
        developerTools: Bool? = nil,
        confirmDBUpgrades: Bool? = nil,
        androidCallOnLockScreen: LockScreenCalls? = nil,
        iosCallKitEnabled: Bool? = nil,
        iosCallKitCallsInRecents: Bool? = nil,
        uiProfileImageCornerRadius: Double? = nil,
        uiChatItemRoundness: Double? = nil,
        uiChatItemTail: Bool? = nil,
        uiColorScheme: UIColorScheme? = nil,
        uiDarkColorScheme: DarkColorScheme? = nil,
        uiCurrentThemeIds: [String: String]? = nil,
        uiThemes: [UITheme]? = nil,
        oneHandUI: Bool? = nil,
        chatBottomBar: Bool? = nil
    ) {
        self.appPlatform = appPlatform
        self.networkConfig = networkConfig
        self.networkProxy = networkProxy
        self.privacyEncryptLocalFiles = privacyEncryptLocalFiles
        self.privacyAskToApproveRelays = privacyAskToApproveRelays
        self.privacyAcceptImages = privacyAcceptImages
        self.privacyLinkPreviews = privacyLinkPreviews
        self.privacySanitizeLinks = privacySanitizeLinks
        self.privacyShowChatPreviews = privacyShowChatPreviews
        self.privacySaveLastDraft = privacySaveLastDraft
        self.privacyProtectScreen = privacyProtectScreen
        self.privacyMediaBlurRadius = privacyMediaBlurRadius
        self.notificationMode = notificationMode
        self.notificationPreviewMode = notificationPreviewMode
        self.webrtcPolicyRelay = webrtcPolicyRelay
        self.webrtcICEServers = webrtcICEServers
        self.confirmRemoteSessions = confirmRemoteSessions
        self.connectRemoteViaMulticast = connectRemoteViaMulticast
        self.connectRemoteViaMulticastAuto = connectRemoteViaMulticastAuto
        self.developerTools = developerTools
        self.confirmDBUpgrades = confirmDBUpgrades
        self.androidCallOnLockScreen = androidCallOnLockScreen
        self.iosCallKitEnabled = iosCallKitEnabled
        self.iosCallKitCallsInRecents = iosCallKitCallsInRecents
        self.uiProfileImageCornerRadius = uiProfileImageCornerRadius
        self.uiChatItemRoundness = uiChatItemRoundness
        self.uiChatItemTail = uiChatItemTail
        self.uiColorScheme = uiColorScheme
        self.uiDarkColorScheme = uiDarkColorScheme
        self.uiCurrentThemeIds = uiCurrentThemeIds
        self.uiThemes = uiThemes
        self.oneHandUI = oneHandUI
        self.chatBottomBar = chatBottomBar
    }
}
