import JSON

/// The common identity of an event in two runs: its type, and the part of its content that the runs share.
enum EventSignature {
    /// Lists whose elements can arrive in one event or in several events.
    private static let listMembers: Set = [
        "chatItems", "chatItemDeletions", "agentConnIds", "deletedRcvQueues", "connections",
    ]

    /// Whether the event reports the progress of a file. Its frequency depends on the speed of the run.
    static func isProgress(_ type: String?) -> Bool { type == "rcvFileProgressXFTP" || type == "sndFileProgressXFTP" }

    /// Returns one event for each element in the list of an event.
    static func splitByElement(_ event: JSONValue) -> [JSONValue] {
        guard let object = event.objectValue, let list = object.keys.first(where: listMembers.contains),
            let elements = event[list]?.arrayValue,
            elements.count > 1
        else { return [event] }
        return elements.map { element in
            var one = object
            one[list] = [element]
            return .object(one)
        }
    }

    static func signature(_ event: JSONValue) -> String {
        let type = event["type"]?.stringValue ?? "?"
        var words = [type]
        if let item = event["chatItems"]?[0] {
            if type == "chatItemsStatusesUpdated" {
                words.append(changingItemKind(item["chatItem"]) ?? elementLabel(of: item))
                words.append(item["chatItem"]?["meta"]?["itemStatus"]?["type"]?.stringValue ?? "?")
            } else {
                words.append(elementLabel(of: item))
            }
        }
        if let item = event["chatItem"] { words.append(elementLabel(of: item)) }
        if let deletion = event["chatItemDeletions"]?[0] {
            words.append(deletion["deletedChatItem"].map(elementLabel) ?? "")
            if deletion["toChatItem"] != nil { words.append("marked") }
        }
        if let reaction = event["reaction"] {
            words += [event["added"] == true ? "on" : "off", reaction["chatReaction"]?["reaction"]?.text ?? ""]
        }
        if let contact = event["contact"] ?? event["toContact"] { words.append(elementLabel(of: contact)) }
        if let group = event["groupInfo"] ?? event["toGroup"] { words.append("#" + elementLabel(of: group)) }
        words += groupMembers(of: event).map(elementLabel)
        words += ["fromRole", "toRole"].compactMap { event[$0]?.stringValue }
        if let request = event["contactRequest"] { words.append(elementLabel(of: request)) }
        if let status = event["subscriptionStatus"]?["type"]?.stringValue { words.append(status) }
        if let error = event["chatError"] { words.append(errorTags(of: error)) }
        for error in event["chatErrors"]?.arrayValue ?? [] { words.append(errorTags(of: error)) }
        return words.joined(separator: " ")
    }

    /// Returns the kind of an item whose text changes by itself; nil for other items. A status event of such an item
    /// can precede or follow a change of the text.
    private static func changingItemKind(_ item: JSONValue?) -> String? {
        if item?["meta"]?["itemLive"] == true { return "live message" }
        return item?["content"]?["type"] == "sndCall" ? "call" : nil
    }

    /// Returns the name of the sequence to which an event belongs. The events of one sequence have the same order in
    /// each run. Returns nil for an event that can be at any position.
    static func sequenceName(of event: JSONValue) -> String? {
        switch event["type"]?.stringValue {
        case "newChatItems", "chatItemUpdated", "chatItemReaction", "contactConnecting", "contactConnected",
            "contactDeletedByContact":
            // The position of the user's own items about a new connection is known, because they are emitted when they
            // are created.
            let chat =
                event["chatItems"]?[0]?["chatInfo"] ?? event["chatItem"]?["chatInfo"] ?? event["reaction"]?["chatInfo"]
            if let group = chat?["groupInfo"] {
                // Messages of one member arrive in their order. Messages of several members arrive in any order.
                let item =
                    event["chatItems"]?[0]?["chatItem"] ?? event["chatItem"]?["chatItem"]
                    ?? event["reaction"]?["chatReaction"]
                return "#\(elementLabel(of: group)) \(item?["chatDir"]?["groupMember"].map(elementLabel) ?? "")"
            }
            let contact = chat?["contact"] ?? event["contact"]
            return contact?["localDisplayName"]?.stringValue
        case "chatItemsStatusesUpdated": return "status of " + (event["chatItems"]?[0].map(elementLabel) ?? "")
        default:
            guard let group = event["groupInfo"] ?? event["toGroup"], let member = groupMembers(of: event).first else {
                return nil
            }
            return "#\(elementLabel(of: group)) \(elementLabel(of: member))"
        }
    }

    /// Members of a group in an event: the acting one and the affected one.
    private static func groupMembers(of event: JSONValue) -> [JSONValue] {
        (event.objectValue?.keys ?? []).sorted().compactMap { event[$0] }.filter { $0["groupMemberId"] != nil }
    }

    /// Returns the text that distinguishes an element of a list.
    static func elementLabel(of value: JSONValue) -> String {
        if let item = value["chatItem"], item["chatItem"] == nil { return elementLabel(of: item) }
        if let direction = value["chatDir"]?["type"]?.stringValue {
            let content = value["content"]
            let kind = content?["msgContent"]?["type"] ?? content?["type"]
            let author = value["chatDir"]?["groupMember"].map { " " + elementLabel(of: $0) } ?? ""
            // The duration of a call differs in each run.
            let isCall = kind == "sndCall" || kind == "rcvCall"
            let whole = value["meta"]?["itemText"]?.stringValue ?? ""
            let text = String((isCall ? whole.replacing(/\([0-9:]+\)/, with: "") : whole).prefix(40))
            // A file without text is identified by its number, since the recordings send the same file more than once.
            let file = text.isEmpty ? value["file"]?["fileId"]?.integerValue.map { " file \($0)" } ?? "" : ""
            return "\(direction)\(author) \(kind?.stringValue ?? "") «\(text)»\(file)"
        }
        if let chat = value["chatInfo"] {
            return
                "\(chat["type"]?.stringValue ?? "") \((chat["contact"] ?? chat["groupInfo"])?["localDisplayName"]?.stringValue ?? "")"
        }
        // A member without a known name gets the beginning of the member id as its name, which differs in each run.
        if let id = value["memberId"]?.stringValue, let name = value["localDisplayName"]?.stringValue,
            name.utf8.count == 7, id.hasPrefix(name)
        {
            return "(an id)"
        }
        if let name = value["localDisplayName"] ?? value["displayName"] ?? value["user"]?["localDisplayName"] {
            return name.stringValue ?? ""
        }
        if let text = value["chatTagText"] { return text.stringValue ?? "" }
        return value["type"]?.stringValue ?? ""
    }

    /// Returns the tags of an error, from the outermost inwards.
    static func errorTags(of error: JSONValue) -> String {
        let type = error["type"]?.stringValue ?? "?"
        let inner = (error.objectValue?.keys ?? []).compactMap { key in
            error[key].flatMap { $0["type"] == nil || key == "contact" ? nil : errorTags(of: $0) }
        }
        return ([type] + inner).joined(separator: " ")
    }
}
