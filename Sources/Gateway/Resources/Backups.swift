internal import JSON

/// Copies of everything.
enum Backups {
    static let routes: [Route] = [
        Route(.post, "/v1/backup", "backUp", room: "Operations", access: .key([.admin, .stores]), storeUse: .gateway) { context throws(ProblemDetails) in
            let services = context.services
            let target: String = try context.body().value("folder")
            try context.refuseUnknown()
            guard let stores = services.stores, stores.first != nil else { throw ProblemDetails(.notImplemented, "This gateway does not open its first store itself.") }
            let backup = try FolderBackup(services.configuration, target: target)
            return .later {
                do {
                    let made = try await stores.backUp(backup)
                    let body: JSONValue = ["folder": .string(target), "files": .integer(Int64(made.files)), "bytes": .integer(made.bytes)]
                    return HTTPResponse(status: 201, json: Array(body.text.utf8))
                } catch let problem as ProblemDetails {
                    return problem.response(for: context.request)
                } catch {
                    stores.log.error("A backup could not be made.", metadata: ["error": "\(error)"])
                    return ProblemDetails(error, "The backup could not be made: \(error)").response(for: context.request)
                }
            }
        }
    ]
}

extension FolderBackup {
    fileprivate init(_ configuration: GatewayConfiguration, target: String) throws(ProblemDetails) {
        let parts = target.split(separator: "/")
        guard target.hasPrefix("/"), !target.contains("\0"), !parts.isEmpty, !parts.contains("..") else {
            throw ProblemDetails(.invalidValue, "folder must be an absolute path.")
        }
        // The stores and relays have their paths from the folder's name as it was given.
        self.init(folder: configuration.folder, target: "/" + parts.joined(separator: "/"), growing: configuration.growingFiles)
    }
}
