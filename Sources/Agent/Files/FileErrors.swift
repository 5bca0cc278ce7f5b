import Files
import SMP
import XFTP

extension AgentError {
    /// Converts an error of a file operation. Errors of servers must already be `AgentError`s with the address of the
    /// server.
    init(ofFile error: any Error) {
        self =
            switch error {
            case let error as AgentError: error
            case let error as FileSystemError: .file(.fileIO(error.reason))
            case let error as FileDecryption.Failure: .file(.fileIO("\(error)"))
            case let error as FileDescriptionError: .file(.redirect(error.description))
            default: .internal("\(error)")
            }
    }

    /// Whether a file operation that failed with this error may succeed later without a change of settings.
    var isTemporaryForFiles: Bool {
        switch self {
        case .xftp(_, .timeout), .xftp(_, .internal): true
        case .broker(_, .network), .broker(_, .timeout), .broker(_, .transport(.badBlock)),
            .broker(_, .transport(.badSession)):
            true
        case .broker(_, let error): error.isHostFault
        default: false
        }
    }

    /// Whether the error means that the server's response cannot be parsed, or does not fit the command. The response
    /// to another attempt may be valid.
    var isMalformed: Bool {
        switch self {
        case .broker(_, .response), .broker(_, .unexpected): true
        default: false
        }
    }

    /// Whether the error means that the server has no free space. The server, or another one, may have space later.
    var isServerFull: Bool {
        if case .xftp(_, .quota) = self { true } else { false }
    }

    /// Whether the error means that no connection to the server is possible with the present settings or addresses. The
    /// program reports the error to users.
    var isHostFault: Bool {
        if case .broker(_, let error) = self { error.isHostFault } else { false }
    }
}

/// Text form of a file's error in the database.
extension AgentError {
    var storedForm: String {
        switch self {
        case .xftp(let server, let error): "XFTP \(server) \(error.text)"
        case .broker(let server, let error): "BROKER \(server) \(SMPErrorType.proxy(.broker(error)).text)"
        case .noUser: "NO_USER"
        case .file(.notApproved(let servers)): (["NOT_APPROVED"] + servers).joined(separator: " ")
        case .file(.size): "SIZE"
        case .file(.redirect(let detail)): "REDIRECT " + detail
        case .file(.fileIO(let detail)): "FILE_IO " + detail
        case .file(.noFile): "NO_FILE"
        case .internal(let detail): "INTERNAL " + detail
        default: "INTERNAL \(self)"
        }
    }

    init(stored text: String) {
        let word = text.prefix { $0 != " " }
        let rest = String(text.dropFirst(word.count + 1))
        let server = String(rest.prefix { $0 != " " })
        let detail = String(rest.dropFirst(server.count + 1))
        switch word {
        case "XFTP":
            let error = try? XFTPServerError(smpEncoded: Array(detail.utf8))
            self = error.map { .xftp(server: server, $0) } ?? .internal(text)
        case "BROKER":
            if case .proxy(.broker(let error))? = try? SMPErrorType(parsing: detail) {
                self = .broker(server: server, error)
            } else {
                self = .internal(text)
            }
        case "NO_USER": self = .noUser
        case "NOT_APPROVED": self = .file(.notApproved(rest.split(separator: " ").map(String.init)))
        case "SIZE": self = .file(.size)
        case "REDIRECT": self = .file(.redirect(rest))
        case "FILE_IO": self = .file(.fileIO(rest))
        case "NO_FILE": self = .file(.noFile)
        default: self = .internal(rest)
        }
    }
}
