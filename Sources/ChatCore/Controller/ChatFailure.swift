internal import ChatAPI
internal import JSON

/// An error inside the core. The caller of the command gets the `ChatError` in it.
struct ChatFailure: Error, CustomStringConvertible {
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

    /// Which kinds of error it is, and nothing of what it is about: that may be a name or a link, and descriptions go into the log.
    var description: String {
        var kinds: [String] = []
        var next = try? JSONEncoder().encodeValue(error)
        while let kind = next?["type"]?.stringValue, kinds.count < 6 {
            kinds.append(kind)
            next = next?.objectValue?.first { $0.0.lowercased().contains("err") && $0.1["type"] != nil }?.1
        }
        return kinds.joined(separator: " ")
    }

    /// What is wrong, for those whose error it is, and not for the log.
    var words: String {
        if case .error(errorType: .exception(let message)) = error { message } else { description }
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
