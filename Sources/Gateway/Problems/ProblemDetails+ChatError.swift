internal import ChatAPI
internal import ChatCore
internal import JSON

/// Conversion of the core's errors to problems. Errors without a tag are converted first, all other errors by one table
/// of tags. An error with an unknown tag gets the status 422. The text of an error message never decides about the code
/// of the problem.
extension ProblemDetails {
    init(_ error: ChatError) {
        let json = (try? JSONEncoder().encodeValue(error)) ?? .null
        switch error {
        case .error(.notImplemented(let command)):
            self.init(.invalidValue, "The command \(command) is not supported.", chatError: json)
        case .error(.accessDenied(let reason)): self.init(.forbidden, reason, chatError: json)
        case .error(.quotaExceeded(let resource, let limit, let message)):
            self.init(quota: resource, limit: limit, ProblemSentences.makeSentence(message), chatError: json)
        case .error(.fileAway(let seconds, let message)):
            self.init(away: seconds, ProblemSentences.makeSentence(message), chatError: json)
            return
        case .error(.tooManyPasswords(let seconds)):
            self.init(.tooManyRequests, "Too many wrong passwords of profiles were tried.", chatError: json)
            headers = [("Retry-After", "\(seconds)")]
            return
        case .error(.storageFull(let message)):
            self.init(
                .storageFull,
                ProblemSentences.makeSentence(ProblemSentences.removeOperationName(message)),
                chatError: json
            )
        case .errorStore(.storageFull): self.init(.storageFull, Self.databaseRefusalText, chatError: json)
        case .errorStore(.foreignKeyViolation): self.init(.notFound, Self.databaseRefusalText, chatError: json)
        case .errorStore(.uniqueViolation): self.init(.conflict, Self.databaseRefusalText, chatError: json)
        case .errorDatabase(.errorExport(.full)), .errorDatabase(.errorOpen(.full)):
            self.init(.storageFull, ChatErrorExplanation(json).detail, chatError: json)
        case .errorDatabase(.errorExport(.busy)), .errorDatabase(.errorOpen(.busy)):
            self.init(.unavailable, ChatErrorExplanation(json).detail, chatError: json)
        default:
            let tag = ChatErrorExplanation(json)
            self.init(tag.code, tag.detail, chatError: json)
        }
        if code == .unavailable || code == .relayTimeout || code == .tooManyRequests {
            headers.append(("Retry-After", "5"))
        }
    }

    /// The text for every error of the database. The database's own messages may quote texts of users, so they are not
    /// repeated.
    private static let databaseRefusalText = "The database has refused the change."
}

struct ChatErrorExplanation {
    let code: ProblemDetails.Code
    let detail: String

    init(_ json: JSONValue) {
        let outer = json["type"]?.stringValue ?? ""
        switch outer {
        case "error":
            let tag = json["errorType"]?["type"]?.stringValue ?? ""
            code = ChatErrorExplanation.chatCodes[tag] ?? .chatError
            detail = ProblemSentences.makeChatSentence(tag, json["errorType"])
        case "errorStore":
            let tag = json["storeError"]?["type"]?.stringValue ?? ""
            code = ChatErrorExplanation.storeCode(tag)
            detail = ProblemSentences.makeStoreSentence(tag, json["storeError"])
        case "errorAgent":
            let error = json["agentError"]
            let tag = error?["type"]?.stringValue ?? ""
            code = ChatErrorExplanation.agentCode(tag, error)
            detail = ChatErrorExplanation.explainAgentError(tag, error)
        case "errorDatabase":
            let error = json["databaseError"]
            code = ChatErrorExplanation.databaseCode(error?["type"]?.stringValue ?? "")
            detail = ProblemSentences.makeDatabaseSentence(error?["type"]?.stringValue ?? "", error?["sqliteError"])
        case "errorRemoteCtrl": (code, detail) = ChatErrorExplanation.explainRemoteError(json["remoteCtrlError"])
        case "errorRemoteHost": (code, detail) = ChatErrorExplanation.explainRemoteError(json["remoteHostError"])
        default:
            code = .chatError
            detail = "The core has refused the command: \(outer)."
        }
    }

    private static let chatCodes: [String: ProblemDetails.Code] = [
        "noActiveUser": .conflict, "noConnectionUser": .notFound, "noSndFileUser": .notFound,
        "noRcvFileUser": .notFound,
        "userUnknown": .notFound, "userExists": .conflict, "chatRelayExists": .conflict,
        "differentActiveUser": .conflict,
        "cantDeleteActiveUser": .conflict, "cantDeleteLastUser": .conflict, "cantHideLastUser": .conflict,
        "hiddenUserAlwaysMuted": .conflict, "userAlreadyHidden": .conflict, "userNotHidden": .conflict,
        "activeUserExists": .conflict,
        "emptyUserPassword": .invalidValue, "invalidDisplayName": .invalidValue, "invalidConnReq": .invalidValue,
        "unsupportedConnReq": .invalidValue, "commandError": .invalidValue, "agentCommandError": .invalidValue,
        "invalidQuote": .invalidValue, "invalidFileDescription": .invalidValue, "invalidChatMessage": .invalidValue,
        "chatNotStarted": .unavailable, "chatNotStopped": .conflict, "chatStoreChanged": .unavailable,
        "contactNotReady": .conflict, "contactNotActive": .conflict, "contactDisabled": .conflict,
        "connectionDisabled": .conflict,
        "connReqMessageProhibited": .conflict, "groupUserRole": .forbidden, "groupNotJoined": .conflict,
        "groupMemberNotActive": .conflict,
        "groupDuplicateMember": .conflict, "groupDuplicateMemberId": .conflict, "groupMemberUserRemoved": .conflict,
        "groupMemberNotFound": .notFound, "groupCantResendInvitation": .conflict, "contactNotFound": .notFound,
        "fileNotFound": .notFound, "fileAlreadyReceiving": .conflict, "fileCancelled": .conflict,
        "fileCancel": .conflict,
        "fileAlreadyExists": .conflict, "fileSize": .bodyTooLarge, "fileNotReceived": .conflict,
        "fileNotApproved": .conflict,
        "invalidChatItemUpdate": .conflict, "invalidChatItemDelete": .conflict, "invalidForward": .conflict,
        "hasCurrentCall": .conflict, "noCurrentCall": .conflict, "callContact": .conflict, "callState": .conflict,
        "connectionIncognitoChangeProhibited": .conflict, "connectionUserChangeProhibited": .conflict,
        "directMessagesProhibited": .forbidden, "internalError": .internalError, "exception": .invalidValue,
        "groupInternal": .internalError, "fileInternal": .internalError, "serverProtocol": .relayUnreachable,
    ]

    private static func databaseCode(_ tag: String) -> ProblemDetails.Code {
        switch tag {
        case "errorEncrypted", "errorPlaintext": .conflict
        case "errorNoFile": .notFound
        default: .invalidValue
        }
    }

    private static func storeCode(_ tag: String) -> ProblemDetails.Code {
        switch tag {
        case "dBBusyError": .unavailable
        case "dBException", "internalError", "uniqueID", "workItemError": .internalError
        case "largeMsg": .bodyTooLarge
        case "prohibitedDeleteUser", "contactNotReady", "groupAlreadyJoined", "noteFolderAlreadyExists",
            "duplicateName":
            .conflict
        case _ where tag.hasPrefix("duplicate") || tag.contains("DuplicateCA"): .conflict
        case _ where tag.contains("NotFound") || tag.contains("Unknown"): .notFound
        default: .invalidValue
        }
    }

    /// Returns an explanation of an agent error whose own text is only a protocol code.
    private static func explainAgentError(_ tag: String, _ error: JSONValue?) -> String {
        switch (tag, error?["smpErr"]?["type"]?.stringValue, error?["brokerErr"]?["type"]?.stringValue) {
        case ("SMP", "AUTH", _):
            "The relay refused. Either the queue was deleted or secured by somebody else, so the link was used or withdrawn; or the relay needs its password to make queues (`smp://…:password@…`)."
        case ("SMP", "QUOTA", _): "The queue is full: the other side has not received messages for a long time."
        case ("SMP", "NAME", _): ProblemSentences.makeNameSentence(error?["smpErr"]?["nameErr"]?["type"]?.stringValue)
        case ("NO_NAME_SERVERS", _, _): "No relay of the profile may resolve names: give a relay the role `names`."
        case ("SMP", let reason?, _): "The relay refused: \(reason)."
        case ("BROKER", _, "TIMEOUT"): "The relay did not answer in time."
        case ("BROKER", _, let reason?):
            "The relay cannot be used: "
                + [
                    reason, error?["brokerErr"]?["networkError"]?["type"]?.stringValue,
                    error?["brokerErr"]?["transportErr"]?["type"]?.stringValue,
                    error?["brokerErr"]?["transportErr"]?["handshakeErr"]?["type"]?.stringValue,
                ].compactMap { $0 }.joined(separator: " ") + "."
        case ("AGENT", _, _) where error?["agentErr"]?["type"] == "A_VERSION":
            "The version of the link is not supported."
        case ("CMD", _, _) where error?["errContext"]?.stringValue?.hasSuffix("send prohibited") == true:
            "Nothing can be sent over the connection until its encryption is renegotiated: POST …/sync does that."
        case ("CMD", _, _):
            "The connection does not allow this: "
                + [error?["cmdErr"]?["type"]?.stringValue, error?["errContext"]?.stringValue].compactMap { $0 }.joined(
                    separator: " "
                ) + "."
        case ("CONN", _, _): ProblemSentences.makeConnectionSentence(error?["connErr"]?["type"]?.stringValue ?? "")
        case ("FILE", _, _): "The file cannot be transferred: \(error?["fileErr"]?["type"]?.stringValue ?? "")."
        case ("XFTP", _, _): "The file server has refused: \(error?["xftpErr"]?["type"]?.stringValue ?? "")."
        case ("INACTIVE", _, _): "The agent is not running: try again."
        case ("NO_USER", _, _): "The agent has no such user."
        default: "The agent has refused: \(tag)."
        }
    }

    private static func agentCode(_ tag: String, _ error: JSONValue?) -> ProblemDetails.Code {
        switch tag {
        case "CMD":
            return error?["cmdErr"]?["type"]?.stringValue == "PROHIBITED" ? .conflict : .invalidValue
        case "CONN":
            return error?["connErr"]?["type"]?.stringValue == "NOT_FOUND" ? .notFound : .conflict
        case "NO_USER": return .notFound
        case "SMP":
            // `AUTH`: another key has secured the queue, or the queue was deleted. `QUOTA`: the queue is full.
            switch error?["smpErr"]?["type"]?.stringValue {
            case "AUTH": return .conflict
            case "QUOTA": return .tooManyRequests
            case "NAME":
                switch error?["smpErr"]?["nameErr"]?["type"]?.stringValue {
                case "NOT_FOUND": return .notFound
                case "NO_RESOLVER": return .conflict
                default: return .relayUnreachable
                }
            default: return .relayUnreachable
            }
        case "BROKER":
            return error?["brokerErr"]?["type"]?.stringValue == "TIMEOUT" ? .relayTimeout : .relayUnreachable
        // `A_VERSION` means that the peer offers no version that this program supports. Any other agent error means
        // that a message does not fit the state of the connection.
        case "AGENT": return error?["agentErr"]?["type"]?.stringValue == "A_VERSION" ? .invalidValue : .conflict
        case "INACTIVE": return .unavailable
        case "NO_NAME_SERVERS": return .conflict
        case "INTERNAL", "CRITICAL": return .internalError
        default: return .relayUnreachable
        }
    }
}
