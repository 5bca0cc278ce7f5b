/// Preferences for some features. If the preference for a feature is nil, the default of the feature is used.
package struct Preferences: Codable, Hashable, Sendable {
    package var timedMessages: TimedMessagesPreference?
    package var fullDelete: SimplePreference?
    package var reactions: SimplePreference?
    package var voice: SimplePreference?
    package var files: SimplePreference?
    package var calls: SimplePreference?
    package var sessions: SimplePreference?
    package var commands: [ChatBotCommand]?

    package init(
        timedMessages: TimedMessagesPreference? = nil,
        fullDelete: SimplePreference? = nil,
        reactions: SimplePreference? = nil,
        voice: SimplePreference? = nil,
        files: SimplePreference? = nil,
        calls: SimplePreference? = nil,
        sessions: SimplePreference? = nil,
        commands: [ChatBotCommand]? = nil
    ) {
        self.timedMessages = timedMessages
        self.fullDelete = fullDelete
        self.reactions = reactions
        self.voice = voice
        self.files = files
        self.calls = calls
        self.sessions = sessions
        self.commands = commands
    }
}

/// A preference of one side of a chat for a feature: the cases in which the feature is allowed. For disappearing
/// messages, it also has the time to live in seconds.
package struct SimplePreference: Codable, Hashable, Sendable {
    package var allow: FeatureAllowed
    package var ttl: Int?

    package init(allow: FeatureAllowed, ttl: Int? = nil) {
        self.allow = allow
        self.ttl = ttl
    }
}
