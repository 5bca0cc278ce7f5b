internal import ChatAPI
internal import ChatModel
internal import JSON

/// The JSON document of a profile's state: the general members of the model, `users`, the unread count, and `chats` in
/// their order. `users` and the unread count cover only the users that the reader may see.
struct ProfileDocument: Sendable {
    let model: ChatModel
    /// Whether the reader may see other profiles.
    let showsAllUsers: Bool

    /// Encodes the document with the first chats of its list.
    func encode(chats count: Int, _ encoder: JSONEncoder) throws -> [UInt8] {
        var bytes = try encoder.encode(model.generalState)
        bytes.removeLast()
        bytes += Array(",\"users\":".utf8) + (try encoder.encode(model.visibleUsers(all: showsAllUsers)))
        bytes += Array(",\"totalUnreadCountForAllUsers\":\(model.totalUnreadCount(all: showsAllUsers)),\"chats\":".utf8)
        return bytes + (try encoder.encode(Array(model.chats.prefix(count)))) + Array("}".utf8)
    }

    /// Makes a patch from one state to a later state, with only the operations that are equal for all readers.
    static func makeSharedPatch(
        from old: ChatModel,
        to new: ChatModel,
        _ changes: ModelChanges,
        _ encoder: JSONEncoder
    ) throws -> JSONPatch {
        var patch = JSONPatch()
        if changes.hasGeneralStateChanged {
            patch.appendDifference(
                from: try encoder.encodeValue(old.generalState),
                to: try encoder.encodeValue(new.generalState)
            )
        }
        if changes.hasOrderChanged {
            let chats = Dictionary(new.chats.map { ($0.id, $0) }) { first, _ in first }
            try patch.appendReordering(old.chats.map(\.id), to: new.chats.map(\.id), at: "/chats") { id in
                try chats[id].map { try encoder.encodeValue($0) } ?? .null
            }
        }
        guard !changes.chatIds.isEmpty else { return patch }
        for (index, chat) in new.chats.enumerated() where changes.chatIds.contains(chat.id) {
            guard let before = old.getChat(chat.id), before != chat else { continue }
            patch.appendDifference(
                from: try encoder.encodeValue(before),
                to: try encoder.encodeValue(chat),
                at: "/chats/\(index)"
            )
        }
        return patch
    }

    /// Makes a patch from one state to a later state, with only the operations that depend on the rights of the reader.
    static func makeReaderPatch(
        from old: ChatModel,
        to new: ChatModel,
        allUsers: Bool,
        _ encoder: JSONEncoder
    ) throws -> [JSONPatch.Operation] {
        var patch = JSONPatch()
        let (before, after) = (old.visibleUsers(all: allUsers), new.visibleUsers(all: allUsers))
        if before != after {
            patch.appendDifference(
                from: try encoder.encodeValue(before),
                to: try encoder.encodeValue(after),
                at: "/users"
            )
        }
        let (total, newTotal) = (old.totalUnreadCount(all: allUsers), new.totalUnreadCount(all: allUsers))
        if total != newTotal {
            patch.operations.append(.replace(path: "/totalUnreadCountForAllUsers", .integer(Int64(newTotal))))
        }
        return patch.operations
    }
}

/// Makes the patches of a session's document.
enum SessionPatches {
    static func makePatch(
        from old: SessionModel,
        to new: SessionModel,
        _ encoder: JSONEncoder
    ) throws -> JSONPatch {
        var patch = JSONPatch()
        patch.appendDifference(
            from: try encoder.encodeValue(old.sessionWithoutItems),
            to: try encoder.encodeValue(new.sessionWithoutItems)
        )
        try addItemDifferences(of: old.im, new.im, at: "/im", encoder, &patch)
        if let before = old.secondaryIM, let after = new.secondaryIM {
            try addItemDifferences(of: before, after, at: "/secondaryIM", encoder, &patch)
        } else if let after = new.secondaryIM {
            // The second list is new. The operations above added it without its items, so the whole list is replaced.
            patch.operations.append(.replace(path: "/secondaryIM", try encoder.encodeValue(after)))
        }
        return patch
    }

    private static func addItemDifferences(
        of old: ItemsModel,
        _ new: ItemsModel,
        at path: String,
        _ encoder: JSONEncoder,
        _ patch: inout JSONPatch
    ) throws {
        guard old.reversedChatItems != new.reversedChatItems else { return }
        let place = path + "/reversedChatItems"
        let before = Dictionary(old.reversedChatItems.map { ($0.id, $0) }) { first, _ in first }
        let after = Dictionary(new.reversedChatItems.map { ($0.id, $0) }) { first, _ in first }
        if !new.reversedChatItems.contains(where: { before[$0.id] != nil }) {
            patch.operations.append(.replace(path: place, try encoder.encodeValue(new.reversedChatItems)))
            return
        }
        try patch.appendReordering(old.reversedChatItems.map(\.id), to: new.reversedChatItems.map(\.id), at: place) {
            id in
            try after[id].map { try encoder.encodeValue($0) } ?? .null
        }
        for (index, item) in new.reversedChatItems.enumerated() {
            guard let was = before[item.id], was != item else { continue }
            patch.appendDifference(
                from: try encoder.encodeValue(was),
                to: try encoder.encodeValue(item),
                at: "\(place)/\(index)"
            )
        }
    }
}
