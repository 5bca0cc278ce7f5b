import ChatAPI
import ChatCore
import Foundation
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite(.overSockets) struct ContractTests {
    private static let methods = ["get", "post", "put", "patch", "delete"]

    /// Reads a contract from its file, and expects that it equals the contract in the program.
    private func contract(_ name: String = "openapi.json") throws -> JSONValue {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "openapi/\(name)"), encoding: .utf8)
        let contract = try JSONValue(parsing: text)
        #expect(contract == ServedContract.embedded(name))
        return contract
    }

    @Test("The router and the contract have the same operations")
    func operations() throws {
        var written: Set<String> = []
        let paths = try #require(try contract()["paths"]?.objectValue)
        for (path, item) in paths {
            for (method, operation) in try #require(item.objectValue) where Self.methods.contains(method) {
                written.insert("\(method.uppercased()) \(path) \(operation["operationId"]?.stringValue ?? "")")
            }
        }
        let served = Set(
            RouteTable.all.filter(\.isImplemented).map { "\($0.method.rawValue) \($0.template) \($0.operationID)" }
        )
        #expect(written == served)
    }

    @Test("The name of an operation is a verb and a noun, and the name of its command is beside it")
    func names() throws {
        let contract = try contract()
        for route in RouteTable.all {
            let hasForm = route.operationID.wholeMatch(of: /[a-z]+([A-Z][a-z]+)+/) != nil
            #expect(hasForm && !route.operationID.hasPrefix("api"), "\(route.operationID)")
            guard route.isImplemented else { continue }
            let operation = contract["paths"]?[route.template]?[route.method.rawValue.lowercased()]
            #expect(operation?["x-core-command"]?.stringValue == route.command?.rawValue, "\(route.operationID)")
        }
    }

    @Test("The description of a category names every operation that is not served yet, and no other operation")
    func later() throws {
        for tag in try #require(try contract()["tags"]?.arrayValue) {
            let named = (tag["description"]?.stringValue ?? "").split(separator: "`").map(String.init).filter {
                $0.contains(" /")
            }
            let later = RouteTable.all.filter { $0.category == tag["name"]?.stringValue && !$0.isImplemented }
            #expect(
                Set(named) == Set(later.map { "\($0.method.rawValue) \($0.template)" }),
                "\(tag["name"]?.text ?? "")"
            )
        }
        let categories = Set(try #require(try contract()["tags"]?.arrayValue).compactMap { $0["name"]?.stringValue })
        #expect(categories == Set(RouteTable.all.map(\.category)))
    }

    @Test("Every parameter of a path has a description")
    func parameters() throws {
        let contract = try contract()
        for route in RouteTable.all where route.isImplemented {
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

    @Test("The contract has a plain text body for exactly the routes that accept one")
    func texts() throws {
        let contract = try contract()
        for route in RouteTable.all where route.isImplemented {
            let body = contract["paths"]?[route.template]?[route.method.rawValue.lowercased()]?["requestBody"]
            #expect((body?["x-also-taken"]?["text/plain"] != nil) == route.takesText, "\(route.operationID)")
        }
    }

    @Test("Every reference within the contract resolves")
    func references() throws {
        let contract = try contract()
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

    @Test("The problem codes of the contract are complete, each with its status and its remedy")
    func problems() throws {
        let codes = try #require(try contract()["components"]?["schemas"]?["ProblemCode"])
        #expect(codes["enum"]?.arrayValue?.compactMap(\.stringValue) == ProblemDetails.Code.allCases.map(\.rawValue))
        for code in ProblemDetails.Code.allCases {
            #expect(
                codes["description"]?.stringValue?.contains("`\(code.rawValue)` (\(code.status)): ") == true,
                "\(code.rawValue)"
            )
        }
    }

    @Test("The served contract lists for every operation the scopes of its route and the problems of its command")
    func details() throws {
        let document = try #require(ServedContract.document)
        for route in RouteTable.all where route.isImplemented {
            let operation = try #require(document["paths"]?[route.template]?[route.method.rawValue.lowercased()])
            let scopes = operation["security"]?.arrayValue?.map { $0["key"]?.arrayValue?.compactMap(\.stringValue) }
            switch route.access {
            case .open: #expect(scopes == [], "\(route.operationID)")
            case .key(let needed), .firstStore(let needed): #expect(scopes == [needed.names], "\(route.operationID)")
            case .store: #expect(scopes == [["stores"], ["admin"]], "\(route.operationID)")
            }
            let codes = Set(
                operation["x-problem-codes"]?.arrayValue?.compactMap {
                    $0.stringValue.flatMap { ProblemDetails.Code(rawValue: $0) }
                } ?? []
            )
            #expect(codes.isDisjoint(with: ProblemDetails.Code.general))
            #expect(codes.contains(.unauthorized) == (route.access != .open), "\(route.operationID)")
            // The statuses come from the table that also decides the answers.
            for tag in ["userUnknown", "userExists", "invalidDisplayName", "exception"] where route.command != nil {
                let error: JSONValue = ["type": "error", "errorType": ["type": .string(tag)]]
                #expect(codes.contains(ChatErrorTag(error).code), "\(route.operationID): \(tag)")
            }
        }
    }

    @Test("The streams of asyncapi.json equal the streams of the router, and its references resolve")
    func streams() throws {
        let contract = try contract()
        let streams = try self.contract("asyncapi.json")
        let written = try #require(streams["channels"]?.objectValue).compactMap { $0.value["address"]?.stringValue }
        #expect(Set(written) == Set(RouteTable.all.filter { $0.follows && $0.template != "/" }.map(\.template)))
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

    @Test("The contract is served as JSON without a key")
    func served() async throws {
        try await Served.run { served in
            let answer = try await served.anonymous().call("GET", "/openapi.json")
            #expect(answer.status == 200)
            #expect(try answer.json["openapi"] == "3.1.0")
            // The reader reaches the server at the address from which it read the contract.
            #expect(try answer.json["servers"] == [["url": "/"]])
            let streams = try await served.anonymous().call("GET", "/asyncapi.json")
            #expect(try streams.json["asyncapi"] == "3.0.0")
            #expect(streams.text.contains("openapi.json#/components/") && !streams.text.contains(".yaml#"))
            let version = JSONValue.string(ProgramVersion.text)
            #expect(try answer.json["info"]?["version"] == version)
            #expect(try streams.json["info"]?["version"] == version)
        }
    }
}
