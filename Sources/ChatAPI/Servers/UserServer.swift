/// A server of a profile. A new server has no id yet.
package struct UserServer: Codable, Hashable, Sendable {
    package var serverId: Int64?
    package var server: String
    package var preset: Bool
    package var tested: Bool?
    package var enabled: Bool
    package var deleted: Bool
    package var roles: ServerRolesOverride?

    package init(
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
