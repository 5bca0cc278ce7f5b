/// Commands for user profiles (Chat API, section 2.1). They create, choose, hide, mute, change and delete profiles, and
/// set receipts.
package enum UserCommand: Hashable, Sendable {
    case showActiveUser
    case createActiveUser(newUser: NewUser)
    case listUsers
    case setActiveUser(userId: Int64, viewPwd: String?)
    case hideUser(userId: Int64, viewPwd: String)
    case unhideUser(userId: Int64, viewPwd: String)
    case muteUser(userId: Int64)
    case unmuteUser(userId: Int64)
    case deleteUser(userId: Int64, delSMPQueues: Bool, viewPwd: String?)
    case updateProfile(userId: Int64, profile: Profile)
    case setAllContactReceipts(enable: Bool)
    case setUserContactReceipts(userId: Int64, settings: UserMsgReceiptSettings)
    case setUserGroupReceipts(userId: Int64, settings: UserMsgReceiptSettings)
    case setUserAutoAcceptMemberContacts(userId: Int64, enable: Bool)
    case setUserAutoAcceptGroupInvitations(userId: Int64, enable: Bool)
    case userRead(userId: Int64)
    case addBadge(credential: BadgeCredential)
}

extension UserCommand: CommandCategory {
    var commandText: CommandText {
        switch self {
        case .showActiveUser: "/u"
        case .createActiveUser(let newUser): "/_create user \(json: newUser)"
        case .listUsers: "/users"
        case .setActiveUser(let userId, let viewPwd): "/_user \(userId)\(" ", json: viewPwd)"
        case .hideUser(let userId, let viewPwd): "/_hide user \(userId) \(json: viewPwd)"
        case .unhideUser(let userId, let viewPwd): "/_unhide user \(userId) \(json: viewPwd)"
        case .muteUser(let userId): "/_mute user \(userId)"
        case .unmuteUser(let userId): "/_unmute user \(userId)"
        case .deleteUser(let userId, let delSMPQueues, let viewPwd):
            "/_delete user \(userId) del_smp=\(delSMPQueues)\(" ", json: viewPwd)"
        case .updateProfile(let userId, let profile): "/_profile \(userId) \(json: profile)"
        case .setAllContactReceipts(let enable): "/set receipts all \(enable)"
        case .setUserContactReceipts(let userId, let settings):
            "/_set receipts contacts \(userId) \(settings.enable) clear_overrides=\(settings.clearOverrides)"
        case .setUserGroupReceipts(let userId, let settings):
            "/_set receipts groups \(userId) \(settings.enable) clear_overrides=\(settings.clearOverrides)"
        case .setUserAutoAcceptMemberContacts(let userId, let enable):
            "/_set accept member contacts \(userId) \(enable)"
        case .setUserAutoAcceptGroupInvitations(let userId, let enable):
            "/_set accept group invitations \(userId) \(enable)"
        case .userRead(let userId): "/_read user \(userId)"
        case .addBadge(let credential): "/badge add \(json: credential)"
        }
    }

    static let forms: [CommandForm<Self>] = [
        CommandForm("/u", "/user", is: .showActiveUser),
        CommandForm("/_create user") { scanner throws(CommandParseError) in
            .createActiveUser(newUser: try scanner.scanJSON())
        },
        CommandForm("/users", is: .listUsers),
        CommandForm("/_user") { scanner throws(CommandParseError) in
            .setActiveUser(userId: try scanner.scanNumber(), viewPwd: try scanner.scanJSONIfAny())
        },
        CommandForm("/_hide user") { scanner throws(CommandParseError) in
            .hideUser(userId: try scanner.scanNumber(), viewPwd: try scanner.scanJSON())
        },
        CommandForm("/_unhide user") { scanner throws(CommandParseError) in
            .unhideUser(userId: try scanner.scanNumber(), viewPwd: try scanner.scanJSON())
        },
        CommandForm("/_mute user") { scanner throws(CommandParseError) in .muteUser(userId: try scanner.scanNumber()) },
        CommandForm("/_unmute user") { scanner throws(CommandParseError) in
            .unmuteUser(userId: try scanner.scanNumber())
        },
        CommandForm("/_delete user") { scanner throws(CommandParseError) in
            .deleteUser(
                userId: try scanner.scanNumber(),
                delSMPQueues: try scanner.scanRequiredFlag("del_smp"),
                viewPwd: try scanner.scanJSONIfAny()
            )
        },
        CommandForm("/_profile") { scanner throws(CommandParseError) in
            .updateProfile(userId: try scanner.scanNumber(), profile: try scanner.scanJSON())
        },
        CommandForm("/set receipts all") { scanner throws(CommandParseError) in
            .setAllContactReceipts(enable: try scanner.scanOnOff())
        },
        CommandForm("/_set receipts contacts") { scanner throws(CommandParseError) in
            .setUserContactReceipts(userId: try scanner.scanNumber(), settings: try scanner.scanReceiptSettings())
        },
        CommandForm("/_set receipts groups") { scanner throws(CommandParseError) in
            .setUserGroupReceipts(userId: try scanner.scanNumber(), settings: try scanner.scanReceiptSettings())
        },
        CommandForm("/_set accept member contacts") { scanner throws(CommandParseError) in
            .setUserAutoAcceptMemberContacts(userId: try scanner.scanNumber(), enable: try scanner.scanOnOff())
        },
        CommandForm("/_set accept group invitations") { scanner throws(CommandParseError) in
            .setUserAutoAcceptGroupInvitations(userId: try scanner.scanNumber(), enable: try scanner.scanOnOff())
        },
        CommandForm("/_read user") { scanner throws(CommandParseError) in .userRead(userId: try scanner.scanNumber()) },
        CommandForm("/badge add") { scanner throws(CommandParseError) in .addBadge(credential: try scanner.scanJSON())
        },
    ]
}

extension UserCommand {
    package var name: CommandName {
        switch self {
        case .showActiveUser: .showActiveUser
        case .createActiveUser: .createActiveUser
        case .listUsers: .listUsers
        case .setActiveUser: .setActiveUser
        case .hideUser: .hideUser
        case .unhideUser: .unhideUser
        case .muteUser: .muteUser
        case .unmuteUser: .unmuteUser
        case .deleteUser: .deleteUser
        case .updateProfile: .updateProfile
        case .setAllContactReceipts: .setAllContactReceipts
        case .setUserContactReceipts: .setUserContactReceipts
        case .setUserGroupReceipts: .setUserGroupReceipts
        case .setUserAutoAcceptMemberContacts: .setUserAutoAcceptMemberContacts
        case .setUserAutoAcceptGroupInvitations: .setUserAutoAcceptGroupInvitations
        case .userRead: .userRead
        case .addBadge: .addBadge
        }
    }
}
