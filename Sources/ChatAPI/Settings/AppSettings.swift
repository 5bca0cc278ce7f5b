/// Settings that an app stores in the core. `uiCurrentThemeIds` contains a theme id for each colour scheme.
public struct AppSettings: Codable, Hashable, Sendable {
    public var appPlatform: AppPlatform?
    public var networkConfig: NetworkConfig?
    public var networkProxy: NetworkProxy?
    public var privacyEncryptLocalFiles: Bool?
    public var privacyAskToApproveRelays: Bool?
    public var privacyAcceptImages: Bool?
    public var privacyLinkPreviews: Bool?
    public var privacySanitizeLinks: Bool?
    public var privacyShowChatPreviews: Bool?
    public var privacySaveLastDraft: Bool?
    public var privacyProtectScreen: Bool?
    public var privacyMediaBlurRadius: Int?
    public var notificationMode: AppNotificationMode?
    public var notificationPreviewMode: NotificationPreviewMode?
    public var webrtcPolicyRelay: Bool?
    public var webrtcICEServers: [String]?
    public var confirmRemoteSessions: Bool?
    public var connectRemoteViaMulticast: Bool?
    public var connectRemoteViaMulticastAuto: Bool?
    public var developerTools: Bool?
    public var confirmDBUpgrades: Bool?
    public var androidCallOnLockScreen: LockScreenCalls?
    public var iosCallKitEnabled: Bool?
    public var iosCallKitCallsInRecents: Bool?
    public var uiProfileImageCornerRadius: Double?
    public var uiChatItemRoundness: Double?
    public var uiChatItemTail: Bool?
    public var uiColorScheme: UIColorScheme?
    public var uiDarkColorScheme: DarkColorScheme?
    public var uiCurrentThemeIds: [String: String]?
    public var uiThemes: [UITheme]?
    public var oneHandUI: Bool?
    public var chatBottomBar: Bool?

    public init(
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
