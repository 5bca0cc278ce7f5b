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
