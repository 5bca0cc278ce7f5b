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

    func value(_ key: String) throws(ChatProtocolError) -> JSONValue {
        guard let value = optionalValue(key) else { throw .invalidMessage(reason: "\(path).\(key): missing") }
        return value
    }

    /// Returns the member with this name; nil if it is absent or null.
    func optionalValue(_ key: String) -> JSONValue? {
        guard let value = values[key], !value.isNull else { return Optional.none }
        return value
    }

    func string(_ key: String) throws(ChatProtocolError) -> String {
        guard let text = try value(key).stringValue else {
            throw .invalidMessage(reason: "\(path).\(key): not a string")
        }
        return text
    }

    func optionalString(_ key: String) throws(ChatProtocolError) -> String? {
        optionalValue(key) == nil ? nil : try string(key)
    }

    func object(_ key: String) throws(ChatProtocolError) -> JSONObject {
        guard let object = try value(key).objectValue else {
            throw .invalidMessage(reason: "\(path).\(key): not an object")
        }
        return object
    }

    func optionalObject(_ key: String) throws(ChatProtocolError) -> JSONObject? {
        optionalValue(key) == nil ? nil : try object(key)
    }

    func bool(_ key: String) throws(ChatProtocolError) -> Bool {
        guard let flag = try value(key).boolValue else { throw .invalidMessage(reason: "\(path).\(key): not a bool") }
        return flag
    }

    func optionalBool(_ key: String) throws(ChatProtocolError) -> Bool? {
        optionalValue(key) == nil ? nil : try bool(key)
    }

    func optionalInteger(_ key: String) throws(ChatProtocolError) -> Int64? {
        guard let value = optionalValue(key) else { return nil }
        guard let number = value.integerValue else { throw .invalidMessage(reason: "\(path).\(key): not an integer") }
        return number
    }

    func sharedID(_ key: String) throws(ChatProtocolError) -> SharedMessageID {
        guard let id = SharedMessageID(parsing: try string(key)) else {
            throw .invalidMessage(reason: "\(path).\(key): not base64url")
        }
        return id
    }

    func optionalSharedID(_ key: String) throws(ChatProtocolError) -> SharedMessageID? {
        optionalValue(key) == nil ? nil : try sharedID(key)
    }

    /// Reads an object with a `type`: the content of a message, a reaction, or a scope. The object is kept unchanged,
    /// even if its type is unknown.
    func taggedObject(_ key: String) throws(ChatProtocolError) -> JSONValue {
        let value = try value(key)
        guard value["type"]?.stringValue != nil else { throw .invalidMessage(reason: "\(path).\(key): no type") }
        return value
    }

    func optionalTaggedObject(_ key: String) throws(ChatProtocolError) -> JSONValue? {
        // This function must not use a conditional expression: Swift would read the `nil` in it as the null of JSON.
        guard optionalValue(key) != nil else { return Optional.none }
        return try taggedObject(key)
    }
}
