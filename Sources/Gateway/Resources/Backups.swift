internal import Concurrency
internal import Files
internal import JSON

/// Copies of everything.
enum Backups {
    static let routes: [Route] = [
        Route(.post, "/v1/backup", "backUp", room: "Operations", access: .key([.admin, .stores])) { context throws(ProblemDetails) in
            let services = context.services
            guard let stores = services.stores else { throw ProblemDetails(.forbidden, "Only a key of the first store can copy all stores.") }
            let target: String = try context.body().value("folder")
            try context.refuseUnknown()
            let backup = try FolderBackup(services.configuration, target: target)
            return .later {
                do {
                    let made = try await backup.make(of: stores.all)
                    let body: JSONValue = ["folder": .string(target), "files": .integer(Int64(made.files)), "bytes": .integer(made.bytes)]
                    return HTTPResponse(status: 201, json: Array(body.text.utf8))
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
        guard target.hasPrefix("/"), !parts.isEmpty, !parts.contains("..") else {
            throw ProblemDetails(.invalidValue, "folder must be an absolute path.")
        }
        let target = "/" + parts.joined(separator: "/")
        guard !DiskFiles.exists(target) else { throw ProblemDetails(.invalidValue, "There is something at \(target) already.") }
        let parent = FilePaths.folder(of: target)
        guard let real = FilePaths.real(parent), DiskFiles.isFolder(real) else {
            throw ProblemDetails(.invalidValue, "There is no folder \(parent).")
        }
        let folder = FilePaths.real(configuration.folder) ?? configuration.folder
        guard real != folder, !FilePaths.isBelow(real, folder) else {
            throw ProblemDetails(.invalidValue, "A backup within the data folder would be a part of the next one.")
        }
        // The stores and relays have their paths from the folder's name as it was given.
        self.init(folder: configuration.folder, target: target, growing: configuration.growingFiles)
    }
}
