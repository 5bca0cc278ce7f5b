internal import ChatAPI
internal import JSON

extension Console {
    /// The number of newest items to read, to find one by its distance from the newest.
    static func count(upTo index: Int) -> Int { min(max(index, 0), 4999) + 1 }

    /// The original encodes this answer as a list of values, without names.
    static func chatItemId(_ itemId: Int64?, _ user: UserRecord) throws -> ChatResponse {
        .unrecognized([
            "type": "chatItemId",
            "data": [try JSONEncoder().encodeValue(user.api), itemId.map { .integer($0) } ?? .null],
        ])
    }
}
