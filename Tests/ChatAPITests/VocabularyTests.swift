import ChatAPI
import JSON
import Testing

private let constraintMessage: JSONValue = "SQLite3 returned ErrorConstraint while attempting to perform step: a"
private let passwordsMessage: JSONValue = "too many wrong passwords were tried"

/// Errors that only this program has, with their JSON.
private let ownErrors: [(error: any TaggedUnion, json: JSONValue)] = [
    (ChatErrorType.notImplemented(command: "a"), ["type": "commandError", "message": "not implemented: a"]),
    (ChatErrorType.accessDenied(reason: "a"), ["type": "commandError", "message": "a"]),
    (ChatErrorType.tooManyPasswords(retryAfter: 1), ["type": "commandError", "message": passwordsMessage]),
    (ChatErrorType.storageFull(message: "a"), ["type": "exception", "message": "a"]),
    (ChatErrorType.quotaExceeded(resource: "b", limit: 1, message: "a"), ["type": "exception", "message": "a"]),
    (ChatErrorType.fileAway(retryAfter: 1, message: "a"), ["type": "exception", "message": "a"]),
    (StoreError.storageFull, ["type": "dBException", "message": "full"]),
    (StoreError.foreignKeyViolation(message: "a"), ["type": "dBException", "message": constraintMessage]),
    (StoreError.uniqueViolation(message: "a"), ["type": "dBException", "message": constraintMessage]),
    (SQLiteError.full, ["type": "error", "dbError": "full"]),
    (SQLiteError.busy, ["type": "error", "dbError": "busy"]),
]

/// Forms of unions that the catalogue of the original core does not describe.
@Suite struct VocabularyTests {
    @Test
    func `An error that only this program has is encoded to JSON as an error of the original`() throws {
        for (error, json) in ownErrors { #expect(try JSONEncoder().encodeValue(error) == json) }
    }

    @Test
    func `Unlabelled values of an enum case in a response are encoded as nested lists in 'data'`() throws {
        let samples = try CatalogueSamples.all.get()
        let json: JSONValue = [
            "type": "fileTransferStatus",
            "data": [samples.makeValue("User"), [samples.makeValue("FileTransfer"), [3]]],
        ]
        let response = try JSONDecoder().decode(ChatResponse.self, from: json)
        guard case .fileTransferStatus(_, _, [3]) = response else {
            Issue.record("\(response)")
            return
        }
        #expect(try JSONEncoder().encodeValue(response) == json)
    }

    @Test
    func `Message content is the only value of a chat command that may have an unknown kind`() throws {
        let json: JSONValue = ["type": "poll", "text": "a"]
        #expect(try JSONDecoder.forCommands.decode(MsgContent.self, from: json) == .unrecognized(json))
        #expect(throws: (any Error).self) { try JSONDecoder.forCommands.decode(MsgReaction.self, from: json) }
    }
}
