/// The preferences that were set for a group. A feature without a preference has its default.
public struct GroupPreferences: Codable, Hashable, Sendable {
    public var timedMessages: TimedMessagesGroupPreference?
    public var directMessages: RoleGroupPreference?
    public var fullDelete: GroupPreference?
    public var reactions: GroupPreference?
    public var voice: RoleGroupPreference?
    public var files: RoleGroupPreference?
    public var simplexLinks: RoleGroupPreference?
    public var reports: GroupPreference?
    public var history: GroupPreference?
    public var support: SupportGroupPreference?
    public var sessions: RoleGroupPreference?
    public var comments: CommentsGroupPreference?
    public var signMessages: GroupPreference?
    public var commands: [ChatBotCommand]?

    public init(
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
