internal import JSON

/// The JSON that apps written in Swift send. It encodes a sum type as an object with two members: one for the case, and
/// `_owsf`, which is true.
enum SwiftJSON {
    /// Converts sum types in the Swift form to the form of other apps, which has a member `type`.
    static func convertToTagged(_ value: JSONValue) -> JSONValue { convertSumTypes(value).value }

    private static func convertSumTypes(_ value: JSONValue) -> (value: JSONValue, isTagged: Bool) {
        switch value {
        case .array(let elements): return (.array(elements.map(convertToTagged)), false)
        case .object(let members):
            guard members.count == 2, members["_owsf"] == true,
                let (name, inner) = members.first(where: { $0.key != "_owsf" })
            else {
                return (.object(JSONObject(members.map { ($0.key, convertToTagged($0.value)) })), false)
            }
            let (content, isTagged) = convertSumTypes(inner)
            // If the content of a case is also a sum type, one object cannot contain both tags.
            guard case .object(let fields) = content, !isTagged else {
                return (["type": .string(name), "data": content], true)
            }
            return (.object(JSONObject([("type", .string(name))] + fields.map { ($0.key, $0.value) })), true)
        default: return (value, false)
        }
    }
}
