internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

extension ChatMessageEvent {
    /// Whether this program handles the event completely.
    var isFullyHandled: Bool {
        switch self {
        case .messageNew, .messageUpdate, .messageDelete, .messageReact, .info, .directDelete, .infoProbe,
            .infoProbeCheck, .group, .call, .fileDescription, .fileCancel, .relay:
            true
        case .contact, .ok, .infoProbeOk, .other: false
        }
    }
}

/// The elements of one agent message (chat messages and chunks of files) that were not handled. All these elements are
/// stored in one row. One event reports all errors.
final class UnhandledElements {
    private(set) var elements: [MessageElement] = []
    /// The tag of the event in the first unhandled element: `F` for a chunk of a file, and empty for an element that
    /// cannot be read.
    private(set) var firstEventName = ""
    private var firstError: (message: String, isMessageError: Bool)?
    /// The number of recorded errors.
    private(set) var errorCount = 0

    func add(_ element: MessageElement, event: String) {
        if elements.isEmpty { self.firstEventName = event }
        elements.append(element)
    }

    /// Records an error in the agent message. Only the first error is reported with its text.
    /// - Parameter isMessageError: whether the sender may not send this message; false if the message cannot be read or
    ///   handled.
    func recordError(_ message: String, isMessageError: Bool = false) {
        errorCount += 1
        if firstError == nil { firstError = (message, isMessageError) }
    }

    /// Returns the event that reports the first error and the number of the other errors; nil if there are no errors.
    func errorEvent(_ user: UserRecord) -> ChatEvent? {
        guard let (first, isMessageError) = firstError else { return nil }
        let message = errorCount == 1 ? first : "\(first) (and \(errorCount - 1) more errors in the same message)"
        return isMessageError
            ? .messageError(user: user.api, severity: "error", errorMessage: message)
            : .chatError(chatError: .error(errorType: .exception(message: message)))
    }
}

extension MessageReceiver {
    /// Stores the unhandled elements of a message, and reports its errors.
    func storeUnhandled(_ unhandled: UnhandledElements, of parsed: ParsedMessage) throws {
        if let first = unhandled.elements.first {
            // The content of handled elements is stored only in their chat items. So the whole body of the agent
            // message is stored only if no element was handled.
            let isWhole = unhandled.elements.count == parsed.elements.count
            let body =
                isWhole
                ? parsed.body
                : unhandled.elements.count == 1 ? first.bytes : UnhandledMessages.encodeBatch(of: unhandled.elements)
            try UnhandledMessages.store(body, event: unhandled.firstEventName, connection, tx)
        }
        if let event = unhandled.errorEvent(user) { try tx.emit(event, user: user.userId) }
    }
}

/// Storage of received messages that were not handled, in their original form. These are messages of unknown or
/// unsupported kinds, and messages with errors. The content of handled messages is stored only in items, profiles and
/// settings, and is deleted together with them.
enum UnhandledMessages {
    /// Limits of the stored messages. One limit is the number of messages of each connection. The other limits are the
    /// number, size and age of all messages. The oldest messages are deleted first.
    struct Limits {
        var maxMessagesPerConnection = 256
        var maxMessages = 10_000
        var maxBytes: Int64 = 64 << 20
        var maxAgeSeconds: Int64 = 90 * 86_400
    }

    /// The number of new messages after which the program enforces the limits for all connections together.
    private static let messagesPerTrim: Int64 = 64

    /// Encodes elements as a batch, in which each element follows its length (``MessageElements``).
    static func encodeBatch(of elements: [MessageElement]) -> [UInt8] {
        BinaryBatch.encodeElements(elements.map(\.bytes))
    }

    static func store(
        _ body: [UInt8],
        event: String,
        _ connection: ConnectionRecord,
        limits: Limits = Limits(),
        _ tx: Transaction
    ) throws {
        try tx.db.insert(
            into: "messages",
            [
                "connection_id": connection.connectionId, "chat_msg_event": event, "msg_body": body,
                "created_at": tx.now.nanoseconds,
            ]
        )
        let number = tx.db.lastInsertRowID
        try tx.db.execute(
            """
            DELETE FROM messages WHERE connection_id = :connection_id AND message_id <= (
              SELECT message_id FROM messages
              WHERE connection_id = :connection_id ORDER BY message_id DESC LIMIT 1 OFFSET :offset)
            """,
            ["connection_id": connection.connectionId, "offset": limits.maxMessagesPerConnection]
        )
        if number % messagesPerTrim == 0 { try deleteBeyondLimits(to: limits, tx) }
    }

    static func deleteBeyondLimits(to limits: Limits = Limits(), _ tx: Transaction) throws {
        try tx.db.execute(
            "DELETE FROM messages WHERE created_at < ?",
            [tx.now.adding(seconds: -limits.maxAgeSeconds).nanoseconds]
        )
        var (messages, bytes): (Int, Int64) = (0, 0)
        for row in try tx.db.query("SELECT message_id, length(msg_body) AS size FROM messages ORDER BY message_id DESC")
        {
            messages += 1
            bytes += try row.readCount("size")
            guard messages > limits.maxMessages || bytes > limits.maxBytes else { continue }
            try tx.db.execute("DELETE FROM messages WHERE message_id <= ?", [try row.int64("message_id")])
            return
        }
    }
}
