internal import ChatAPI
internal import JSON

extension ChatRef {
    /// The kind and the id of the chat, as answers of the gateway have them.
    var json: JSONValue { ["chatType": .string(chatType.rawValue), "chatId": .integer(chatId)] }
}
