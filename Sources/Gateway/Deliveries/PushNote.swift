internal import ChatCore
internal import JSON

/// The contents of a notification about an event.
struct PushNote: Sendable, Hashable {
    enum Urgency: String { case normal, high }

    let type: String
    let chat: EventChat?
    /// The id of the message that the client shows when it opens the chat.
    let itemId: Int64?
    let isMention: Bool
    let urgency: Urgency
    /// The name of the contact, contact request or group.
    let title: String
    let text: String

    /// Types of events that cause notifications.
    static let notifyingTypes: Set<String> = [
        "newChatItems", "receivedContactRequest", "receivedGroupInvitation", "callInvitation",
    ]

    /// Makes the notification for an event.
    /// - Returns: nil for an event without a notification: for sent messages, and for muted chats or profiles.
    init?(_ event: JSONValue) {
        guard let type = event["type"]?.stringValue else { return nil }
        let call = event["callInvitation"]
        guard (event["user"] ?? call?["user"])?["showNtfs"] != false else { return nil }
        switch type {
        case "newChatItems":
            let items = event["chatItems"]?.arrayValue ?? []
            let notes = items.compactMap { PushNote(item: $0) }
            guard let best = notes.first(where: \.isMention) ?? notes.last else { return nil }
            self = best
        case "receivedContactRequest":
            let request = event["contactRequest"]
            self.init(
                type: type,
                chat: request?["contactRequestId"]?.integerValue.map { EventChat(.contactRequest, $0) },
                isMention: false,
                urgency: .normal,
                title: request?["localDisplayName"]?.stringValue ?? "",
                text: "wants to connect"
            )
        case "receivedGroupInvitation":
            let group = event["groupInfo"]
            self.init(
                type: type,
                chat: group?["groupId"]?.integerValue.map { EventChat(.group, $0) },
                isMention: false,
                urgency: .normal,
                title: event["contact"]?["localDisplayName"]?.stringValue ?? "",
                text: "invites to \(group?["localDisplayName"]?.stringValue ?? "a group")"
            )
        case "callInvitation":
            let contact = call?["contact"]
            guard contact?["chatSettings"]?["enableNtfs"] != "none" else { return nil }
            self.init(
                type: type,
                chat: contact?["contactId"]?.integerValue.map { EventChat(.direct, $0) },
                isMention: false,
                urgency: .high,
                title: contact?["localDisplayName"]?.stringValue ?? "",
                text: "calls"
            )
        default: return nil
        }
    }

    private init?(item: JSONValue) {
        // Only an unread item causes a notification. An item that needs no notification arrives as read. Calls and
        // invitations to groups cause notifications by their own events, so their chat items cause no notifications.
        guard let info = item["chatInfo"], let chatItem = item["chatItem"],
            chatItem["meta"]?["itemStatus"]?["type"] == "rcvNew",
            chatItem["meta"]?["itemDeleted"] == nil,
            !["rcvCall", "rcvGroupInvitation"].contains(chatItem["content"]?["type"]?.stringValue ?? "")
        else { return nil }
        let isMention = chatItem["meta"]?["userMention"] == true
        let (contact, group) = (info["contact"], info["groupInfo"])
        switch (contact ?? group)?["chatSettings"]?["enableNtfs"]?.stringValue {
        case "none": return nil
        case "mentions" where !isMention: return nil
        default: break
        }
        let chat =
            contact?["contactId"]?.integerValue.map { EventChat(.direct, $0) }
            ?? group?["groupId"]?.integerValue.map { EventChat(.group, $0) }
        let name = (contact ?? group)?["localDisplayName"]?.stringValue ?? ""
        let member = chatItem["chatDir"]?["groupMember"]?["localDisplayName"]?.stringValue
        let text = chatItem["meta"]?["itemText"]?.stringValue ?? ""
        self.init(
            type: "newChatItems",
            chat: chat,
            itemId: chatItem["meta"]?["itemId"]?.integerValue,
            isMention: isMention,
            urgency: isMention || contact != nil ? .high : .normal,
            title: name,
            text: member.map { "\($0): \(text)" } ?? text
        )
    }

    private init(
        type: String,
        chat: EventChat?,
        itemId: Int64? = nil,
        isMention: Bool,
        urgency: Urgency,
        title: String,
        text: String
    ) {
        self.type = type
        self.chat = chat
        self.itemId = itemId
        self.isMention = isMention
        self.urgency = urgency
        self.title = title
        self.text = text
    }
}
