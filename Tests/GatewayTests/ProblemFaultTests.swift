import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Faults of single values in problem documents", .socketTimeLimit)
struct ProblemFaultTests {
    private static let messagesPath = "/v1/users/1/chats/direct/1/messages"

    @Test(arguments: [
        (
            "POST", messagesPath, #"{"composedMessages":[{"quotedItemId":1}]}"#, "/composedMessages/0/msgContent",
            "missing"
        ),
        (
            "POST", messagesPath, #"{"composedMessages":[{"msgContent":{"type":"text","text":"a"},"quoted":1}]}"#,
            "/composedMessages/0/quoted", "unknown"
        ),
        (
            "POST", messagesPath, #"{"composedMessages":[{"msgContent":[]}]}"#, "/composedMessages/0/msgContent",
            "wrongType"
        ),
        ("POST", messagesPath, #"{"composedMessages":[]}"#, "/composedMessages", "invalid"),
        ("PUT", "/v1/users/1/profile", "{}", "/profile", "missing"),
        ("PUT", "/v1/users/1/profile", #"{"profile":{"displayName":1}}"#, "/profile/displayName", "wrongType"),
        ("PATCH", "/v1/users/1/contacts/1", #"{"alias":"a","a/b~c":1}"#, "/a~1b~0c", "unknown"),
    ])
    func `A problem document contains a pointer to the invalid member of a body`(
        method: String,
        path: String,
        body: String,
        pointer: String,
        code: String
    ) async throws {
        try await ServedGateway.run { served in
            let problem = try await served.connectClient().call(method, path, body: body).json
            let faults = try #require(problem["errors"]?.arrayValue, "\(problem.text)")
            #expect(faults.count == 1)
            #expect(faults[0]["pointer"]?.stringValue == pointer, "\(problem.text)")
            #expect(faults[0]["code"]?.stringValue == code, "\(problem.text)")
            #expect(faults[0]["detail"] == problem["detail"])
            #expect(faults[0]["parameter"] == nil)
        }
    }

    @Test(arguments: [
        ("/v1/users/x/contacts", "userId", "invalid"), ("/v1/users?limits=1", "limits", "unknown"),
        ("/v1/users/1/chats/unknown/1", "chatType", "invalid"), ("/v1/events?timeout=x", "timeout", "invalid"),
    ])
    func `A problem document contains the name of the invalid parameter`(
        target: String,
        name: String,
        code: String
    ) async throws {
        try await ServedGateway.run { served in
            let problem = try await served.connectClient().call("GET", target).json
            let fault = try #require(problem["errors"]?[0], "\(problem.text)")
            #expect(fault["parameter"]?.stringValue == name && fault["code"]?.stringValue == code, "\(problem.text)")
            #expect(fault["pointer"] == nil)
        }
    }

    @Test
    func `A problem document that concerns the whole request has no member 'errors'`() async throws {
        try await ServedGateway.run { served in
            let problem = try await served.connectClient().call("GET", "/v1/nothing").json
            #expect(problem["errors"] == nil && problem["type"] == "/docs#problem-unknownRoute")
        }
    }

    @Test
    func `A very long name of an unknown member is not repeated in the problem document`() async throws {
        try await ServedGateway.run { served in
            let body = JSONValue.object([String(repeating: "a", count: 10_000): 1])
            let answer = try await served.connectClient().call("PATCH", "/v1/users/1/contacts/1", body: body.text)
            #expect(try answer.status == 400 && answer.json["errors"] == nil && answer.body.count < 1000)
        }
    }

    @Test
    func `The contract lists all codes that the member 'errors' of a problem document can have`() {
        let schema = Contract.servedContract.document["components"]?["schemas"]?["RequestFault"]?["properties"]?["code"]
        #expect(
            schema?["enum"]?.arrayValue?.compactMap(\.stringValue) == ProblemDetails.Fault.Code.allCases.map(\.rawValue)
        )
    }
}
