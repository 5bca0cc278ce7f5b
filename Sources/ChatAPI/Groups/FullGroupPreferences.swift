/// The preferences of a group for every feature, with defaults for missing preferences.
public struct FullGroupPreferences: Codable, Hashable, Sendable {
    public var timedMessages: TimedMessagesGroupPreference
    public var directMessages: RoleGroupPreference
    public var fullDelete: GroupPreference
    public var reactions: GroupPreference
    public var voice: RoleGroupPreference
    public var files: RoleGroupPreference
    public var simplexLinks: RoleGroupPreference
    public var reports: GroupPreference
    public var history: GroupPreference
    public var support: SupportGroupPreference?
    public var sessions: RoleGroupPreference
    public var comments: CommentsGroupPreference?
    public var signMessages: GroupPreference?
    public var commands: [ChatBotCommand]

    public init(
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
