internal import ChatAPI
internal import JSON

extension ChatRef {
    /// The kind and the id of the chat, in the form of the gateway's answers.
    var json: JSONValue { ["chatType": .string(chatType.rawValue), "chatId": .integer(chatId)] }
}
