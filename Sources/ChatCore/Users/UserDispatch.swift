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
            try await setProfile(profile, user: findUser(userId, named: named))
        case .hideUser(let other, let password):
            try await hideUser(other, password: password, active: findUser(userId))
        case .unhideUser(let other, let password):
            try await unhideUser(other, password: password, active: findUser(userId))
        case .muteUser(let other): try await setNotifications(of: other, shown: false, active: findUser(userId))
        case .unmuteUser(let other): try await setNotifications(of: other, shown: true, active: findUser(userId))
        case .setAllContactReceipts(let enable): try await setAllReceipts(enable)
        case .setUserContactReceipts(let named, let settings):
            try await setReceipts(.contacts, settings, of: named, active: findUser(userId))
        case .setUserGroupReceipts(let named, let settings):
            try await setReceipts(.groups, settings, of: named, active: findUser(userId))
        case .setUserAutoAcceptMemberContacts(let named, let enabled):
            try await setAutoAcceptMemberContacts(enabled, of: named, active: findUser(userId))
        case .setUserAutoAcceptGroupInvitations(let named, let enabled):
            try await setAutoAcceptGroupInvitations(enabled, of: named, active: findUser(userId))
        case .userRead(let named): try await markAllItemsRead(user: findUser(userId, named: named))
        case .addBadge(let credential): try await addBadge(credential, user: findUser(userId))
        }
    }
}
