/// The preferences of a group for every feature, with defaults for missing preferences.
package struct FullGroupPreferences: Codable, Hashable, Sendable {
    package var timedMessages: TimedMessagesGroupPreference
    package var directMessages: RoleGroupPreference
    package var fullDelete: GroupPreference
    package var reactions: GroupPreference
    package var voice: RoleGroupPreference
    package var files: RoleGroupPreference
    package var simplexLinks: RoleGroupPreference
    package var reports: GroupPreference
    package var history: GroupPreference
    package var support: SupportGroupPreference?
    package var sessions: RoleGroupPreference
    package var comments: CommentsGroupPreference?
    package var signMessages: GroupPreference?
    package var commands: [ChatBotCommand]

    package init(
        timedMessages: TimedMessagesGroupPreference,
        directMessages: RoleGroupPreference,
        fullDelete: GroupPreference,
        reactions: GroupPreference,
        voice: RoleGroupPreference,
        files: RoleGroupPreference,
        simplexLinks: RoleGroupPreference,
        reports: GroupPreference,
        history: GroupPreference,
        support: SupportGroupPreference? = nil,
        sessions: RoleGroupPreference,
        comments: CommentsGroupPreference? = nil,
        signMessages: GroupPreference? = nil,
        commands: [ChatBotCommand]
    ) {
        self.timedMessages = timedMessages
        self.directMessages = directMessages
        self.fullDelete = fullDelete
        self.reactions = reactions
        self.voice = voice
        self.files = files
        self.simplexLinks = simplexLinks
        self.reports = reports
        self.history = history
        self.support = support
        self.sessions = sessions
        self.comments = comments
        self.signMessages = signMessages
        self.commands = commands
    }
}
