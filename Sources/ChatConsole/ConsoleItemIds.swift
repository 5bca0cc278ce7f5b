internal import ChatAPI
internal import JSON

extension Console {
    /// Returns the number of newest items that must be read to include the item at `index`, but at most 5000. The
    /// newest item has the index 0.
    static func itemCount(upTo index: Int) -> Int { min(max(index, 0), 4999) + 1 }

    /// Makes the response with the id of an item. The original encodes this response as a list of values without names.
    static func makeItemIdResponse(_ itemId: Int64?, _ user: Engine.User) throws -> ChatResponse {
        .unrecognized([
            "type": "chatItemId",
            "data": [try JSONEncoder().encodeValue(user.api), itemId.map { .integer($0) } ?? .null],
        ])
    }
}
