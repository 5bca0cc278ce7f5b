internal import ChatAPI
internal import JSON

/// Removes deleted content from the JSON of events and answers. The JSON keeps the form of the API, so that clients can
/// still decode the events and answers.
///
/// A deleted item keeps its id, its times and its status. Its content becomes `sndDeleted` or `rcvDeleted`, and its
/// text is removed. An event in which all content is deleted becomes `{"type":"redacted"}`.
enum EventRedaction {
    /// The event that replaces an event whose content was deleted completely.
    package static let redactedEvent = Array(#"{"type":"redacted"}"#.utf8)

    /// The types of events that clients still need after the content of their items is removed. Events of all other
    /// types are useless without the content, and are replaced by ``redactedEvent``.
    private static let typesToKeep: Set<String> = [
        "newChatItems", "chatItemsStatusesUpdated", "chatItemUpdated", "chatItemNotChanged", "chatItemsDeleted",
        "receivedContactRequest",
    ]

    /// Returns an event without the content of items. An event that cannot be read is replaced completely, since it
    /// must not prevent the deletion.
    /// - Returns: nil if the event does not contain the items.
    package static func redactItemsInEvent(_ event: [UInt8], withoutItems itemIds: Set<Int64>) -> [UInt8]? {
        guard let before = try? JSONValue(parsing: event, limits: .forOwnText) else { return redactedEvent }
        guard let after = removeItems(itemIds, from: before) else { return nil }
        return typesToKeep.contains(before["type"]?.stringValue ?? "") ? after.encodeText() : redactedEvent
    }

    /// Returns an event without the content of a chat. An event that cannot be read is replaced completely, since it
    /// must not prevent the deletion.
    /// - Returns: nil if the event does not concern the chat.
    package static func redactChatInEvent(_ event: [UInt8], withoutChat chat: String) throws -> [UInt8]? {
        guard let value = try? JSONValue(parsing: event, limits: .forOwnText),
            let decoded = try? JSONDecoder().decode(ChatEvent.self, from: value)
        else {
            return redactedEvent
        }
        let chats = Set(decoded.subjects.map(\.chatText))
        guard chats.contains(chat) else { return nil }
        func itemsOfOtherChats(_ items: [AChatItem]) -> [AChatItem] { items.filter { $0.chatInfo.subjectText != chat } }
        let left: ChatEvent? =
            switch decoded {
            case .newChatItems(let user, let items) where chats.count > 1:
                .newChatItems(user: user, chatItems: itemsOfOtherChats(items))
            case .chatItemsStatusesUpdated(let user, let items) where chats.count > 1:
                .chatItemsStatusesUpdated(user: user, chatItems: itemsOfOtherChats(items))
            default: nil
            }
        return try left.map { try JSONEncoder().encode($0) } ?? redactedEvent
    }

    /// Returns the stored answer of a command without the content of items. A line may precede the JSON of the answer.
    /// - Returns: nil if the answer does not contain the items.
    package static func redactItemsInAnswer(_ answer: [UInt8], withoutItems itemIds: Set<Int64>) -> [UInt8]? {
        guard let start = answer.firstIndex(of: UInt8(ascii: "{")),
            let before = try? JSONValue(parsing: Array(answer[start...]), limits: .forOwnText),
            let after = removeItems(itemIds, from: before)
        else { return nil }
        return Array(answer[..<start]) + after.encodeText()
    }

    private static func removeItems(_ itemIds: Set<Int64>, from value: JSONValue) -> JSONValue? {
        switch value {
        case .array(var elements):
            var isChanged = false
            for (index, element) in elements.enumerated() {
                guard let changed = removeItems(itemIds, from: element) else { continue }
                elements[index] = changed
                isChanged = true
            }
            return isChanged ? .array(elements) : nil
        case .object(var object):
            if let meta = object["meta"]?.objectValue, let itemId = meta["itemId"]?.integerValue,
                object["content"] != nil
            {
                return itemIds.contains(itemId) ? .object(removeContent(object, meta)) : nil
            }
            var isChanged = false
            for (name, member) in object {
                guard let changed = removeItems(itemIds, from: member) else { continue }
                object[name] = changed
                isChanged = true
            }
            return isChanged ? .object(object) : nil
        case .null, .bool, .integer, .real, .string: return nil
        }
    }

    private static func removeContent(_ item: JSONObject, _ itemMeta: JSONObject) -> JSONObject {
        var (item, meta) = (item, itemMeta)
        let isSent = item["chatDir"]?["type"]?.stringValue?.hasSuffix("Snd") ?? false
        item["content"] = ["type": .string(isSent ? "sndDeleted" : "rcvDeleted"), "deleteMode": "internal"]
        for name in ["formattedText", "quotedItem", "file"] { item[name] = nil }
        item["mentions"] = [:]
        item["reactions"] = []
        meta["itemText"] = ""
        meta["itemForwarded"] = nil
        meta["hasLink"] = false
        item["meta"] = .object(meta)
        return item
    }
}
