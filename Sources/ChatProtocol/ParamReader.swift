internal import JSON

/// Reader of the members of one JSON object in a chat message. Every error contains the name of the member.
struct ParamReader {
    let values: JSONObject
    let path: String

    init(_ value: JSONValue, in path: String) throws(ChatProtocolError) {
        guard let values = value.objectValue else { throw .invalidMessage(reason: "\(path): not an object") }
        self.init(values, in: path)
    }

    init(_ values: JSONObject, in path: String) {
        self.values = values
        self.path = path
    }

    func readValue(_ key: String) throws(ChatProtocolError) -> JSONValue {
        guard let value = readOptionalValue(key) else { throw .invalidMessage(reason: "\(path).\(key): missing") }
        return value
    }

    /// Returns the member with this name; nil if it is absent or null.
    func readOptionalValue(_ key: String) -> JSONValue? {
        guard let value = values[key], !value.isNull else { return Optional.none }
        return value
    }

    func readString(_ key: String) throws(ChatProtocolError) -> String {
        guard let text = try readValue(key).stringValue else {
            throw .invalidMessage(reason: "\(path).\(key): not a string")
        }
        return text
    }

    func readOptionalString(_ key: String) throws(ChatProtocolError) -> String? {
        readOptionalValue(key) == nil ? nil : try readString(key)
    }

    func readObject(_ key: String) throws(ChatProtocolError) -> JSONObject {
        guard let object = try readValue(key).objectValue else {
            throw .invalidMessage(reason: "\(path).\(key): not an object")
        }
        return object
    }

    func readOptionalObject(_ key: String) throws(ChatProtocolError) -> JSONObject? {
        readOptionalValue(key) == nil ? nil : try readObject(key)
    }

    func readBool(_ key: String) throws(ChatProtocolError) -> Bool {
        guard let flag = try readValue(key).boolValue else {
            throw .invalidMessage(reason: "\(path).\(key): not a bool")
        }
        return flag
    }

    func readOptionalBool(_ key: String) throws(ChatProtocolError) -> Bool? {
        readOptionalValue(key) == nil ? nil : try readBool(key)
    }

    func readOptionalInteger(_ key: String) throws(ChatProtocolError) -> Int64? {
        guard let value = readOptionalValue(key) else { return nil }
        guard let number = value.integerValue else { throw .invalidMessage(reason: "\(path).\(key): not an integer") }
        return number
    }

    func readSharedID(_ key: String) throws(ChatProtocolError) -> SharedMessageID {
        guard let id = SharedMessageID(parsing: try readString(key)) else {
            throw .invalidMessage(reason: "\(path).\(key): not base64url")
        }
        return id
    }

    func readOptionalSharedID(_ key: String) throws(ChatProtocolError) -> SharedMessageID? {
        readOptionalValue(key) == nil ? nil : try readSharedID(key)
    }

    /// Reads an object with a `type`: the content of a message, a reaction, or a scope. The object is kept unchanged,
    /// even if its type is unknown.
    func readTaggedObject(_ key: String) throws(ChatProtocolError) -> JSONValue {
        let value = try readValue(key)
        guard value["type"]?.stringValue != nil else { throw .invalidMessage(reason: "\(path).\(key): no type") }
        return value
    }

    func readOptionalTaggedObject(_ key: String) throws(ChatProtocolError) -> JSONValue? {
        // This function must not use a conditional expression: Swift would read the `nil` in it as the null of JSON.
        guard readOptionalValue(key) != nil else { return Optional.none }
        return try readTaggedObject(key)
    }
}
