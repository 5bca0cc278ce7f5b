extension ChatError {
    /// The name of the command if the error means that a command is not implemented; nil for other errors. A command
    /// that is not implemented has changed nothing.
    package var notImplementedCommand: String? {
        if case .error(.notImplemented(let command)) = self { command } else { nil }
    }
}
