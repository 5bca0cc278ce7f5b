internal import ChatAPI
internal import ChatText

extension DisplayName {
    /// Checks a display name.
    /// - Throws: `invalidDisplayName`, with the valid part of the name.
    static func check(_ name: String) throws(ChatFailure) {
        guard isValid(name) else {
            throw ChatFailure(
                ChatErrorType.invalidDisplayName(displayName: name, validName: stripInvalidCharacters(name))
            )
        }
    }
}
