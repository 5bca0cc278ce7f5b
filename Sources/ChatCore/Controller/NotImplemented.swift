public import ChatAPI

extension ChatError {
    static let notImplementedPrefix = "not implemented: "

    /// The name of the command, when this is the answer to one that this version of the core does not carry out (its room is not built).
    /// Such an answer changed nothing.
    public var notImplementedCommand: String? {
        guard case .error(.commandError(let message)) = self, message.hasPrefix(Self.notImplementedPrefix) else { return nil }
        return String(message.dropFirst(Self.notImplementedPrefix.count))
    }
}
