/// The preferences of both sides of a chat for every feature, and the resulting state of each feature.
public struct ContactUserPreferences: Codable, Hashable, Sendable {
    public var timedMessages: ContactUserPreference
    public var fullDelete: ContactUserPreference
    public var reactions: ContactUserPreference
    public var voice: ContactUserPreference
    public var files: ContactUserPreference
    public var calls: ContactUserPreference
    public var sessions: ContactUserPreference
    public var commands: [ChatBotCommand]?

    public init(
        timedMessages: ContactUserPreference,
        fullDelete: ContactUserPreference,
        reactions: ContactUserPreference,
        voice: ContactUserPreference,
        files: ContactUserPreference,
        calls: ContactUserPreference,
        sessions: ContactUserPreference,
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
