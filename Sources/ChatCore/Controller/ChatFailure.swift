internal import ChatAPI

/// An error inside the core. The caller of the command gets the `ChatError` in it.
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

    /// - Parameter name: the name of the command, and which part of it is not implemented.
    static func notImplemented(_ name: String) -> ChatFailure {
        ChatFailure(ChatErrorType.notImplemented(command: name))
    }
}
