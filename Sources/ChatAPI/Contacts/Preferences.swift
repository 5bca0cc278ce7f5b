/// Preferences for features; nil for the default of a feature.
public struct Preferences: Codable, Hashable, Sendable {
    public var timedMessages: TimedMessagesPreference?
    public var fullDelete: SimplePreference?
    public var reactions: SimplePreference?
    public var voice: SimplePreference?
    public var files: SimplePreference?
    public var calls: SimplePreference?
    public var sessions: SimplePreference?
    public var commands: [ChatBotCommand]?

    public init(
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
