import JSON
import Testing

@testable import Gateway

@Suite struct ExamplesTests {
    private let contract = Contract.servedContract

    @Test
    func `Every example of the contract is valid by its schema`() throws {
        var count = 0
        for (_, methods) in contract.document["paths"]?.objectValue ?? JSONObject() {
            for (_, operation) in methods.objectValue ?? JSONObject() {
                guard let content = operation["requestBody"]?["content"]?["application/json"],
                    let example = content["example"]
                else { continue }
                let id = operation["operationId"]?.stringValue ?? ""
                #expect(contract.violations(of: example, by: content["schema"] ?? .null).isEmpty, "\(id)")
                count += 1
            }
        }
        for (name, schema) in contract.document["components"]?["schemas"]?.objectValue ?? JSONObject() {
            for example in schema["examples"]?.arrayValue ?? [] {
                #expect(contract.violations(of: example, by: schema).isEmpty, "\(name)")
                count += 1
            }
        }
        #expect(count > 100)
    }

    @Test
    func `Every operation has an example of its body and of its answer`() {
        var missing: [String] = []
        for (_, methods) in contract.document["paths"]?.objectValue ?? JSONObject() {
            for (_, operation) in methods.objectValue ?? JSONObject() {
                guard let id = operation["operationId"]?.stringValue else { continue }
                let body = operation["requestBody"]?["content"]?["application/json"]
                if let body, body["example"] == nil { missing.append("\(id): body") }
                for (status, response) in operation["responses"]?.objectValue ?? JSONObject()
                where status.hasPrefix("2") {
                    guard let answer = response["content"]?["application/json"],
                        !["getOpenApi", "getTypedOpenApi", "getAsyncApi"].contains(id)
                    else { continue }
                    if answer["example"] == nil, !hasExample(answer["schema"] ?? .null) {
                        missing.append("\(id): \(status)")
                    }
                }
            }
        }
        #expect(missing.isEmpty, "\(missing)")
    }

    private func hasExample(_ schema: JSONValue) -> Bool {
        if let target = schema["$ref"].flatMap({ SchemaValidator(document: contract.document).resolveReference($0) }) {
            return hasExample(target)
        }
        return schema["examples"] != nil || schema["oneOf"]?.arrayValue?.contains(where: hasExample) == true
    }
}
