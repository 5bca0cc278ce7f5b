internal import ChatAPI

/// How a command fails inside the core: thrown by its rooms, told to the caller as the `ChatError` that it holds.
struct ChatFailure: Error {
    let error: ChatError

    init(_ error: ChatError) {
        self.error = error
    }

    init(_ type: ChatErrorType) {
        error = .error(errorType: type)
    }

    init(_ store: StoreError) {
        error = .errorStore(storeError: store)
    }

    /// A command that cannot be done as it was put, in words.
    static func command(_ message: String) -> ChatFailure {
        ChatFailure(ChatErrorType.commandError(message: message))
    }

    /// - Parameter name: that of the command, and what of it is not there.
    static func notImplemented(_ name: String) -> ChatFailure {
        ChatFailure(ChatErrorType.notImplemented(command: name))
    }
}
