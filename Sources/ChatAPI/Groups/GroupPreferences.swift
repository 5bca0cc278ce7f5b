/// The preferences that were set for a group. A feature without a preference has its default.
package struct GroupPreferences: Codable, Hashable, Sendable {
    package var timedMessages: TimedMessagesGroupPreference?
    package var directMessages: RoleGroupPreference?
    package var fullDelete: GroupPreference?
    package var reactions: GroupPreference?
    package var voice: RoleGroupPreference?
    package var files: RoleGroupPreference?
    package var simplexLinks: RoleGroupPreference?
    package var reports: GroupPreference?
    package var history: GroupPreference?
    package var support: SupportGroupPreference?
    package var sessions: RoleGroupPreference?
    package var comments: CommentsGroupPreference?
    package var signMessages: GroupPreference?
    package var commands: [ChatBotCommand]?

    package init(
        timedMessages: TimedMessagesGroupPreference? = nil,
        directMessages: RoleGroupPreference? = nil,
        fullDelete: GroupPreference? = nil,
        reactions: GroupPreference? = nil,
        voice: RoleGroupPreference? = nil,
        files: RoleGroupPreference? = nil,
        simplexLinks: RoleGroupPreference? = nil,
        reports: GroupPreference? = nil,
        history: GroupPreference? = nil,
        support: SupportGroupPreference? = nil,
        sessions: RoleGroupPreference? = nil,
        comments: CommentsGroupPreference? = nil,
        signMessages: GroupPreference? = nil,
        commands: [ChatBotCommand]? = nil
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
