/// A server of a profile. A new server has no id yet.
public struct UserServer: Codable, Hashable, Sendable {
    public var serverId: Int64?
    public var server: String
    public var preset: Bool
    public var tested: Bool?
    public var enabled: Bool
    public var deleted: Bool
    public var roles: ServerRolesOverride?

    public init(
        serverId: Int64? = nil,
        server: String,
        preset: Bool,
        tested: Bool? = nil,
        enabled: Bool,
        deleted: Bool,
        roles: ServerRolesOverride? = nil
    ) {
        self.serverId = serverId
        self.server = server
        self.preset = preset
        self.tested = tested
        self.enabled = enabled
        self.deleted = deleted
        self.roles = roles
    }
}
