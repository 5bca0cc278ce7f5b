internal import ChatAPI

/// Phones whose profiles are served here. What a phone offers has the same routes as what is here, below `/v1/remote-hosts/{remoteHostId}`.
enum RemoteHosts {
    /// What the paths of a phone's routes begin with, instead of `/v1/`.
    static let prefix = "/v1/remote-hosts/"

    static let routes: [Route] = [
        .command(.get, "/v1/remote-hosts", .listRemoteHosts, room: "RemoteControl") { _ throws(ProblemDetails) in .remoteControl(.listRemoteHosts) },
        .command(.post, "/v1/remote-hosts", .startRemoteHost, room: "RemoteControl", success: .accepted) { context throws(ProblemDetails) in
            let body = try context.body()
            return .remoteControl(
                .startRemoteHost(
                    remoteHostId: try body.optional("remoteHostId"), multicast: try body.optional("multicast") ?? false,
                    address: try body.optional("address"), port: try body.optional("port")))
        },
        .command(.put, "/v1/remote-hosts/current", .switchRemoteHost, room: "RemoteControl") { context throws(ProblemDetails) in
            .remoteControl(.switchRemoteHost(remoteHostId: try context.body().optional("remoteHostId")))
        },
        .command(.delete, "/v1/remote-hosts/{remoteHostId}", .deleteRemoteHost, room: "RemoteControl") { context throws(ProblemDetails) in
            .remoteControl(.deleteRemoteHost(remoteHostId: try context.id("remoteHostId")))
        },
        .command(.delete, "/v1/remote-hosts/{remoteHostId}/session", .stopRemoteHost, room: "RemoteControl") { context throws(ProblemDetails) in
            let isNew = context.parameters["remoteHostId"] == "new"
            return .remoteControl(.stopRemoteHost(remoteHostId: isNew ? nil : try context.id("remoteHostId")))
        },
        .command(.post, "/v1/remote-hosts/{remoteHostId}/stored-files", .storeRemoteFile, room: "RemoteControl") { context throws(ProblemDetails) in
            let body = try context.body()
            return .remoteControl(
                .storeRemoteFile(
                    remoteHostId: try context.id("remoteHostId"), storeEncrypted: try body.optional("storeEncrypted"), localPath: try body.value("localPath")))
        },
        .command(.post, "/v1/remote-hosts/{remoteHostId}/fetched-files", .getRemoteFile, room: "RemoteControl") { context throws(ProblemDetails) in
            .remoteControl(.getRemoteFile(remoteHostId: try context.id("remoteHostId"), file: try context.body().value("file")))
        },
    ]

    /// The phone that a path names, and the path that it has for what is here.
    static func split(_ path: String) -> (id: Int64, path: String)? {
        guard path.hasPrefix(prefix) else { return nil }
        let rest = path.dropFirst(prefix.count)
        guard let end = rest.firstIndex(of: "/"), let id = Int64(wholeNumber: String(rest[..<end])), id > 0 else { return nil }
        return (id, "/v1" + rest[end...])
    }

    /// Whether a route can be one of a phone: commands, and what follows their effects. What concerns this gateway itself is none of them.
    static func serves(_ route: Route) -> Bool {
        switch route.room {
        case "RemoteControl", "Stores", "Keys", "Operations", "Lifecycle", "Database": false
        // Files are sent and fetched by commands.
        case "Files": CommandName(rawValue: route.operationID) != nil
        default: route.template.hasPrefix("/v1/")
        }
    }
}
