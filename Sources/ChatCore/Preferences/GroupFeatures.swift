internal import ChatAPI

extension GroupFeature {
    /// The features that a group shows as items, in the order of the items. Sessions and comments are not shown, since
    /// ordinary groups do not have them.
    static let shownFeatures: [GroupFeature] = [
        .timedMessages, .directMessages, .fullDelete, .reactions, .voice, .files, .simplexLinks, .reports, .history,
        .support,
    ]

    var name: String {
        switch self {
        case .timedMessages: "Disappearing messages"
        case .directMessages: "Direct messages"
        case .fullDelete: "Full deletion"
        case .reactions: "Message reactions"
        case .voice: "Voice messages"
        case .files: "Files and media"
        case .simplexLinks: "SimpleX links"
        case .reports: "Member reports"
        case .history: "Recent history"
        case .support: "Chat with admins"
        default: rawValue
        }
    }
}

/// The state of a feature in a group: on or off. If the feature is on, the state includes the duration in seconds and
/// the lowest role that may use the feature.
struct GroupFeatureState: Hashable, Sendable {
    let isOn: Bool
    let durationSeconds: Int?
    let lowestRole: GroupMemberRole?

    init(_ enable: GroupFeatureEnabled, seconds: Int? = nil, role: GroupMemberRole? = nil) {
        isOn = enable == .on
        self.durationSeconds = isOn ? seconds : nil
        self.lowestRole = isOn ? role : nil
    }

    var preference: GroupPreference { GroupPreference(enable: isOn ? .on : .off) }

    /// Returns the text of the chat item that shows the state of the feature, for example
    /// `Disappearing messages: on (1 hour)` or `Voice messages: on for admins`.
    func text(_ feature: GroupFeature) -> String {
        let time =
            feature == .timedMessages
            ? durationSeconds.map { " (\(ContactFeature.durationText(Int64($0))))" } ?? "" : ""
        return "\(feature.name): \(isOn ? "on" : "off")\(time)\(lowestRole.map { " for \($0.rawValue)s" } ?? "")"
    }
}

extension FullGroupPreferences {
    /// Creates complete preferences from the preferences that a group has set. The default values of the original
    /// program replace missing preferences.
    init(_ set: GroupPreferences?) {
        self.init(
            timedMessages: set?.timedMessages ?? TimedMessagesGroupPreference(enable: .off, ttl: 86400),
            directMessages: set?.directMessages ?? RoleGroupPreference(enable: .off),
            fullDelete: set?.fullDelete ?? GroupPreference(enable: .off),
            reactions: set?.reactions ?? GroupPreference(enable: .on),
            voice: set?.voice ?? RoleGroupPreference(enable: .on),
            files: set?.files ?? RoleGroupPreference(enable: .on),
            simplexLinks: set?.simplexLinks ?? RoleGroupPreference(enable: .on),
            reports: set?.reports ?? GroupPreference(enable: .on),
            history: set?.history ?? GroupPreference(enable: .off),
            support: set?.support ?? SupportGroupPreference(enable: .on),
            sessions: set?.sessions ?? RoleGroupPreference(enable: .off),
            comments: set?.comments ?? CommentsGroupPreference(enable: .off),
            commands: set?.commands ?? []
        )
    }

    func state(_ feature: GroupFeature) -> GroupFeatureState {
        switch feature {
        case .timedMessages: GroupFeatureState(timedMessages.enable, seconds: timedMessages.ttl)
        case .directMessages: GroupFeatureState(directMessages.enable, role: directMessages.role)
        case .fullDelete: GroupFeatureState(fullDelete.enable, role: fullDelete.role)
        case .reactions: GroupFeatureState(reactions.enable)
        case .voice: GroupFeatureState(voice.enable, role: voice.role)
        case .files: GroupFeatureState(files.enable, role: files.role)
        case .simplexLinks: GroupFeatureState(simplexLinks.enable, role: simplexLinks.role)
        case .reports: GroupFeatureState(reports.enable)
        case .history: GroupFeatureState(history.enable)
        case .support: GroupFeatureState(support?.enable ?? .on)
        default: GroupFeatureState(.off)
        }
    }

    /// Whether a member of this role may use the feature.
    func allows(_ feature: GroupFeature, _ role: GroupMemberRole) -> Bool {
        let state = state(feature)
        return state.isOn && state.lowestRole.map { role >= $0 } ?? true
    }
}
