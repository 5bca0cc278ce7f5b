internal import ChatAPI

/// One side's preference for a feature of a direct chat.
struct FeaturePreference: Sendable, Hashable {
    var allow: FeatureAllowed
    /// The time in seconds after which messages disappear; nil for all features except disappearing messages.
    var lifetimeSeconds: Int64?

    init(_ allow: FeatureAllowed, ttl: Int64? = nil) {
        self.allow = allow
        self.lifetimeSeconds = ttl
    }

    /// The form of the preference for comparisons: the time of a feature that is not allowed is ignored.
    var comparableState: FeaturePreference { allow == .no ? FeaturePreference(.no) : self }
}

/// The features of a direct chat, with their defaults.
enum DirectFeature: CaseIterable, Sendable {
    case timedMessages, fullDelete, reactions, voice, files, calls, sessions

    /// Features whose state is shown in the chat as items, in the order of the items.
    static let shownFeatures: [DirectFeature] = [.timedMessages, .fullDelete, .reactions, .voice, .calls]

    var defaultPreference: FeaturePreference {
        switch self {
        case .timedMessages, .reactions, .voice, .calls: FeaturePreference(.yes)
        case .fullDelete, .sessions: FeaturePreference(.no)
        case .files: FeaturePreference(.always)
        }
    }

    /// Whether the feature can be on for one side only. If one side has the preference `no` and the other side
    /// `always`, only the side with `no` can use the feature.
    var canBeOneSided: Bool { self != .timedMessages }

    var apiFeature: ChatFeature {
        switch self {
        case .timedMessages: .timedMessages
        case .fullDelete: .fullDelete
        case .reactions: .reactions
        case .voice: .voice
        case .files: .files
        case .calls: .calls
        case .sessions: .sessions
        }
    }

    var name: String {
        switch self {
        case .timedMessages: "Disappearing messages"
        case .fullDelete: "Full deletion"
        case .reactions: "Message reactions"
        case .voice: "Voice messages"
        case .files: "Files and media"
        case .calls: "Audio/video calls"
        case .sessions: "Chat sessions"
        }
    }
}

extension Preferences {
    /// Returns the preference for a feature; nil if no preference is set.
    func preference(of feature: DirectFeature) -> FeaturePreference? {
        switch feature {
        case .timedMessages: timedMessages.map { FeaturePreference($0.allow, ttl: $0.ttl.map { Int64($0) }) }
        case .fullDelete: fullDelete.map { FeaturePreference($0.allow) }
        case .reactions: reactions.map { FeaturePreference($0.allow) }
        case .voice: voice.map { FeaturePreference($0.allow) }
        case .files: files.map { FeaturePreference($0.allow) }
        case .calls: calls.map { FeaturePreference($0.allow) }
        case .sessions: sessions.map { FeaturePreference($0.allow) }
        }
    }
}

/// The sides that can use a feature, according to the preferences of both sides.
struct EnabledSides: Sendable, Hashable {
    var isEnabledForUser: Bool
    var isEnabledForContact: Bool

    init(user: FeatureAllowed, contact: FeatureAllowed, asymmetric: Bool) {
        switch (user, contact) {
        case (.always, .no): (isEnabledForUser, isEnabledForContact) = (false, asymmetric)
        case (.no, .always): (isEnabledForUser, isEnabledForContact) = (asymmetric, false)
        case (_, .no), (.no, _): (isEnabledForUser, isEnabledForContact) = (false, false)
        default: (isEnabledForUser, isEnabledForContact) = (true, true)
        }
    }

    var api: PrefEnabled { PrefEnabled(forUser: isEnabledForUser, forContact: isEnabledForContact) }
}

/// One feature of the direct chat with a contact, with the preferences of the user and of the contact.
struct ContactFeature: Sendable, Hashable {
    let feature: DirectFeature
    /// The user's preference for this contact, or otherwise for all contacts.
    let userPreference: FeaturePreference
    let usesDefaultPreference: Bool
    let contactPreference: FeaturePreference
    let enabledSides: EnabledSides

    init(_ feature: DirectFeature, user: Preferences?, userForContact: Preferences, contact: Preferences?) {
        self.feature = feature
        let own = userForContact.preference(of: feature)
        // If the user has no preference for this contact, the user's general permission applies, but not the user's
        // general time for disappearing messages. The preferences for a contact get a time when the contact is created.
        self.userPreference =
            own ?? FeaturePreference((user?.preference(of: feature) ?? feature.defaultPreference).allow)
        usesDefaultPreference = own == nil
        self.contactPreference = contact?.preference(of: feature) ?? feature.defaultPreference
        enabledSides = EnabledSides(
            user: self.userPreference.allow,
            contact: self.contactPreference.allow,
            asymmetric: feature.canBeOneSided
        )
    }

    /// The time in seconds after which messages disappear; nil if the sides have not agreed on a time.
    var lifetimeSeconds: Int64? { enabledSides.isEnabledForUser ? userPreference.lifetimeSeconds : nil }

    /// The state that the chat shows: the sides that can use the feature, and the time.
    var state: State { State(enabledSides: enabledSides, lifetimeSeconds: lifetimeSeconds) }

    struct State: Sendable, Hashable {
        let enabledSides: EnabledSides
        let lifetimeSeconds: Int64?
    }

    /// The text of an item about the state, such as `Voice messages: enabled for you`.
    var stateText: String {
        let on = feature == .timedMessages && lifetimeSeconds == nil ? "allowed" : "enabled"
        let text: String
        switch (enabledSides.isEnabledForUser, enabledSides.isEnabledForContact) {
        case (true, true): text = on
        case (false, false): text = "off"
        case (true, false): text = "\(on) for you"
        case (false, true): text = "\(on) for contact"
        }
        return
            "\(feature.name): \(text)\(enabledSides.isEnabledForUser ? Self.lifetimeText(feature, lifetimeSeconds) : "")"
    }

    /// Returns the text of an item about an offer, such as `offered Full deletion`.
    static func offerText(_ feature: DirectFeature, _ preference: FeaturePreference) -> String {
        preference.allow == .no
            ? "cancelled \(feature.name)"
            : "offered \(feature.name)\(lifetimeText(feature, preference.lifetimeSeconds))"
    }

    private static func lifetimeText(_ feature: DirectFeature, _ ttl: Int64?) -> String {
        guard feature == .timedMessages, let ttl else { return "" }
        return " (\(durationText(ttl)))"
    }

    /// Formats a duration, for example as `1 month 1 week 3 hours`. A month has 30 days. The remaining days are written
    /// as weeks only if their number is 7 or 14.
    static func durationText(_ seconds: Int64) -> String {
        guard seconds > 0 else { return "0 sec" }
        let days = seconds / 86400
        var parts: [String] = []
        if days / 30 > 0 { parts.append(days / 30 == 1 ? "1 month" : "\(days / 30) months") }
        switch days % 30 {
        case 0: break
        case 1: parts.append("1 day")
        case 7: parts.append("1 week")
        case 14: parts.append("2 weeks")
        case let odd: parts.append("\(odd) days")
        }
        let hours = seconds % 86400 / 3600
        if hours > 0 { parts.append(hours == 1 ? "1 hour" : "\(hours) hours") }
        if seconds % 3600 / 60 > 0 { parts.append("\(seconds % 3600 / 60) min") }
        if seconds % 60 > 0 { parts.append("\(seconds % 60) sec") }
        return parts.joined(separator: " ")
    }
}
