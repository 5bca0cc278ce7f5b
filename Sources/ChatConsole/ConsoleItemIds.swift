internal import ChatAPI
internal import JSON

extension Console {
    /// The number of newest items to read so that the item at `index` is among them. The newest item has the index 0.
    static func itemCount(upTo index: Int) -> Int { min(max(index, 0), 4999) + 1 }

    /// The answer with the id of an item. The original encodes this answer as a list of values without names.
    static func makeItemIdResponse(_ itemId: Int64?, _ user: Engine.User) throws -> ChatResponse {
        .unrecognized([
            "type": "chatItemId",
            "data": [try JSONEncoder().encodeValue(user.api), itemId.map { .integer($0) } ?? .null],
        ])
    }
}
