internal import ChatAPI
internal import ChatCore

/// Routes for settings of the core and of chats.
enum SettingsResource {
    /// The default settings for clients that send none. The core receives media automatically only if the saved
    /// `privacyAcceptImages` is true, so its default is false.
    private static let defaults = AppSettings(privacyAcceptImages: false)

    static let routes: [Route] = [
        .command(
            .put,
            "/v1/settings/app",
            "setAppSettings",
            .saveSettings,
            category: "Settings",
            policy: .data,
            patched: replacedSettings
        ) { context throws(ProblemDetails) in
            .settings(.saveSettings(settings: try context.body().whole()))
        },
        .command(
            .get,
            "/v1/settings/app",
            "getAppSettings",
            .getSettings,
            category: "Settings",
            policy: .data,
            cached: true,
            patched: replacedSettings
        ) {
            context throws(ProblemDetails) in
            .settings(.getSettings(settings: try context.json(parameter: "settings") ?? defaults))
        },
        .command(
            .get,
            "/v1/users/{userId}/ttl",
            "getUserTtl",
            .getChatItemTTL,
            category: "Settings",
            policy: .data,
            cached: true
        ) { context throws(ProblemDetails) in
            .settings(.getChatItemTTL(userId: try context.id("userId")))
        },
        .command(
            .get,
            "/v1/settings/network",
            "getNetworkSettings",
            .getNetworkConfig,
            category: "Settings",
            policy: .data,
            cached: true,
            patched: patchedNetwork
        ) { _ throws(ProblemDetails) in
            .settings(.getNetworkConfig)
        },
        .patch(
            "/v1/settings/network",
            "updateNetworkSettings",
            [.setNetworkConfig],
            category: "Settings",
            scopes: Scopes.required(for: .setNetworkConfig).union(.read),
            policy: .data,
            forUser: false,
            of: patchedNetwork
        ) { _, patch throws(ProblemDetails) in
            patch.setWhole(networkMembers) { .settings(.setNetworkConfig(networkConfig: $0)) }
        },
        .command(
            .put,
            "/v1/settings/network-info",
            "setNetworkInfo",
            .setNetworkInfo,
            category: "Settings",
            policy: .data
        ) { context throws(ProblemDetails) in
            .settings(.setNetworkInfo(networkInfo: try context.body().whole()))
        },
        .command(
            .post,
            "/v1/servers/reconnect",
            "reconnectServers",
            .reconnectAllServers,
            category: "Settings",
            policy: .data
        ) { _ throws(ProblemDetails) in
            .settings(.reconnectAllServers)
        },
        .command(
            .post,
            "/v1/users/{userId}/servers/reconnect",
            "reconnectServer",
            .reconnectServer,
            category: "Settings",
            policy: .data
        ) { context throws(ProblemDetails) in
            .settings(
                .reconnectServer(userId: try context.id("userId"), smpServer: try context.body().value("smpServer"))
            )
        },
        .command(
            .put,
            "/v1/settings/contact-merge",
            "setContactMerge",
            .setContactMergeEnabled,
            category: "Settings",
            policy: .data
        ) { context throws(ProblemDetails) in
            .contacts(.setContactMergeEnabled(enable: try context.body().value("enable")))
        },
    ]

    /// The stored settings of the app. Defaults in the query change the answer, but not the tag.
    private static let replacedSettings = PatchedResource { _ throws(ProblemDetails) in
        .settings(.getSettings(settings: defaults))
    } values: { response in
        guard case .appSettings(let settings) = response else { return [] }
        return PatchedResource.members(of: settings)
    } isShown: {
        $0.parameter("settings") == nil
    }

    private static let networkMembers = [
        "socksProxy", "socksMode", "hostMode", "requiredHostMode", "sessionMode", "smpProxyMode", "smpProxyFallback",
        "smpWebPortServers", "tcpConnectTimeout", "tcpTimeout", "tcpTimeoutPerKb", "rcvConcurrency", "tcpKeepAlive",
        "smpPingInterval", "smpPingCount", "logTLSErrors",
    ]

    private static let patchedNetwork = PatchedResource { _ throws(ProblemDetails) in
        .settings(.getNetworkConfig)
    } values: { response in
        guard case .networkConfig(let config) = response else { return [] }
        return PatchedResource.members(of: config)
    }
}
