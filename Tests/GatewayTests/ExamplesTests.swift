import JSON
import Testing

@testable import Gateway

@Suite struct ExamplesTests {
    private let contract = Contract.served

    @Test("every example of the contract is as its schema says")
    func valid() throws {
        var count = 0
        for (_, methods) in contract.document["paths"]?.objectValue ?? JSONObject() {
            for (_, operation) in methods.objectValue ?? JSONObject() {
                guard let content = operation["requestBody"]?["content"]?["application/json"], let example = content["example"] else { continue }
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

    @Test("messages, connections and profiles have examples of what is asked and answered", arguments: [
        ("/v1/users", "post", "201"), ("/v1/users/{userId}/connections", "post", "202"),
        ("/v1/users/{userId}/chats/{chatType}/{chatId}/messages", "post", "201"),
    ])
    func present(path: String, method: String, status: String) throws {
        let operation = try #require(contract.document["paths"]?[path]?[method])
        #expect(operation["requestBody"]?["content"]?["application/json"]?["example"] != nil)
        let schema = try #require(operation["responses"]?[status]?["content"]?["application/json"]?["schema"])
        let first = try #require((schema["anyOf"]?[0] ?? schema)["$ref"].flatMap { SchemaValidator(document: contract.document).resolve($0) })
        #expect(first["examples"]?[0]?["type"] != nil)
    }
}
