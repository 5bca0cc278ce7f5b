internal import JSON

/// An error inside the core. The client that sent the command gets the `ChatError` of this error.
package struct ChatFailure: Error, CustomStringConvertible {
    package let error: ChatError

    package init(_ error: ChatError) {
        self.error = error
    }

    package init(_ type: ChatErrorType) {
        error = .error(errorType: type)
    }

    package init(_ store: StoreError) {
        error = .errorStore(storeError: store)
    }

    /// The names of the error's cases, from the outer to the inner case, as text for the log. The details of the error
    /// are left out. They may contain names or links, which must not be logged.
    package var description: String {
        var kinds: [String] = []
        var next = try? JSONEncoder().encodeValue(error)
        while let kind = next?["type"]?.stringValue, kinds.count < 6 {
            kinds.append(kind)
            next = next?.objectValue?.first { $0.0.lowercased().contains("err") && $0.1["type"] != nil }?.1
        }
        return kinds.joined(separator: " ")
    }

    /// The text of the error for the client. This text must not be logged.
    package var messageText: String {
        if case .error(errorType: .exception(let message)) = error { message } else { description }
    }

    /// Makes the error of a command that cannot be executed.
    /// - Parameter message: the reason.
    package static func commandError(_ message: String) -> ChatFailure {
        ChatFailure(ChatErrorType.commandError(message: message))
    }

    /// Makes the error of a command that is not implemented.
    /// - Parameter name: the name of the command, and of its part that is not implemented.
    package static func notImplemented(_ name: String) -> ChatFailure {
        ChatFailure(ChatErrorType.notImplemented(command: name))
    }
}

extension ChatError {
    /// Makes a chat error from an agent error, without data about the connection in which the error occurred.
    package static func agentError(_ error: AgentErrorType) -> ChatError {
        .errorAgent(agentError: error, agentConnId: "", connectionEntity_: nil)
    }
}
