/// Preferences for all features.
public struct FullPreferences: Codable, Hashable, Sendable {
    public var timedMessages: TimedMessagesPreference
    public var fullDelete: SimplePreference
    public var reactions: SimplePreference
    public var voice: SimplePreference
    public var files: SimplePreference
    public var calls: SimplePreference
    public var sessions: SimplePreference
    public var commands: [ChatBotCommand]

    public init(
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
