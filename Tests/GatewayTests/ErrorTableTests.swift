import ChatAPI
import JSON
import TestSupport
import Testing

@testable import Gateway

/// Statuses of all errors of the core, from the table for HTTP.
@Suite struct ErrorTableTests {
    private func readTags(_ union: String) throws -> [String] {
        try #require(try Fixture.readCatalogue()["unions"]?[union]?.arrayValue).compactMap { $0["tag"]?.stringValue }
    }

    private func statusOfError(_ outer: String, _ member: String, _ error: JSONObject) -> Int {
        ProblemDetails(ChatErrorExplanation(["type": .string(outer), member: .object(error)] as JSONValue).code).status
    }

    private func tagsByStatus(_ union: String, _ outer: String, _ member: String) throws -> [Int: Set<String>] {
        Dictionary(grouping: try readTags(union)) { statusOfError(outer, member, JSONObject([("type", .string($0))])) }
            .mapValues {
                Set($0)
            }
    }

    @Test
    func `The HTTP status of a chat error depends on the cause, and a chat error of an unknown type gets 422`() throws {
        let statuses = try tagsByStatus("ChatErrorType", "error", "errorType")
        #expect(Set(statuses.keys) == [403, 404, 409, 413, 422, 500, 502, 503])
        #expect(statuses[500] == ["internalError", "groupInternal", "fileInternal"])
        #expect(statuses[502] == ["serverProtocol"])
        #expect(statuses[503] == ["chatNotStarted", "chatStoreChanged"])
        #expect(statuses[413] == ["fileSize"])
        #expect(statuses[403] == ["groupUserRole", "directMessagesProhibited"])
        #expect(
            statuses[404]?.isSuperset(of: [
                "userUnknown", "noConnectionUser", "contactNotFound", "groupMemberNotFound", "fileNotFound",
            ]) == true
        )
        #expect(
            statuses[409]?.isSuperset(of: [
                "noActiveUser", "userExists", "cantHideLastUser", "contactNotReady", "invalidChatItemUpdate",
            ]) == true
        )
        #expect(
            statuses[422]?.isSuperset(of: ["commandError", "invalidDisplayName", "invalidConnReq", "exception"]) == true
        )
        // An error of a later core.
        #expect(statusOfError("error", "errorType", ["type": "neverHeardOf"]) == 422)
    }

    @Test
    func `The explanation of a refused command contains the core's reason for the refusal`() {
        let error: JSONValue = [
            "type": "error",
            "errorType": ["type": "commandError", "message": "badge credential does not verify"],
        ]
        #expect(ChatErrorExplanation(error).code == .invalidValue)
        #expect(ChatErrorExplanation(error).detail == "The command is refused: badge credential does not verify.")
    }

    @Test(arguments: [
        ("ChatErrorType", "error", "errorType"), ("StoreError", "errorStore", "storeError"),
        ("AgentErrorType", "errorAgent", "agentError"),
        ("DatabaseError", "errorDatabase", "databaseError"),
    ])
    func `Every error of the core is described by a readable sentence`(
        union: String,
        outer: String,
        member: String
    ) throws {
        for tag in try readTags(union) {
            for error in [["type": .string(tag)], ["type": .string(tag), "message": "why not"]] as [JSONValue] {
                let detail = ChatErrorExplanation(
                    JSONValue.object(JSONObject([("type", .string(outer)), (member, error)]))
                )
                .detail
                #expect(
                    detail.hasSuffix(".") && detail.contains(" ") && detail.first?.isUppercase == true
                        || detail == "why not.",
                    "\(tag): \(detail)"
                )
                if outer == "error", error["message"] != nil { #expect(detail.contains("why not"), "\(tag)") }
            }
        }
        let unknown: JSONValue = ["type": "errorStore", "storeError": ["type": "contactNotFound", "contactId": 7]]
        #expect(ChatErrorExplanation(unknown).detail == "There is no contact for the id 7.")
        let relay: JSONValue = [
            "type": "errorStore", "storeError": ["type": "userChatRelayNotFound", "chatRelayId": 9],
        ]
        #expect(ChatErrorExplanation(relay).detail == "There is no chat relay for the id 9.")
    }

    @Test
    func `The HTTP status of a store error depends on the cause: missing row, duplicate or failure`() throws {
        let statuses = try tagsByStatus("StoreError", "errorStore", "storeError")
        for (status, tags) in statuses {
            for tag in tags where tag.contains("NotFound") { #expect(status == 404, "\(tag)") }
            for tag in tags where tag.hasPrefix("duplicate") { #expect(status == 409, "\(tag)") }
        }
        #expect(statuses[500] == ["internalError", "dBException", "uniqueID", "workItemError"])
        #expect(statuses[503] == ["dBBusyError"])
        #expect(statuses[413] == ["largeMsg"])
        #expect(Set(statuses.keys) == [404, 409, 413, 422, 500, 503])
    }

    @Test
    func `The HTTP status of an agent error depends on who caused the error: caller, relay or peer`() throws {
        let statuses = try tagsByStatus("AgentErrorType", "errorAgent", "agentError")
        #expect(
            statuses[500] == ["INTERNAL", "CRITICAL"] && statuses[503] == ["INACTIVE"] && statuses[404] == ["NO_USER"]
        )
        #expect(statuses[502]?.isSuperset(of: ["BROKER", "SMP", "PROXY"]) == true)
        for (error, expected) in [
            (#"{"type":"SMP","smpErr":{"type":"AUTH"}}"#, 409), (#"{"type":"SMP","smpErr":{"type":"QUOTA"}}"#, 429),
            (#"{"type":"SMP","smpErr":{"type":"STORE"}}"#, 502),
            (#"{"type":"BROKER","brokerErr":{"type":"TIMEOUT"}}"#, 504),
            (#"{"type":"BROKER","brokerErr":{"type":"NETWORK"}}"#, 502),
            (#"{"type":"CMD","cmdErr":{"type":"PROHIBITED"}}"#, 409),
            (#"{"type":"CMD","cmdErr":{"type":"SYNTAX"}}"#, 422),
            (#"{"type":"CONN","connErr":{"type":"NOT_FOUND"}}"#, 404),
            (#"{"type":"AGENT","agentErr":{"type":"A_VERSION"}}"#, 422),
        ] {
            #expect(
                statusOfError("errorAgent", "agentError", try #require(JSONValue(parsing: error).objectValue))
                    == expected,
                "\(error)"
            )
        }
    }

    @Test
    func `Errors of a paired device get 502 or 504, and errors of the caller get a 4xx status`() throws {
        let hosts = try tagsByStatus("RemoteHostError", "errorRemoteHost", "remoteHostError")
        #expect(
            hosts[404] == ["missing"] && hosts[504] == ["timeout"] && hosts[409] == ["inactive", "busy", "badState"]
        )
        #expect(hosts[502] == ["disconnected", "protocolError"] && hosts[422] == ["badVersion", "localCommand"])
        let controllers = try tagsByStatus("RemoteCtrlError", "errorRemoteCtrl", "remoteCtrlError")
        #expect(
            controllers[502]?.isSuperset(of: ["disconnected", "protocolError"]) == true
                && controllers[422] == ["badInvitation", "badVersion"]
        )
        let ofProtocol = try readTags("RemoteProtocolError")
        for tag in ofProtocol {
            let member: JSONValue = ["type": .string(tag)]
            let expected = tag == "pRESessionCode" ? 409 : 502
            #expect(
                statusOfError("errorRemoteHost", "remoteHostError", ["type": "protocolError", "data": member])
                    == expected,
                "\(tag)"
            )
            #expect(
                statusOfError("errorRemoteCtrl", "remoteCtrlError", ["type": "protocolError", "protocolError": member])
                    == expected,
                "\(tag)"
            )
        }
        for reason in ["identity", "version"] {
            let member: JSONValue = ["type": "pRERemoteControl", "rcError": ["type": .string(reason)]]
            #expect(
                statusOfError("errorRemoteCtrl", "remoteCtrlError", ["type": "protocolError", "protocolError": member])
                    == 409
            )
        }
    }

    @Test
    func `Errors of opening, exporting or encrypting databases, such as a wrong key, get a 4xx status`() throws {
        let statuses = try tagsByStatus("DatabaseError", "errorDatabase", "databaseError")
        #expect(
            statuses == [
                409: ["errorEncrypted", "errorPlaintext"], 404: ["errorNoFile"], 422: ["errorExport", "errorOpen"],
            ]
        )
    }

    @Test(arguments: [
        (ChatError.error(errorType: .quotaExceeded(resource: "items", limit: 3, message: "full")), 507),
        (.error(errorType: .storageFull(message: "a.zip")), 507), (.errorStore(storeError: .storageFull), 507),
        (.errorDatabase(databaseError: .errorExport(sqliteError: .full)), 507),
        (.errorDatabase(databaseError: .errorOpen(sqliteError: .busy)), 503),
        (.errorStore(storeError: .foreignKeyViolation(message: "a")), 404),
        (.errorStore(storeError: .uniqueViolation(message: "a")), 409),
        (
            .errorStore(
                storeError: .dBException(message: "full: No space left on device, ErrorConstraint FOREIGN KEY")
            ), 500
        ),
        (.error(errorType: .exception(message: "No space left on device")), 422),
    ])
    func `The HTTP status of an error depends on the type of the error, and not on the words of its message`(
        error: ChatError,
        status: Int
    ) { #expect(ProblemDetails(error).status == status) }

    @Test(arguments: [
        (ChatDatabaseError.errorExport(sqliteError: .full), "The databases cannot be written: the disk is full."),
        (.errorOpen(sqliteError: .busy), "The databases cannot be opened: they are in use."),
        (.errorOpen(sqliteError: .errorNotADatabase), "The databases cannot be opened: the key is wrong."),
    ])
    func `A full disk, a busy database and a wrong key are described by readable sentences`(
        error: ChatDatabaseError,
        words: String
    ) {
        #expect(ProblemDetails(ChatError.errorDatabase(databaseError: error)).detail == words)
    }

    @Test
    func `Errors that only the gateway has are encoded in the JSON form of the original's errors`() throws {
        func form(_ error: some Encodable) throws -> JSONValue { try JSONEncoder().encodeValue(error) }
        #expect(try form(ChatErrorType.storageFull(message: "a")) == form(ChatErrorType.exception(message: "a")))
        #expect(
            try form(ChatErrorType.quotaExceeded(resource: "items", limit: 3, message: "a"))
                == form(ChatErrorType.exception(message: "a"))
        )
        #expect(try form(StoreError.storageFull) == form(StoreError.dBException(message: "full")))
        #expect(try form(SQLiteError.full) == form(SQLiteError.error(dbError: "full")))
        #expect(try form(SQLiteError.busy) == form(SQLiteError.error(dbError: "busy")))
    }
}
