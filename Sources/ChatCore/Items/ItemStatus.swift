internal import Agent
internal import ChatAPI
internal import ChatStore
internal import JSON

/// The state of a chat item. The database stores frequent states as words, and all other states as JSON. The index of
/// unread items needs the word `rcvNew`.
enum ItemStatus: Sendable, Hashable {
    case sndNew
    case sndSent
    case sndReceived
    case sndErrorAuth
    case rcvNew
    case rcvRead
    case other(CIStatus)

    init(stored: String) {
        switch stored {
        case "sndNew": self = .sndNew
        case "sndSent": self = .sndSent
        case "sndRcvd": self = .sndReceived
        case "sndErrorAuth": self = .sndErrorAuth
        case "rcvNew": self = .rcvNew
        case "rcvRead": self = .rcvRead
        default: self = .other((try? StoredJSON.decode(CIStatus.self, stored)) ?? .invalid(text: stored))
        }
    }

    var storedText: String {
        switch self {
        case .sndNew: "sndNew"
        case .sndSent: "sndSent"
        case .sndReceived: "sndRcvd"
        case .sndErrorAuth: "sndErrorAuth"
        case .rcvNew: "rcvNew"
        case .rcvRead: "rcvRead"
        case .other(let status): (try? StoredJSON.encode(status)) ?? "invalid"
        }
    }

    var api: CIStatus {
        switch self {
        case .sndNew: .sndNew
        case .sndSent: .sndSent(sndProgress: .complete)
        case .sndReceived: .sndRcvd(msgRcptStatus: .ok, sndProgress: .complete)
        case .sndErrorAuth: .sndErrorAuth
        case .rcvNew: .rcvNew
        case .rcvRead: .rcvRead
        case .other(let status): status
        }
    }
}

extension ItemStatus {
    /// Creates the status of a message that the agent has stopped trying to send.
    init(sendError: AgentError) {
        self = .other(.sndError(agentError: sendError.sendingError))
    }

    /// Creates the status of a message that the agent keeps trying to send after an error.
    init(sendWarning: AgentError) {
        self = .other(.sndWarning(agentError: sendWarning.sendingError))
    }
}
