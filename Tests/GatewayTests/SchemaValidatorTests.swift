import JSON
import Testing

@testable import Gateway

@Suite struct SchemaValidatorTests {
    private let validator = SchemaValidator(document: ["schemas": ["name": ["type": "string", "minLength": 1]]])

    @Test(arguments: [
        (
            #"{"type":"object","required":["a"],"properties":{"a":{"type":"integer","minimum":1}}}"#,
            #"{"a":1,"b":null}"#
        ),
        (##"{"$ref":"#/schemas/name"}"##, #""x""#), (#"{"anyOf":[{"const":1},{"const":2}]}"#, "2"),
        (#"{"oneOf":[{"const":1},{"type":"string"}]}"#, "1"),
        (#"{"allOf":[{"type":"number"},{"maximum":3}]}"#, "2.5"), (#"{"type":["string","null"]}"#, "null"),
        (#"{"type":"integer"}"#, "1.0"),
        (#"{"items":{"enum":["a"]},"maxItems":2}"#, #"["a","a"]"#),
        (#"{"additionalProperties":{"type":"boolean"}}"#, #"{"x":true}"#),
        (#"{"not":{"enum":["a"]}}"#, #""b""#), (#"{"pattern":"^a+$"}"#, #""aa""#), ("true", "1"),
        (#"{"required":["a"]}"#, "1"),
    ])
    func `A value that matches its schema is accepted`(schema: String, value: String) throws {
        #expect(try validator.violations(of: parseValue(value), by: parseValue(schema)) == [])
    }

    @Test(arguments: [
        (#"{"required":["a"]}"#, "{}", "$.a is missing"),
        (#"{"properties":{"a":{"items":{"type":"string"}}}}"#, #"{"a":["x",1]}"#, "$.a[1] is not of type"),
        (##"{"$ref":"#/schemas/name"}"##, #""""#, "has 0 characters"),
        (##"{"$ref":"#/schemas/none"}"##, "1", "does not exist"),
        (#"{"anyOf":[{"const":1},{"const":2}]}"#, "3", "no schema of anyOf"),
        (#"{"oneOf":[{"const":1},{"type":"integer"}]}"#, "1", "does not match exactly one"),
        (#"{"properties":{"a":true},"additionalProperties":false}"#, #"{"a":1,"b":2}"#, "$.b is not allowed"),
        (#"{"const":true}"#, "1", "is not true"),
        (#"{"type":"integer"}"#, "1.5", "not of type"), (#"{"maximum":3}"#, "4", "is 4"),
        (#"{"pattern":"^a$"}"#, #""b""#, "does not match"),
        (#"{"type":"object","unevaluatedProperties":false}"#, "{}", "unevaluatedProperties, which is not checked"),
        ("1", "1", "not an object"),
    ])
    func `A violation of a schema is reported with its reason`(schema: String, value: String, complaint: String) throws
    {
        let violations = try validator.violations(of: parseValue(value), by: parseValue(schema))
        #expect(violations.contains { $0.contains(complaint) }, "\(violations)")
    }

    @Test
    func `The validator checks every keyword of the schemas in the contract`() {
        let contract = Contract.servedContract
        var unknown: Set<String> = []
        // The schemas of all operations are checked, even if no test uses them.
        func walk(_ value: JSONValue) {
            if let schema = value["schema"] { unknown.formUnion(SchemaValidator.findUnsupportedKeywords(in: schema)) }
            for item in value.arrayValue ?? [] { walk(item) }
            for (_, member) in value.objectValue ?? JSONObject() { walk(member) }
        }
        walk(contract.document)
        for (_, schema) in contract.document["components"]?["schemas"]?.objectValue ?? JSONObject() {
            unknown.formUnion(SchemaValidator.findUnsupportedKeywords(in: schema))
        }
        #expect(unknown == [])
    }

    private func parseValue(_ text: String) throws -> JSONValue { try #require(JSONValue(parsing: "[\(text)]")[0]) }
}
