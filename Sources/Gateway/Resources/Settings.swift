internal import ChatAPI
internal import ChatCore

/// Routes for settings of the core and of chats.
enum SettingsResource {
    /// The default settings for clients that send no defaults. The core receives media automatically only if the saved
    /// setting `privacyAcceptImages` is true, so the default of this setting is false.
    private static let defaultSettings = AppSettings(privacyAcceptImages: false)

    static let routes: [Route] = [
        .makeCommandRoute(
            .put,
            "/v1/settings/app",
            "setAppSettings",
            .saveSettings,
            category: "Settings",
            policy: .storeData,
            patched: replacedSettings
        ) { context throws(ProblemDetails) in
            .settings(.saveSettings(settings: try context.parseBody().decodeWholeBody()))
        },
        .makeCommandRoute(
            .get,
            "/v1/settings/app",
            "getAppSettings",
            .getSettings,
            category: "Settings",
            policy: .storeData,
            cached: true,
            patched: replacedSettings
        ) {
            context throws(ProblemDetails) in
            .settings(.getSettings(settings: try context.parseJSON(parameter: "settings") ?? defaultSettings))
        },
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/ttl",
            "getUserTtl",
            .getChatItemTTL,
            category: "Settings",
            policy: .storeData,
            cached: true
        ) { context throws(ProblemDetails) in
            .settings(.getChatItemTTL(userId: try context.parseID("userId")))
        },
        .makeCommandRoute(
            .get,
            "/v1/settings/network",
            "getNetworkSettings",
            .getNetworkConfig,
            category: "Settings",
            policy: .storeData,
            cached: true,
            patched: patchedNetwork
        ) { _ throws(ProblemDetails) in
            .settings(.getNetworkConfig)
        },
        .makePatchRoute(
            "/v1/settings/network",
            "updateNetworkSettings",
            [.setNetworkConfig],
            category: "Settings",
            scopes: Scopes.requiredScopes(for: .setNetworkConfig).union(.read),
            policy: .storeData,
            forUser: false,
            of: patchedNetwork
        ) { _, patch throws(ProblemDetails) in
            patch.setWholeValue(networkSettingNames) { .settings(.setNetworkConfig(networkConfig: $0)) }
        },
        .makeCommandRoute(
            .put,
            "/v1/settings/network-info",
            "setNetworkInfo",
            .setNetworkInfo,
            category: "Settings",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .settings(.setNetworkInfo(networkInfo: try context.parseBody().decodeWholeBody()))
        },
        .makeCommandRoute(
            .post,
            "/v1/servers/reconnect",
            "reconnectServers",
            .reconnectAllServers,
            category: "Settings",
            policy: .storeData
        ) { _ throws(ProblemDetails) in
            .settings(.reconnectAllServers)
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/servers/reconnect",
            "reconnectServer",
            .reconnectServer,
            category: "Settings",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .settings(
                .reconnectServer(
                    userId: try context.parseID("userId"),
                    smpServer: try context.parseBody().decodeValue("smpServer")
                )
            )
        },
        .makeCommandRoute(
            .put,
            "/v1/settings/contact-merge",
            "setContactMerge",
            .setContactMergeEnabled,
            category: "Settings",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .contacts(.setContactMergeEnabled(enable: try context.parseBody().decodeValue("enable")))
        },
    ]

    /// The stored settings of the app. Defaults in the query change the answer, but not its entity tag.
    private static let replacedSettings = PatchedResource { _ throws(ProblemDetails) in
        .settings(.getSettings(settings: defaultSettings))
    } changeableValues: { response in
        guard case .appSettings(let settings) = response else { return [] }
        return PatchedResource.collectMembers(of: settings)
    } showsStoredValues: {
        $0.readParameter("settings") == nil
    }

    private static let networkSettingNames = [
        "socksProxy", "socksMode", "hostMode", "requiredHostMode", "sessionMode", "smpProxyMode", "smpProxyFallback",
        "smpWebPortServers", "tcpConnectTimeout", "tcpTimeout", "tcpTimeoutPerKb", "rcvConcurrency", "tcpKeepAlive",
        "smpPingInterval", "smpPingCount", "logTLSErrors",
    ]

    private static let patchedNetwork = PatchedResource { _ throws(ProblemDetails) in
        .settings(.getNetworkConfig)
    } changeableValues: { response in
        guard case .networkConfig(let config) = response else { return [] }
        return PatchedResource.collectMembers(of: config)
    }
}
