internal import Agent
internal import ChatAPI
internal import SMP
internal import XFTP

extension AgentError {
    /// This error as the `FileError` that the API shows in the status of a file.
    var fileError: FileError {
        switch self {
        case .xftp(_, .auth): .auth
        case .xftp(let server, .blocked(let info)): .blocked(server: server, blockInfo: info.apiInfo)
        case .file(.noFile): .noFile
        case .broker(_, .host): .relay(srvError: .host)
        case .broker(_, .transport(.version)): .relay(srvError: .version)
        case .broker(_, let error): .relay(srvError: .other(srvError: error.text))
        default: .other(fileError: "\(self)")
        }
    }

    var hasUnapprovedServers: Bool { if case .file(.notApproved) = self { true } else { false } }
}
