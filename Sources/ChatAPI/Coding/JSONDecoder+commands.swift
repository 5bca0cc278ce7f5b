public import JSON

extension JSONDecoder {
    /// Reads arguments of commands: a value or a tag that is not known is an error here, since nothing could be done with it.
    /// (Content of a message may be of any kind: it is only passed on.)
    public static let forCommands = JSONDecoder(userInfo: refusesUnknown.map { [$0: true] } ?? [:])

    // Optional only because the initializer is, which other platforms need.
    fileprivate static let refusesUnknown = CodingUserInfoKey(rawValue: "refusesUnknown")
}

extension Decoder {
    var refusesUnknown: Bool { JSONDecoder.refusesUnknown.map { userInfo[$0] != nil } ?? false }
}
