package import JSON

extension JSONDecoder {
    /// Decoder for arguments of commands. Unknown values and tags are errors, since the core could not execute the
    /// command. Message content of an unknown type is permitted, since the core only forwards it.
    package static let forCommands = JSONDecoder(userInfo: refusesUnknownKey.map { [$0: true] } ?? [:])

    // The key is optional, because the initializer of `CodingUserInfoKey` can return nil.
    fileprivate static let refusesUnknownKey = CodingUserInfoKey(rawValue: "refusesUnknown")
}

extension Decoder {
    var refusesUnknownValues: Bool { JSONDecoder.refusesUnknownKey.map { userInfo[$0] != nil } ?? false }
}
