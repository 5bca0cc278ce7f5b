internal import ChatAPI

extension RunningCommand {
    func run(_ command: UserCommand, as userId: Int64?) async throws -> ChatResponse {
        switch command {
        case .showActiveUser: try await showActiveUser()
        case .createActiveUser(let new): try await createActiveUser(new)
        case .listUsers: try await listUsers()
        case .setActiveUser(let userId, let password): try await setActiveUser(userId, password: password)
        case .deleteUser(let userId, let deletingQueues, let password):
            try await deleteUser(userId, deletingQueues: deletingQueues, password: password)
        case .updateProfile(let named, let profile):
            try await setProfile(profile, user: user(userId, named: named))
        case .hideUser(let other, let password):
            try await hideUser(other, password: password, active: user(userId))
        case .unhideUser(let other, let password):
            try await unhideUser(other, password: password, active: user(userId))
        case .muteUser(let other): try await setNotifications(of: other, shown: false, active: user(userId))
        case .unmuteUser(let other): try await setNotifications(of: other, shown: true, active: user(userId))
        case .setAllContactReceipts(let enable): try await setAllReceipts(enable)
        case .setUserContactReceipts(let named, let settings):
            try await setReceipts(.contacts, settings, of: named, active: user(userId))
        case .setUserGroupReceipts(let named, let settings):
            try await setReceipts(.groups, settings, of: named, active: user(userId))
        case .setUserAutoAcceptMemberContacts(let named, let enabled):
            try await setAutoAcceptMemberContacts(enabled, of: named, active: user(userId))
        case .setUserAutoAcceptGroupInvitations(let named, let enabled):
            try await setAutoAcceptGroupInvitations(enabled, of: named, active: user(userId))
        case .userRead(let named): try await readAll(user: user(userId, named: named))
        case .addBadge(let credential): try await addBadge(credential, user: user(userId))
        }
    }
}
