import ChatAPI
import ChatCore
import Foundation
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite(.socketTimeLimit) struct ContractTests {
    private static let methods = ["get", "post", "put", "patch", "delete"]

    private func readFile(_ path: String) throws -> [UInt8] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return Array(try Data(contentsOf: root.appending(path: path)))
    }

    /// Returns a contract in its file, which must equal the contract that the program contains.
    private func readContract(_ name: String = "openapi.json") throws -> JSONValue {
        let contract = try JSONValue(parsing: try readFile("openapi/\(name)"))
        #expect(contract == ServedContract.parseContract(name))
        return contract
    }

    @Test
    func `The router and the contract have the same operations`() throws {
        var written: Set<String> = []
        let paths = try #require(try readContract()["paths"]?.objectValue)
        for (path, item) in paths {
            for (method, operation) in try #require(item.objectValue) where Self.methods.contains(method) {
                written.insert("\(method.uppercased()) \(path) \(operation["operationId"]?.stringValue ?? "")")
            }
        }
        let served = Set(
            RouteTable.all.map { "\($0.method.rawValue) \($0.template) \($0.operationID)" }
        )
        #expect(written == served)
    }

    @Test
    func `Each operation has a name of the form 'listUsers', and lists the core commands of its route`() throws {
        let contract = try readContract()
        for route in RouteTable.all {
            let hasForm = route.operationID.wholeMatch(of: /[a-z]+([A-Z][a-z]+)+/) != nil
            #expect(hasForm && !route.operationID.hasPrefix("api"), "\(route.operationID)")
            let operation = contract["paths"]?[route.template]?[route.method.rawValue.lowercased()]
            let named = operation?["x-core-command"]
            let names = named?.arrayValue?.compactMap(\.stringValue) ?? named?.stringValue.map { [$0] } ?? []
            #expect(names == route.coreCommands.map(\.rawValue), "\(route.operationID)")
        }
    }

    @Test
    func `The verb in an operation's name matches the HTTP method`() {
        let verbs: [HTTPMethod: Set<String>] = [
            .get: ["get", "list", "open", "download", "check", "follow"],
            .put: ["set", "open", "upload", "switch", "activate"],
            .patch: ["update", "continue"],
            .delete: ["delete", "remove", "close", "cancel", "stop", "end", "abort", "reset"],
        ]
        for route in RouteTable.all {
            let verb = String(route.operationID.prefix { $0.isLowercase })
            if let allowed = verbs[route.method] {
                #expect(allowed.contains(verb), "\(route.operationID)")
            } else {
                #expect(!["get", "list", "set", "update", "delete"].contains(verb), "\(route.operationID)")
            }
        }
    }

    @Test
    func `The contract and the routes have the same categories`() throws {
        let categories = Set(
            try #require(try readContract()["tags"]?.arrayValue).compactMap { $0["name"]?.stringValue }
        )
        #expect(categories == Set(RouteTable.all.map(\.category)))
    }

    @Test
    func `Every parameter of a path has a description`() throws {
        let contract = try readContract()
        for route in RouteTable.all {
            let operation = contract["paths"]?[route.template]?[route.method.rawValue.lowercased()]
            let described = operation?["parameters"]?.arrayValue?.compactMap { parameter -> String? in
                if let name = parameter["name"]?.stringValue { return parameter["in"] == "path" ? name : nil }
                return parameter["$ref"]?.stringValue?.split(separator: "/").last.map(String.init)
            }
            for segment in route.template.split(separator: "/") where segment.hasPrefix("{") {
                #expect(described?.contains(String(segment.dropFirst().dropLast())) == true, "\(route.operationID)")
            }
        }
    }

    @Test
    func `Exactly the POST operations of the contract accept an idempotency key`() throws {
        let contract = try readContract()
        for route in RouteTable.all {
            let operation = contract["paths"]?[route.template]?[route.method.rawValue.lowercased()]
            let kept = (operation?["parameters"]?.arrayValue ?? []).compactMap {
                $0["$ref"]?.stringValue?.split(separator: "/").last.map(String.init)
            }.filter { $0.hasPrefix("idempotencyKey") }
            #expect(kept.count == (route.method == .post ? 1 : 0), "\(route.operationID)")
            #expect((operation?["x-safe"] == true) == route.isEffectFree, "\(route.operationID)")
            #expect(kept.contains("idempotencyKeySafe") == route.isEffectFree, "\(route.operationID)")
        }
    }

    @Test
    func `Each parameter has a description, and each description of an answer has more than one word`() throws {
        for (path, item) in try #require(try readContract()["paths"]?.objectValue) {
            for (method, operation) in try #require(item.objectValue) where Self.methods.contains(method) {
                for parameter in operation["parameters"]?.arrayValue ?? [] where parameter["$ref"] == nil {
                    let name = parameter["name"]?.stringValue ?? ""
                    #expect(parameter["description"] != nil, "\(method) \(path) \(name)")
                }
                for (status, answer) in try #require(operation["responses"]?.objectValue) where answer["$ref"] == nil {
                    let description = answer["description"]?.stringValue ?? ""
                    #expect(description.split(separator: " ").count > 1, "\(method) \(path) \(status)")
                }
            }
        }
    }

    @Test
    func `Each named case of a union schema in the contract has a title`() throws {
        let schemas = try #require(try readContract()["components"]?["schemas"])
        for (name, schema) in try #require(schemas.objectValue) {
            for one in schema["oneOf"]?.arrayValue ?? [] {
                guard let named = one["$ref"]?.stringValue?.split(separator: "/").last else { continue }
                #expect(schemas[String(named)]?["title"] != nil, "\(name): \(named)")
            }
        }
    }

    @Test
    func `Either all successful answers of an operation have a body, or none of them has a body`() throws {
        let contract = try readContract()
        for route in RouteTable.all {
            let operation = contract["paths"]?[route.template]?[route.method.rawValue.lowercased()]
            let answers = (operation?["responses"]?.objectValue ?? [:]).filter { $0.0.hasPrefix("2") }
            let bodies = answers.count { $0.1["content"] != nil }
            #expect(bodies == 0 || bodies == answers.count, "\(route.operationID)")
        }
    }

    @Test
    func `The contract has a plain text body for exactly the routes that accept plain text`() throws {
        let contract = try readContract()
        for route in RouteTable.all {
            let body = contract["paths"]?[route.template]?[route.method.rawValue.lowercased()]?["requestBody"]
            #expect((body?["content"]?["text/plain"] != nil) == route.acceptsPlainText, "\(route.operationID)")
        }
    }

    @Test
    func `Every reference in the contract leads to an existing part of the contract`() throws {
        let contract = try readContract()
        func walk(_ value: JSONValue) {
            if let reference = value["$ref"]?.stringValue {
                let target = reference.split(separator: "/").dropFirst().reduce(JSONValue?.some(contract)) {
                    $0?[String($1)]
                }
                #expect(target != nil, "\(reference)")
            }
            for item in value.arrayValue ?? [] { walk(item) }
            for (_, member) in value.objectValue ?? JSONObject() { walk(member) }
        }
        walk(contract)
    }

    @Test
    func `The contract describes every problem code with its status`() throws {
        let codes = try #require(try readContract()["components"]?["schemas"]?["ProblemCode"])
        #expect(codes["enum"]?.arrayValue?.compactMap(\.stringValue) == ProblemDetails.Code.allCases.map(\.rawValue))
        for code in ProblemDetails.Code.allCases {
            #expect(
                codes["description"]?.stringValue?.contains("`\(code.rawValue)` (\(code.status)): ") == true,
                "\(code.rawValue)"
            )
        }
    }

    @Test
    func `Scopes and problem codes of each route are equal in the program, routes.yaml and the contract`() throws {
        let contract = try readContract()
        let lines = String(decoding: try readFile("openapi/routes.yaml"), as: UTF8.self).split(separator: "\n")
        for route in RouteTable.all {
            let operation = try #require(contract["paths"]?[route.template]?[route.method.rawValue.lowercased()])
            let facts = route.facts(operation)
            let line = lines.first { $0.hasPrefix("\(route.operationID): ") }?.dropFirst(route.operationID.count + 2)
            let written = try line.map { try JSONValue(parsing: String($0)) }
            #expect(written == facts, "openapi/routes.yaml must have: \(route.operationID): \(facts.text)")
            let takes = Set(operation["security"]?.arrayValue?.flatMap { ($0.objectValue ?? [:]).map(\.0) } ?? [])
            #expect(takes == Set(facts["takes"]?.arrayValue?.compactMap(\.stringValue) ?? []), "\(route.operationID)")
            #expect(operation["x-problem-codes"] == facts["problems"], "\(route.operationID)")
            let codes = Set(route.problemCodes(operation))
            #expect(codes.isDisjoint(with: ProblemDetails.Code.generalCodes))
            #expect(codes.contains(.unauthorized) == (route.access != .noKey), "\(route.operationID)")
            for code in codes {
                #expect(operation["responses"]?["\(code.status)"] != nil, "\(route.operationID): \(code)")
            }
            // This table also determines the codes of the answers, so the contract must list these codes.
            for tag in ["userUnknown", "userExists", "invalidDisplayName", "exception"] where route.command != nil {
                let error: JSONValue = ["type": "error", "errorType": ["type": .string(tag)]]
                #expect(codes.contains(ChatErrorExplanation(error).code), "\(route.operationID): \(tag)")
            }
        }
    }

    @Test
    func `Each link of an answer leads to an operation with valid parameters`() throws {
        let contract = try readContract()
        let validator = SchemaValidator(document: contract)
        let routes = Dictionary(RouteTable.all.map { ($0.operationID, $0) }) { first, _ in first }
        var count = 0
        for route in RouteTable.all {
            let operation = contract["paths"]?[route.template]?[route.method.rawValue.lowercased()]
            for (status, response) in operation?["responses"]?.objectValue ?? JSONObject() {
                for (name, link) in response["links"]?.objectValue ?? JSONObject() {
                    count += 1
                    #expect(["201", "202"].contains(status), "\(route.operationID)")
                    #expect(link["operationId"]?.stringValue == name, "\(route.operationID)")
                    let target = try #require(routes[name], "\(route.operationID) links to \(name)")
                    let given = try #require(link["parameters"]?.objectValue)
                    for (parameter, expression) in given {
                        #expect(target.template.contains("{\(parameter)}"), "\(name): \(parameter)")
                        let text = expression.stringValue ?? ""
                        if text.hasPrefix("$request.path.") {
                            #expect(route.template.contains("{\(text.dropFirst("$request.path.".count))}"), "\(text)")
                        } else if text.hasPrefix("$response.body#/") {
                            var schema = response["content"]?["application/json"]?["schema"]
                            for step in text.dropFirst("$response.body#/".count).split(separator: "/") {
                                if let found = schema?["$ref"].flatMap({ validator.resolveReference($0) }) {
                                    schema = found
                                }
                                if let first = schema?["oneOf"]?[0]?["$ref"].flatMap({ validator.resolveReference($0) })
                                {
                                    schema = first
                                }
                                schema = step == "0" ? schema?["items"] : schema?["properties"]?[String(step)]
                            }
                            #expect(schema != nil, "\(route.operationID): \(text)")
                        } else {
                            #expect(!text.hasPrefix("$"), "\(text)")
                        }
                    }
                    for segment in target.template.split(separator: "/") where segment.hasPrefix("{") {
                        #expect(given[String(segment.dropFirst().dropLast())] != nil, "\(name): \(segment)")
                    }
                }
            }
        }
        #expect(count > 30)
    }

    @Test
    func `asyncapi.json has exactly the streams of the router`() throws {
        let contract = try readContract()
        let streams = try self.readContract("asyncapi.json")
        let written = try #require(streams["channels"]?.objectValue).compactMap { $0.value["address"]?.stringValue }
        #expect(
            Set(written)
                == Set(
                    RouteTable.all.filter { $0.isStreamOrPoll && $0.method == .get && $0.template != "/" }.map(
                        \.template
                    )
                )
        )
        func walk(_ value: JSONValue) {
            if let parts = value["$ref"]?.stringValue?.split(separator: "#"), let path = parts.last {
                let target = path.split(separator: "/").reduce(JSONValue?.some(parts.count == 1 ? streams : contract)) {
                    $0?[String($1)]
                }
                #expect(target != nil, "\(path)")
            }
            for item in value.arrayValue ?? [] { walk(item) }
            for (_, member) in value.objectValue ?? JSONObject() { walk(member) }
        }
        walk(streams)
    }

    @Test
    func `Real answers have only statuses and headers that are in the contract`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let user = try await client.createUser("alice")
            let new = #"{"profile":{"displayName":"bob","fullName":""}}"#
            let model = "/v1/users/\(user)/model"
            let tag = try #require(try await client.call("GET", model).header("etag"))
            let page = try #require(try await client.call("GET", "/docs").header("etag"))
            let requests: [(method: String, target: String, body: String?, headers: [(String, String)], status: Int)] =
                [
                    // These requests come first, since later requests change the model and its tag.
                    ("GET", model, nil, [], 200), ("GET", model, nil, [("If-None-Match", tag)], 304),
                    ("GET", "/v1/users", nil, [], 200), ("GET", "/v1/users?a=b", nil, [], 400),
                    ("GET", "/v1/users", nil, [], 401),
                    ("POST", "/v1/users", new, [("Idempotency-Key", "a")], 201),
                    ("POST", "/v1/users", new, [("Idempotency-Key", "a")], 201),
                    ("GET", "/v1/users/\(user)/contacts/99", nil, [], 404), ("GET", "/docs", nil, [], 200),
                    ("GET", "/docs", nil, [("If-None-Match", page)], 304), ("GET", "/app", nil, [], 200),
                    ("GET", "/metrics", nil, [], 200), ("GET", "/v1", nil, [], 200),
                    ("GET", "/openapi.json", nil, [], 200),
                    ("POST", "/v1/users/\(user)/sessions", "{}", [], 201),
                    ("POST", "/v1/users/\(user)/address", nil, [], 201),
                    ("POST", "/v1/users/\(user)/address", nil, [], 409),
                    ("GET", "/v1/users/\(user)/address/qr.svg", nil, [], 200),
                ]
            for request in requests {
                let (method, target, body) = (request.method, request.target, request.body ?? "")
                let other = request.status == 401 ? try await HTTPClient.connect(port: gateway.port) : client
                let answer = try await other.call(method, target, headers: request.headers, body: request.body)
                #expect(answer.status == request.status, "\(method) \(target): \(answer.text)")
                let asked = Contract.Request(method: method, target: target, body: Array(body.utf8))
                let found = Contract.servedContract.undeclaredHeaders(
                    asked,
                    status: answer.status,
                    headers: answer.headers.map(\.name)
                )
                #expect(found == [], "\(method) \(target)")
            }
        }
    }

    @Test
    func `The contracts are served without a key, with the bytes of their files`() async throws {
        try await ServedGateway.run { served in
            let answer = try await served.connectAnonymously().call("GET", "/openapi.json")
            #expect(answer.status == 200)
            #expect(try answer.body == readFile("openapi/openapi.json"))
            #expect(try answer.json["openapi"] == "3.1.0")
            // The URL is relative, so a client uses the address from which it has read the contract.
            #expect(try answer.json["servers"] == [["url": "/"]])
            let streams = try await served.connectAnonymously().call("GET", "/asyncapi.json")
            #expect(try streams.body == readFile("openapi/asyncapi.json"))
            #expect(try streams.json["asyncapi"] == "3.0.0")
            #expect(streams.text.contains("openapi.json#/components/") && !streams.text.contains(".yaml#"))
            let version = JSONValue.string(ProgramVersion.text)
            #expect(try answer.json["info"]?["version"] == version)
            #expect(try streams.json["info"]?["version"] == version)
        }
    }
}
