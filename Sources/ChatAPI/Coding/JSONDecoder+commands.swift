public import JSON

extension JSONDecoder {
    /// Decodes arguments of commands. Unknown values and tags are errors, since the core could not act on them.
    /// (Message content may be of any kind: it is only passed on.)
    public static let forCommands = JSONDecoder(userInfo: refusesUnknown.map { [$0: true] } ?? [:])

    // Optional only because the initializer of `CodingUserInfoKey` can return nil.
    fileprivate static let refusesUnknown = CodingUserInfoKey(rawValue: "refusesUnknown")
}

extension Decoder {
    var refusesUnknown: Bool { JSONDecoder.refusesUnknown.map { userInfo[$0] != nil } ?? false }
}
