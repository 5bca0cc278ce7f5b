internal import JSON

/// The contract in OpenAPI 3.2, which is made from the embedded contract in OpenAPI 3.1. In addition, it has the types
/// of entries in streams, and discriminators with a default mapping for unions that may get more cases.
enum TypedContract {
    static let document = ServedContract.openAPI.map(makeTyped)

    private static let (eventStreamType, lineStreamType) = ("text/event-stream", "application/x-ndjson")

    static func makeTyped(_ contract: JSONValue) -> JSONValue {
        var document = contract.objectValue ?? JSONObject()
        document["openapi"] = "3.2.0"
        document["paths"] = mapMembers(of: contract["paths"]) { _, path in
            mapMembers(of: path) { _, operation in
                mapMember("responses", of: operation) { responses in
                    mapMembers(of: responses) { _, response in mapMember("content", of: response, addItemSchemas) }
                }
            }
        }
        let schemas = contract["components"]?["schemas"] ?? [:]
        document["components"] = contract["components"].map { components in
            mapMember("schemas", of: components) {
                mapMembers(of: $0) { _, schema in addDiscriminator(schema, schemas) }
            }
        }
        return .object(document)
    }

    /// Returns the media types of a response, each with its schema. For a stream, the member `itemSchema` has the
    /// schema of one entry.
    private static func addItemSchemas(_ content: JSONValue) -> JSONValue {
        let line = content[lineStreamType]?["schema"]
        return mapMembers(of: content) { media, value in
            guard media == eventStreamType || media == lineStreamType, var object = value.objectValue else {
                return value
            }
            object["schema"] = nil
            object["itemSchema"] = media == lineStreamType ? line : makeEventSchema(of: line ?? [:])
            return .object(object)
        }
    }

    /// Returns the schema of one Server-Sent Event, by the section "Sequential Media Types" of OpenAPI 3.2.
    /// - Parameter line: the schema of the JSON in the event's data.
    private static func makeEventSchema(of line: JSONValue) -> JSONValue {
        [
            "type": "object",
            "properties": [
                "id": ["type": "string", "description": "The cursor after this event."],
                "event": [
                    "type": "string",
                    "description": "The type of an event that is no entry, such as `gap`; else absent.",
                ],
                "data": [
                    "type": "string", "contentMediaType": "application/json", "contentSchema": line,
                    "description": "Absent if only the cursor has changed.",
                ],
            ],
        ]
    }

    /// Adds a discriminator to the schema of a union, if the last case stands for cases of later versions. Returns any
    /// other schema unchanged.
    private static func addDiscriminator(_ schema: JSONValue, _ schemas: JSONValue) -> JSONValue {
        guard let cases = schema["oneOf"]?.arrayValue?.compactMap({ $0["$ref"] }), let last = cases.last,
            cases.count == schema["oneOf"]?.arrayValue?.count, schema["discriminator"] == nil,
            findTypeSchema(of: last, schemas)?["not"] != nil
        else { return schema }
        var mapping = JSONObject()
        for one in cases.dropLast() {
            // The mapping needs one fixed type for each case. If a case has no such type, the union stays unchanged.
            guard let type = findTypeSchema(of: one, schemas)?["const"]?.stringValue else { return schema }
            mapping[type] = one
        }
        guard var object = schema.objectValue else { return schema }
        object["discriminator"] = [
            "propertyName": "type", "mapping": .object(mapping), "defaultMapping": last,
        ]
        return .object(object)
    }

    private static func findTypeSchema(of reference: JSONValue, _ schemas: JSONValue) -> JSONValue? {
        reference.stringValue?.split(separator: "/").last.flatMap { schemas[String($0)] }?["properties"]?["type"]
    }

    private static func mapMembers(of value: JSONValue?, _ change: (String, JSONValue) -> JSONValue) -> JSONValue {
        guard let object = value?.objectValue else { return value ?? .null }
        var changed = JSONObject()
        for (name, member) in object { changed[name] = change(name, member) }
        return .object(changed)
    }

    private static func mapMember(
        _ name: String,
        of value: JSONValue,
        _ change: (JSONValue) -> JSONValue
    ) -> JSONValue {
        guard var object = value.objectValue, let member = object[name] else { return value }
        object[name] = change(member)
        return .object(object)
    }
}
