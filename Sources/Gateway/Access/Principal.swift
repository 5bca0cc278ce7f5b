public import ChatCore

/// One secret of a key. A rotated key has two valid secrets for a while.
struct Credential: Hashable, Sendable {
    let keyID: String
    /// The beginning of the secret's hash.
    let mark: [UInt8]

    init(keyID: String, hash: [UInt8]) {
        self.keyID = keyID
        mark = Array(hash.prefix(8))
    }
}

/// The key that authorized a request, with its scopes, profile and store.
public struct Principal: Sendable, Hashable {
    public let keyID: String
    public let scopes: Scopes
    /// The only profile that the key may see; `nil` for all.
    public let userId: Int64?
    /// The only store that the key opens; `nil` for the first one.
    public let store: String?
    /// The only chats that the key can reach; nil for all.
    public let chats: Set<KeyChat>?
    /// The only phone that the key can reach, and nothing else; nil for a key of this gateway.
    public let remoteHostId: Int64?
    /// The secret that authorized the request; nil when no key was required.
    let credential: Credential?
    /// Whether the key can do nothing but be claimed. Another person who has the secret of the link must not be able to
    /// make anything that lasts.
    let isClaim: Bool

    init(
        keyID: String,
        scopes: Scopes,
        userId: Int64?,
        store: String? = nil,
        chats: Set<KeyChat>? = nil,
        remoteHostId: Int64? = nil,
        credential: Credential? = nil,
        isClaim: Bool = false
    ) {
        self.isClaim = isClaim
        self.keyID = keyID
        self.chats = chats
        self.remoteHostId = remoteHostId
        self.credential = credential
        self.scopes = scopes
        self.userId = userId
        self.store = store
    }

    /// The core's rights of this key. A key that manages stores owns the machine, so its commands may name files
    /// anywhere: the data folder contains the files of all stores.
    var rights: CommandRights {
        let isOfMachine =
            store == nil && userId == nil && chats == nil && remoteHostId == nil
            && scopes.isSuperset(of: [.admin, .stores])
        return CommandRights(
            scopes: scopes,
            userId: userId,
            chats: chats.map { Set($0.map(\.reference)) },
            paths: isOfMachine ? .anywhere : .ownFolders
        )
    }
}

extension KeyChat {
    fileprivate var reference: CommandRights.Chat {
        switch type {
        case "group": .group(id)
        case "local": .notes(id)
        default: .contact(id)
        }
    }
}

extension Principal {
    /// Whether the key reaches a phone of its store. A phone belongs to the whole store.
    func reaches(_ phone: Int64) -> Bool {
        userId == nil && chats == nil && (remoteHostId.map { $0 == phone } ?? scopes.contains(.admin))
    }

    /// Whether this key has all the rights of another one. A key must not make or replace a key with more rights.
    func covers(_ scopes: Scopes, userId: Int64?, chats: Set<KeyChat>?) -> Bool {
        guard self.scopes.allows(scopes), self.userId == nil || self.userId == userId else { return false }
        guard let own = self.chats else { return true }
        return chats.map { $0.isSubset(of: own) } ?? false
    }
}
