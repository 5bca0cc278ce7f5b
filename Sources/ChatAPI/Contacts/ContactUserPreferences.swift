/// The preferences of the two sides of a chat for every feature, and the resulting state of each feature.
package struct ContactUserPreferences: Codable, Hashable, Sendable {
    package var timedMessages: ContactUserPreference
    package var fullDelete: ContactUserPreference
    package var reactions: ContactUserPreference
    package var voice: ContactUserPreference
    package var files: ContactUserPreference
    package var calls: ContactUserPreference
    package var sessions: ContactUserPreference
    package var commands: [ChatBotCommand]?

    package init(
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
