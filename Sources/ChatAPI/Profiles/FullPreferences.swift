/// Preferences for all features. Each feature has a preference, unlike in ``Preferences``.
package struct FullPreferences: Codable, Hashable, Sendable {
    package var timedMessages: TimedMessagesPreference
    package var fullDelete: SimplePreference
    package var reactions: SimplePreference
    package var voice: SimplePreference
    package var files: SimplePreference
    package var calls: SimplePreference
    package var sessions: SimplePreference
    package var commands: [ChatBotCommand]

    package init(
        timedMessages: TimedMessagesPreference,
        fullDelete: SimplePreference,
        reactions: SimplePreference,
        voice: SimplePreference,
        files: SimplePreference,
        calls: SimplePreference,
        sessions: SimplePreference,
        commands: [ChatBotCommand]
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
