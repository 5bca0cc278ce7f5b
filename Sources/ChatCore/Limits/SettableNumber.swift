internal import ChatAPI

/// A number that a command sets, with its name in the API and its allowed range.
enum SettableNumber: String, CaseIterable {
    case tcpConnectTimeout, tcpTimeout, tcpTimeoutPerKb, smpPingInterval
    case smpPingCount, rcvConcurrency
    case keepIdle, keepIntvl, keepCnt
    /// Number of seconds for which the items of a profile or a chat are kept.
    case seconds
    /// Number of seconds after which a message disappears: for one message (`ttl`), and for a chat (`timedMessages`).
    case ttl
    case timedMessages = "timedMessages.ttl"
    /// Number of seconds for which a post accepts comments.
    case duration
    case timeoutMicroseconds

    var allowedRange: ClosedRange<Int64> {
        switch self {
        case .tcpConnectTimeout, .tcpTimeout: 1_000...Self.weekMicroseconds
        case .tcpTimeoutPerKb: 0...3_600_000_000
        case .smpPingInterval: 1_000_000...Self.weekMicroseconds
        case .smpPingCount, .rcvConcurrency: 0...1_000
        // Linux accepts no other values.
        case .keepIdle, .keepIntvl: 1...32_767
        case .keepCnt: 1...127
        case .seconds, .duration, .timedMessages: 0...TimedItems.permittedLifetimeSeconds.upperBound
        case .ttl: TimedItems.permittedLifetimeSeconds
        case .timeoutMicroseconds: 0...86_400_000_000
        }
    }

    /// One week in microseconds.
    private static let weekMicroseconds: Int64 = 604_800_000_000

    /// Returns the error text for a value that is not allowed; nil for an allowed value.
    func errorText(_ value: Int64) -> String? {
        // The value 0 disables PING.
        let allowsZero = self == .smpPingInterval
        if allowedRange.contains(value) || allowsZero && value == 0 { return nil }
        let words = allowsZero ? "0 or a whole number" : "a whole number"
        return "\(rawValue) has to be \(words) from \(allowedRange.lowerBound) to \(allowedRange.upperBound)"
    }
}

extension ChatCommand {
    /// The error text for the first number in the command that is out of its range; nil if all numbers are allowed.
    var numberErrorText: String? { settableNumbers.firstErrorText }

    /// The numbers that the command sets as settings or times. Ids, numbers for paging, and contents of messages are
    /// not included.
    private var settableNumbers: [(SettableNumber, Int64)] {
        switch self {
        case .settings(.setNetworkConfig(let config)): config.settableNumbers
        case .settings(.saveSettings(let settings)): settings.networkConfig?.settableNumbers ?? []
        case .settings(.setChatItemTTL(_, let seconds)): [(.seconds, seconds)]
        case .settings(.setChatTTL(_, _, let seconds?)): [(.seconds, seconds)]
        case .messages(.sendMessages(_, _, _, let ttl?, _, _)), .messages(.forwardChatItems(_, _, _, _, let ttl?)):
            [(.ttl, Int64(ttl))]
        case .contacts(.setContactPrefs(_, let preferences)): preferences.settableNumbers
        case .users(.createActiveUser(let user)): user.profile?.preferences?.settableNumbers ?? []
        case .users(.updateProfile(_, let profile)): profile.preferences?.settableNumbers ?? []
        case .groups(.newGroup(_, _, let profile)), .groups(.newPublicGroup(_, _, _, let profile)),
            .groups(.updateGroupProfile(_, let profile)):
            profile.groupPreferences?.settableNumbers ?? []
        case .lifecycle(.suspendChat(let microseconds)): [(.timeoutMicroseconds, Int64(microseconds))]
        default: []
        }
    }
}

extension [(SettableNumber, Int64)] {
    fileprivate var firstErrorText: String? { lazy.compactMap { $0.errorText($1) }.first }
}

extension NetworkConfig {
    var numberErrorText: String? { settableNumbers.firstErrorText }

    fileprivate var settableNumbers: [(SettableNumber, Int64)] {
        var numbers: [(SettableNumber, Int)] = [
            (.tcpConnectTimeout, tcpConnectTimeout.backgroundTimeout),
            (.tcpConnectTimeout, tcpConnectTimeout.interactiveTimeout),
            (.tcpTimeout, tcpTimeout.backgroundTimeout), (.tcpTimeout, tcpTimeout.interactiveTimeout),
            (.smpPingCount, smpPingCount), (.rcvConcurrency, rcvConcurrency),
        ]
        if let keep = tcpKeepAlive {
            numbers += [(.keepIdle, keep.keepIdle), (.keepIntvl, keep.keepIntvl), (.keepCnt, keep.keepCnt)]
        }
        let wide: [(SettableNumber, Int64)] = [
            (.tcpTimeoutPerKb, tcpTimeoutPerKb), (.smpPingInterval, smpPingInterval),
        ]
        return numbers.map { ($0, Int64($1)) } + wide
    }
}

extension Preferences {
    fileprivate var settableNumbers: [(SettableNumber, Int64)] {
        guard let ttl = timedMessages?.ttl else { return [] }
        return [(.timedMessages, Int64(ttl))]
    }
}

extension GroupPreferences {
    fileprivate var settableNumbers: [(SettableNumber, Int64)] {
        var numbers: [(SettableNumber, Int64)] = []
        if let ttl = timedMessages?.ttl { numbers.append((.timedMessages, Int64(ttl))) }
        if let duration = comments?.duration { numbers.append((.duration, Int64(duration))) }
        return numbers
    }
}
