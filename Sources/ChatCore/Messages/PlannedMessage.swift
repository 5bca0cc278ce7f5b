package import ChatAPI
package import JSON

/// Messages that are sent later, as a scheduled message or as a broadcast. A scheduled message goes to one chat, at a
/// given time or when the chat is connected. A broadcast goes to many chats, at a limited rate.
package struct PlannedMessage: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case scheduled, broadcast
    }

    package let id: Int64
    package let kind: Kind
    /// The id of the API key that has requested the messages. The rights of the key are checked before each sending.
    package let keyId: String
    /// The messages to send; nil after they were sent, cancelled, or refused for the last receiver.
    package var content: PlannedContent?
    /// The maximum number of messages per second.
    package let messagesPerSecond: Int
    /// The time before which nothing is sent; nil to send at once.
    package var sendAt: Timestamp?
    package let createdAt: Timestamp
    /// The time at which the last receiver got the messages, failed or was cancelled; nil while a receiver waits.
    package let finishedAt: Timestamp?
    /// The number of receivers in each state. A state without receivers has no entry.
    package let receiverCounts: [PlannedReceiver.State: Int]
    /// The receiver of a scheduled message; nil for a broadcast.
    package let receiver: PlannedReceiver?

    package var isFinished: Bool { finishedAt != nil }
}

/// The content of messages that are sent later.
package struct PlannedContent: Codable, Sendable, Hashable {
    package var messages: [ComposedMessage]
    /// Seconds after which the messages disappear; nil for the setting of the chat.
    package var ttl: Int64?
    package var sendAsGroup: Bool
    package var sign: Bool

    package init(messages: [ComposedMessage], ttl: Int64? = nil, sendAsGroup: Bool = false, sign: Bool = false) {
        self.messages = messages
        self.ttl = ttl
        self.sendAsGroup = sendAsGroup
        self.sign = sign
    }
}

/// A chat that gets the messages of a broadcast or of scheduled messages, with the result of sending.
package struct PlannedReceiver: Sendable, Hashable {
    package enum State: String, Sendable, Hashable, CaseIterable {
        case waiting, sent, failed, cancelled
    }

    /// The position of the receiver in its broadcast, counted from 1.
    package let receiverNumber: Int64
    /// The chat, or a pending connection that will become a chat.
    package let chat: ChatRef
    package let state: State
    /// The ids of the items that were sent to this receiver.
    package let itemIds: [Int64]
    /// The error as JSON, without names and texts of users; nil without an error.
    package let problem: JSONValue?
    /// The time of the result; nil while the messages wait.
    package let finishedAt: Timestamp?
}

/// A request to send messages later.
package struct PlannedRequest: Sendable {
    /// The chats that get the messages.
    package enum Receivers: Sendable {
        /// The chats with these references. For a scheduled message, a pending connection is also permitted.
        case chats([ChatRef])
        /// The contact with this name or alias.
        case contact(name: String)
        /// All connected contacts.
        case allContacts
        /// The connected contacts and the groups with this tag.
        case tag(Int64)
    }

    package var kind: PlannedMessage.Kind
    package var receivers: Receivers
    package var content: PlannedContent
    package var sendAt: Timestamp?
    /// The maximum number of messages per second.
    package var messagesPerSecond: Int

    package init(
        _ kind: PlannedMessage.Kind,
        to receivers: Receivers,
        _ content: PlannedContent,
        at sendAt: Timestamp? = nil,
        rate: Int = PlannedLimits.defaultMessagesPerSecond
    ) {
        self.kind = kind
        self.receivers = receivers
        self.content = content
        self.sendAt = sendAt
        self.messagesPerSecond = rate
    }
}

/// The client that reads or changes planned messages of a user, which are scheduled messages and broadcasts.
package struct PlannedCaller: Sendable {
    package let userId: Int64
    package let keyId: String
    package let rights: CommandRights
    var fileLimits = PlannedFileLimits()

    package init(userId: Int64, keyId: String, rights: CommandRights) {
        self.userId = userId
        self.keyId = keyId
        self.rights = rights
    }
}

/// The rights of an API key at the time at which a message is sent.
package enum PlannedRights: Sendable {
    case valid(CommandRights)
    /// The key was revoked or has expired.
    case ended
    /// The keys cannot be read now.
    case unknown
}

package enum PlannedLimits {
    /// The maximum number of chats of a broadcast.
    package static let maxReceivers = 10_000
    /// The maximum number of messages to each chat.
    package static let maxMessagesPerChat = 20
    /// The maximum number of bytes of the messages of one request, encoded as JSON.
    package static let maxContentBytes = 65_536
    /// The permitted numbers of messages per second.
    package static let permittedMessagesPerSecond = 1...100
    package static let defaultMessagesPerSecond = 10
    /// The maximum number of seconds until a scheduled message is sent, or a broadcast begins: a year.
    package static let maxDelaySeconds: Int64 = 366 * 86_400
    /// The maximum number of waiting scheduled messages in a store.
    package static let maxScheduledMessages = 1_000
    /// The maximum number of broadcasts in a store that are not finished.
    package static let maxBroadcasts = 20
    /// The maximum numbers of waiting scheduled messages and of unfinished broadcasts of one key without the scope
    /// `admin`. These limits leave room for other keys.
    package static let (maxScheduledPerKey, maxBroadcastsPerKey) = (250, 5)
    /// The number of seconds for which the results of a finished message are kept.
    package static let resultLifetimeSeconds: Int64 = 30 * 86_400
    /// Returns the maximum number of finished messages of a kind whose results a store keeps.
    package static func maxKeptResults(_ kind: PlannedMessage.Kind) -> Int {
        switch kind {
        case .scheduled: 10_000
        case .broadcast: 100
        }
    }
}

/// The maximum numbers and total sizes of the files of messages that are sent later.
struct PlannedFileLimits: Sendable {
    /// The limits of a store.
    var storeLimits: (files: Int64, bytes: Int64) = (1_000, 10 << 30)
    /// The limits of one key without the scope `admin`.
    var keyLimits: (files: Int64, bytes: Int64) = (250, 2 << 30)
}

/// The requested part of a list: up to `limit` entries before or after a given entry.
package struct PlannedListPart: Sendable {
    /// The id of a message, or the number of a receiver, before or after which the part lies. If it is nil, the part is
    /// the beginning of the list, or the end of the list if `isBeforeEntry` is true.
    package let entryId: Int64?
    /// Whether the part contains the entries before the given entry, and not the entries after it.
    package let isBeforeEntry: Bool
    package let limit: Int

    package init(beside place: Int64? = nil, isBeforeEntry: Bool = false, limit: Int) {
        self.entryId = place
        self.isBeforeEntry = isBeforeEntry
        self.limit = limit
    }
}

/// The outcome of a request about a message that is sent later.
package enum PlannedAnswer: Sendable {
    case found(PlannedMessage)
    /// The message does not exist, or the client may not see it.
    case missing
    /// The message was sent, refused or cancelled, and cannot be changed.
    case finished(PlannedMessage)
    /// Another client has changed the message.
    case changedByOther(PlannedMessage)
}

/// The error with which the core refuses a request about messages that are sent later.
package struct PlannedRefusal: Error, Sendable {
    package let error: ChatError
}
