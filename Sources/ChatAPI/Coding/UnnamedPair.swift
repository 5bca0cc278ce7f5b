/// Two values that the core encodes as a JSON array of two elements, instead of an object with named members.
struct UnnamedPair<First: Codable, Second: Codable>: Codable {
    let first: First
    let second: Second

    init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        first = try list.decode(First.self)
        second = try list.decode(Second.self)
    }

    func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(first)
        try list.encode(second)
    }
}
