import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("The contract in the form of OpenAPI 3.2", .socketTimeLimit)
struct TypedContractTests {
    private let earlyContract: JSONValue
    private let typedContract: JSONValue

    init() throws {
        earlyContract = try #require(ServedContract.openAPI)
        typedContract = try #require(TypedContract.document)
    }

    @Test
    func `Both forms of the contract have the same operations, parameters and schemas`() throws {
        #expect(typedContract["openapi"] == "3.2.0" && earlyContract["openapi"] == "3.1.0")
        for name in ["info", "servers", "security", "tags", "webhooks"] {
            #expect(typedContract[name] == earlyContract[name] && typedContract[name] != nil, "\(name)")
        }
        let paths = try #require(earlyContract["paths"]?.objectValue)
        #expect(typedContract["paths"]?.objectValue?.keys == paths.keys)
        for (path, methods) in paths {
            #expect(typedContract["paths"]?[path]?.objectValue?.keys == methods.objectValue?.keys, "\(path)")
            for (method, operation) in methods.objectValue ?? JSONObject() {
                let other = typedContract["paths"]?[path]?[method]
                for (name, member) in operation.objectValue ?? JSONObject() where name != "responses" {
                    #expect(other?[name] == member, "\(path) \(name)")
                }
                #expect(other?["responses"]?.objectValue?.keys == operation["responses"]?.objectValue?.keys, "\(path)")
            }
        }
        let schemas = try #require(earlyContract["components"]?["schemas"]?.objectValue)
        #expect(typedContract["components"]?["schemas"]?.objectValue?.keys == schemas.keys)
        for (name, schema) in schemas {
            var other = try #require(typedContract["components"]?["schemas"]?[name]?.objectValue)
            if schema["discriminator"] == nil { other["discriminator"] = nil }
            #expect(JSONValue.object(other) == schema, "\(name)")
        }
    }

    @Test
    func `Each stream has a schema of its entries instead of a schema of the whole stream`() throws {
        var found = 0
        for (path, methods) in try #require(typedContract["paths"]?.objectValue) {
            for (_, operation) in methods.objectValue ?? JSONObject() {
                for (_, response) in operation["responses"]?.objectValue ?? JSONObject() {
                    guard let content = response["content"], let line = content["application/x-ndjson"] else {
                        continue
                    }
                    found += 1
                    #expect(line["schema"] == nil && line["itemSchema"]?["$ref"] != nil, "\(path)")
                    let event = content["text/event-stream"]
                    #expect(event?["schema"] == nil, "\(path)")
                    let data = event?["itemSchema"]?["properties"]?["data"]
                    #expect(data?["contentSchema"] == line["itemSchema"], "\(path)")
                    #expect(content["application/json"]?["itemSchema"] == nil, "\(path)")
                }
            }
        }
        #expect(found >= 3)
    }

    @Test
    func `A union that may get more cases has a discriminator with all present cases and a default`() throws {
        let content = try #require(typedContract["components"]?["schemas"]?["MsgContent"])
        let discriminator = try #require(content["discriminator"])
        #expect(discriminator["propertyName"] == "type")
        #expect(discriminator["defaultMapping"] == "#/components/schemas/MsgContentUnlisted")
        #expect(discriminator["mapping"]?["image"] == "#/components/schemas/MsgContentImage")
        #expect(discriminator["mapping"]?.objectValue?.count == (content["oneOf"]?.arrayValue?.count ?? 0) - 1)
        let unions = typedContract["components"]?["schemas"]?.objectValue?.filter { $0.1["discriminator"] != nil } ?? []
        #expect(unions.count >= 70)
    }

    @Test
    func `The contract in the form of OpenAPI 3.2 is served without a key`() async throws {
        try await ServedGateway.run { served in
            let answer = try await served.connectAnonymously().call("GET", "/openapi-3.2.json")
            #expect(answer.status == 200 && answer.header("content-type") == "application/json")
            #expect(try answer.json == typedContract)
        }
    }
}
