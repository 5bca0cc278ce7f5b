extension ChatError {
    /// The name of the command, if this is the error of a command that is not implemented. Such a command has changed
    /// nothing.
    package var notImplementedCommand: String? {
        if case .error(.notImplemented(let command)) = self { command } else { nil }
    }
}
