package import ChatCore

/// One secret of a key. A rotated key has two valid secrets for some time.
struct Credential: Hashable, Sendable {
    let keyID: String
    /// The first bytes of the secret's hash.
    let hashPrefix: [UInt8]

    init(keyID: String, hash: [UInt8]) {
        self.keyID = keyID
        hashPrefix = Array(hash.prefix(8))
    }
}

/// The key that authorized a request, with its scopes, profile and store.
package struct Principal: Sendable, Hashable {
    package let keyID: String
    package let scopes: Scopes
    /// The only profile that the key may see; `nil` for all profiles.
    package let userId: Int64?
    /// The store of the key; `nil` for the first store.
    package let storeID: String?
    /// The only chats that the key can access; nil for all chats.
    package let chats: Set<KeyChat>?
    /// The id of the connected phone to which the key is bound. Such a key can access only the data of this phone. Nil
    /// for a key that can access the data of the store itself.
    package let remoteHostId: Int64?
    /// The secret that has authorized the request; nil when no key was required.
    let credential: Credential?
    /// Whether the secret permits only two things: the claim of the key, which exchanges the secret for a lasting one,
    /// and reading facts about the key. The secret was sent in a link that other people may have seen.
    let isClaimOnly: Bool

    init(
        keyID: String,
        scopes: Scopes,
        userId: Int64?,
        store: String? = nil,
        chats: Set<KeyChat>? = nil,
        remoteHostId: Int64? = nil,
        credential: Credential? = nil,
        isClaimOnly: Bool = false
    ) {
        self.isClaimOnly = isClaimOnly
        self.keyID = keyID
        self.chats = chats
        self.remoteHostId = remoteHostId
        self.credential = credential
        self.scopes = scopes
        self.userId = userId
        self.storeID = store
    }

    /// The rights of this key in the core. A key that manages stores can access the files of all stores in any case. So
    /// the commands of this key may name any file on the machine.
    var commandRights: CommandRights {
        let isOfMachine =
            storeID == nil && userId == nil && chats == nil && remoteHostId == nil
            && scopes.isSuperset(of: [.admin, .stores])
        return CommandRights(
            scopes: scopes,
            userId: userId,
            chats: chats.map { Set($0.map(\.commandRightsChat)) },
            paths: isOfMachine ? .anywhere : .ownFolders
        )
    }
}

extension KeyChat {
    fileprivate var commandRightsChat: CommandRights.Chat {
        switch type {
        case "group": .group(id)
        case "local": .notes(id)
        default: .contact(id)
        }
    }
}

extension Principal {
    /// Whether the key can access a phone that is connected to its store. A key that is limited to one profile or to
    /// chats cannot access a phone, since a phone belongs to the whole store.
    func canAccessPhone(_ phone: Int64) -> Bool {
        userId == nil && chats == nil && (remoteHostId.map { $0 == phone } ?? scopes.contains(.admin))
    }

    /// Whether this key has at least the given rights. A key must not make or replace a key with more rights than its
    /// own.
    func canGrant(_ scopes: Scopes, userId: Int64?, chats: Set<KeyChat>?) -> Bool {
        guard self.scopes.allows(scopes), self.userId == nil || self.userId == userId else { return false }
        guard let own = self.chats else { return true }
        return chats.map { $0.isSubset(of: own) } ?? false
    }
}
