internal import ChatAPI

extension RunningCommand {
    func run(_ command: AddressCommand, as userId: Int64?) async throws -> ChatResponse {
        switch command {
        case .createMyAddress(let named): return try await createAddress(user: findUser(userId, named: named))
        case .deleteMyAddress(let named): return try await deleteAddress(user: findUser(userId, named: named))
        case .showMyAddress(let named): return try await showAddress(user: findUser(userId, named: named))
        case .setProfileAddress(let named, let enable):
            return try await setProfileAddress(enable, user: findUser(userId, named: named))
        case .setAddressSettings(let named, let settings):
            return try await setAddressSettings(settings, user: findUser(userId, named: named))
        case .addMyAddressShortLink(let named):
            return try await addAddressShortLink(user: findUser(userId, named: named))
        case .setUserDomain(let named, let domain):
            return try await setUserDomain(domain, user: findUser(userId, named: named))
        case .verifyContactDomain(let contactId):
            return try await verifyContactDomain(contactId, user: findUser(userId))
        case .verifyGroupDomain(let groupId): return try await verifyGroupDomain(groupId, user: findUser(userId))
        default: throw ChatFailure.notImplemented(command.name.rawValue)
        }
    }
}
