internal import ChatAPI
internal import JSON

/// The form of a status in the column `conn_status`.
extension ConnStatus {
    private static let failurePrefix = "failed "

    init(stored text: String) {
        switch text {
        case "new": self = .new
        case "prepared": self = .prepared
        case "joined": self = .joined
        case "requested": self = .requested
        case "accepted": self = .accepted
        case "snd-ready": self = .sndReady
        case "ready": self = .ready
        case "deleted": self = .deleted
        case _ where text.hasPrefix(Self.failurePrefix):
            self = .failed(connError: String(text.dropFirst(Self.failurePrefix.count)))
        default: self = .unrecognized(["type": .string(text)])
        }
    }

    var storedText: String {
        switch self {
        case .new: "new"
        case .prepared: "prepared"
        case .joined: "joined"
        case .requested: "requested"
        case .accepted: "accepted"
        case .sndReady: "snd-ready"
        case .ready: "ready"
        case .deleted: "deleted"
        case .failed(let error): Self.failurePrefix + error
        case .unrecognized(let value): value["type"]?.stringValue ?? ""
        }
    }
}
