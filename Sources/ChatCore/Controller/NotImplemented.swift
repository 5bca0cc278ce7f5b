public import ChatAPI

extension ChatError {
    /// The name of the command, when this is the answer to one that this version of the core does not carry out (its room is not built).
    /// Such an answer changed nothing.
    public var notImplementedCommand: String? {
        if case .error(.notImplemented(let command)) = self { command } else { nil }
    }
}
