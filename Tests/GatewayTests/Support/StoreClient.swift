import JSON
import Testing

@testable import Gateway

/// A store that a test has created, with its administrator.
struct StoreClient: Sendable {
    let id: String
    let key: String
    let port: Int
    let http: HTTPClient

    /// Opens another connection with the key of the administrator.
    func openConnection() async throws -> HTTPClient { try await .connect(port: port, key: key) }

    /// Opens a stream of lines, and reads its header.
    func openLineStream(_ target: String = "/v1/events") async throws -> HTTPClient {
        let stream = try await openConnection()
        try await stream.send("GET", target, headers: [("Accept", "application/x-ndjson")])
        #expect(try await stream.receiveHead().status == 200)
        return stream
    }
}

extension RealGateway {
    func makeStore(_ name: String, passphrase: String? = nil) async throws -> StoreClient {
        let body: JSONValue =
            passphrase.map { ["name": .string(name), "passphrase": .string($0)] } ?? ["name": .string(name)]
        let answer = try await connectClient().post("/v1/stores", body)
        #expect(answer.status == 201, "\(answer.text)")
        let id = try #require(answer.json["store"]?["storeId"]?.stringValue)
        #expect(answer.header("location") == "/v1/stores/\(id)")
        let key = try #require(answer.json["key"]?.stringValue)
        return StoreClient(id: id, key: key, port: port, http: try await .connect(port: port, key: key))
    }

    func readState(of store: String) async throws -> JSONValue? {
        try await connectClient().call("GET", "/v1/stores/\(store)").json["state"]
    }

    func unlockStore(_ store: String, _ passphrase: String? = nil) async throws -> HTTPClient.Answer {
        try await connectClient().post(
            "/v1/stores/\(store)/unlock",
            passphrase.map { ["passphrase": .string($0)] } ?? [:]
        )
    }
}

extension HTTPClient {
    /// Reads a stream to its end.
    func readRest() async throws -> String {
        var all: [UInt8] = []
        while let chunk = try await receiveChunk() { all += chunk }
        return String(decoding: all, as: UTF8.self)
    }
}
