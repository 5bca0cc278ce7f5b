import ChatAPI
import ChatConsole
import ChatText
import Files
import Foundation
import JSON
import Testing

@testable import ChatCore
@testable import ChatStore

@Suite("Rights of the senders of commands")
struct RightsTests {
    private static let allScopes: Scopes = [.read, .write, .events, .admin, .stores]

    private func refusalError(_ text: String, _ rights: CommandRights, as user: Int64? = nil) throws -> ChatErrorType? {
        do {
            try rights.requirePermission(for: ChatCommand(parsing: text), as: user)
            return nil
        } catch let failure as ChatFailure {
            guard case .error(let type) = failure.error else { return nil }
            return type
        }
    }

    @Test(arguments: [
        ("/network socks=off", Scopes.admin), ("/smp smp://a@b", .admin), ("/operators 1:on", .admin),
        ("@bob hi", .write), ("/delete user bob", .write),
        ("/simplex", .write), ("/profile", .read), ("/tail 5", .read), ("/welcome", .read),
    ])
    func `A console command with names needs the scope 'read' in addition to the scopes of the translated command`(
        text: String,
        scope: Scopes
    ) throws {
        #expect(try Scopes.requiredScopes(for: ChatCommand(parsing: text)) == scope.union(.read))
    }

    @Test
    func `A command that needs only the scope 'read' has no effect`() {
        for command in CommandName.allCases where command.facts.scopes == .read {
            #expect([.read, .relayRead].contains(command.facts.effect), "\(command)")
        }
    }

    @Test
    func `When a console command is translated, the rights for the resulting command are checked too`() async throws {
        let core = try await World().core("translated")
        try await core.createUser("alice")
        let denied = ChatErrorType.accessDenied(reason: "the key lacks the scope admin")
        let action = ConsoleCommand.OwnAction.setServers(
            .smp,
            addresses: ["smp://1hpktu2wk5nKT52nenUpOcqXIJNPzcfh0CxrW7-5bDQ=@127.0.0.1:1"]
        )
        let command = core.controller.makeRunningCommand(CommandContext(.console(.ownUser(action))))
        let console = Console(
            TerminalEngine(terminalCommand: command, rights: CommandRights(scopes: .read, paths: .ownFolders))
        )
        do {
            _ = try await console.run(.ownUser(action), as: nil)
            Issue.record("the command was carried out")
        } catch let failure as ChatFailure {
            #expect(failure.error == .error(errorType: denied))
        }
        await core.controller.close()
    }

    @Test(
        arguments: [
            ("/_get chats 2 pcc=on", 2, true), ("/_get chats 2 pcc=on", nil, true), ("/_get chats 2 pcc=on", 1, false),
            ("/_get chats 1 pcc=on", 2, false),
            ("/_get chat @4 count=1", 2, true), ("/_get chat @4 count=1", nil, false),
            ("/_get chat @4 count=1", 1, false), ("/_user 2", 2, false),
            ("/_set conn user :3 1", 2, false), ("/_set conn user :3 2", 2, true), ("/_stop", 2, false),
            ("@bob hi", 2, true), ("@bob hi", nil, false),
            ("/delete user bob", 2, false), ("/users", 2, false),
        ] as [(String, Int64?, Bool)]
    )
    func `A key of one profile reaches only objects of this profile, whichever user is active`(
        text: String,
        user: Int64?,
        isAllowed: Bool
    ) throws {
        let refusal = try refusalError(
            text,
            CommandRights(scopes: Self.allScopes, userId: 2, paths: .ownFolders),
            as: user
        )
        #expect(refusal == (isAllowed ? nil : .accessDenied(reason: "the key is bound to one profile")))
    }

    @Test
    func `An unknown or forbidden command gets an error with the same text as in the original`() throws {
        let types: [ChatErrorType] = [.notImplemented(command: "apiNewGroup"), .accessDenied(reason: "no")]
        let messages = try types.map { try JSONEncoder().encodeValue(ChatError.error(errorType: $0)).text }
        #expect(messages[0].contains(#""type":"commandError","message":"not implemented: apiNewGroup""#))
        #expect(messages[1].contains(#""type":"commandError","message":"no""#))
    }

    @Test(arguments: [
        (#"/_db export {"archivePath":"/p"}"#, 1), (#"/_db import {"archivePath":"/p"}"#, 1),
        ("/_files_folder /p", 1), ("/_temp_folder /p", 1),
        ("/remote_hosts_folder /p", 1),
        (
            #"/set file paths {"appFilesFolder":"/p","appTempFolder":"/p","appAssetsFolder":"/p","appRemoteHostsFolder":"/p"}"#,
            4
        ),
        (
            #"/_send @4 json [{"fileSource":{"filePath":"/p"},"msgContent":{"type":"file","text":""}},{"filePath":"/p","msgContent":{"type":"file","text":""}}]"#,
            2
        ),
        (#"/_create *1 json [{"filePath":"/p","msgContent":{"type":"file","text":""}}]"#, 1),
        ("/freceive 1 approved_relays=on /p", 1),
        ("/_upload 1 /p", 1), ("/_download 1 simplex:/file#a /p", 1), ("/store remote file 1 /p", 1),
        (#"/get remote file 1 {"userId":1,"fileId":1,"sent":true,"fileSource":{"filePath":"/p"}}"#, 1),
    ])
    func `Each file path in a command is found and can be replaced by another path`(text: String, count: Int) throws {
        let command = try ChatCommand(parsing: text)
        let moved = command.mapPaths { path, _ in
            #expect(path == "/p")
            return "/q"
        }
        #expect(Self.strings(in: command).count { $0 == "/p" } == count)
        #expect(Self.strings(in: moved).count { $0 == "/q" } == count)
        #expect(!Self.strings(in: moved).contains("/p"))
    }

    /// All texts anywhere in a value.
    private static func strings(in value: Any) -> [String] {
        if let text = value as? String { return [text] }
        return Mirror(reflecting: value).children.flatMap { strings(in: $0.value) }
    }

    @Test
    func `A file to send must be in a folder of the store, so that a client cannot send secret keys of the machine`()
        async throws
    {
        let core = try await World().core("sending")
        try await core.createUser("alice")
        func send(_ path: String, _ access: PathAccess) async throws -> ChatErrorType? {
            let text =
                #"/_send @4 json [{"fileSource":{"filePath":"\#(path)"},"msgContent":{"type":"file","text":""}}]"#
            let rights = CommandRights(scopes: [.read, .write], paths: access)
            guard
                case .error(.error(let type)) = await core.controller.send(try ChatCommand(parsing: text), with: rights)
            else { return nil }
            return type
        }
        let folder = core.controller.services.folders.dataDirectory
        let refused = ChatErrorType.commandError(message: "the path is not in a folder of the store")
        for path in ["/etc/passwd", "../database.key", "\(folder)/database.key", "\(folder)/files/../database.key"] {
            #expect(try await send(path, .ownFolders) == refused, "\(path)")
        }
        // These paths are permitted. The command fails with another error, because the chat does not exist.
        for path in ["photo.jpg", "\(folder)/files/photo.jpg", "\(folder)/space/photo.jpg"] {
            #expect(try await send(path, .ownFolders) != refused, "\(path)")
        }
        #expect(try await send("/etc/passwd", .anywhere) != refused)
        await core.controller.close()
    }
}

@Suite("Restriction of paths to the folders of the store")
struct PathConfinementTests {
    /// A data folder, and a folder outside of it.
    private struct TestFolders {
        let dataFolder: String
        let outsideFolder: String
        let rootFolder: URL

        init() throws {
            rootFolder = URL(
                filePath: FileManager.default.temporaryDirectory.appending(path: "paths-\(UUID().uuidString)").path
            )
            for folder in ["data/space/in", "data/files", "outside/deep"] {
                try FileManager.default.createDirectory(
                    at: rootFolder.appending(path: folder),
                    withIntermediateDirectories: true
                )
            }
            (dataFolder, outsideFolder) = (rootFolder.path + "/data", rootFolder.path + "/outside")
        }

        func makeLink(_ name: String, to target: String) throws {
            try FileManager.default.createSymbolicLink(atPath: dataFolder + "/" + name, withDestinationPath: target)
        }

        func makeConfinement(
            isBound: Bool = false,
            _ change: (LocalFolders) throws -> Void = { _ in }
        ) throws -> PathConfinement {
            let folders = LocalFolders(dataDirectory: dataFolder)
            try change(folders)
            return PathConfinement(folders.paths, isBound: isBound)
        }

        func removeFolders() { try? FileManager.default.removeItem(at: rootFolder) }
    }

    @Test(arguments: [
        "space/a.zip", "space/in/a.zip", "space/new/folder/a", "files/a.jpg", "temp/a", "assets/wallpapers/a",
        "remote_hosts/x",
    ])
    func `A path in the permitted folders is accepted, whether the file exists or not`(_ path: String) throws {
        let place = try TestFolders()
        defer { place.removeFolders() }
        let base = try #require(FilePaths.canonicalPath(place.dataFolder))
        #expect(try place.makeConfinement().resolvePath("\(place.dataFolder)/\(path)", .file) == "\(base)/\(path)")
    }

    @Test(arguments: [
        "", "a.zip", "space", "space/", "space/../database.key", "space/./a", "space//a", "space/a/", "spaces/a",
        "space/\0/a", "space/in/../../keys.json",
        "../outside/a",
    ])
    func `A path outside of the allowed folders is refused in any spelling`(_ path: String) throws {
        let place = try TestFolders()
        defer { place.removeFolders() }
        #expect(throws: ChatFailure.self) {
            try place.makeConfinement().resolvePath("\(place.dataFolder)/\(path)", .file)
        }
    }

    @Test
    func `Symbolic links are resolved, and links out of the permitted folders and dangling links are refused`() throws {
        let place = try TestFolders()
        defer { place.removeFolders() }
        try place.makeLink("space/out", to: place.outsideFolder)
        try place.makeLink("space/key", to: "../database.key")
        try place.makeLink("space/nowhere", to: place.outsideFolder + "/new.zip")
        try place.makeLink("space/lost", to: place.outsideFolder + "/new")
        try place.makeLink("space/back", to: place.dataFolder + "/space/in")
        try place.makeLink("files/out", to: place.outsideFolder)
        try Data().write(to: URL(filePath: place.dataFolder + "/database.key"))
        let confinement = try place.makeConfinement()
        for path in [
            "space/out/a.zip", "space/out", "space/out/deep/a", "space/key", "space/nowhere", "space/lost/a",
            "space/back/../../database.key",
        ] {
            #expect(throws: ChatFailure.self, "\(path)") {
                try confinement.resolvePath("\(place.dataFolder)/\(path)", .file)
            }
        }
        #expect(throws: ChatFailure.self) { try confinement.resolvePath("out/a", .messageFile) }
        #expect(throws: ChatFailure.self) { try confinement.resolvePath("../database.key", .messageFile) }
        #expect(try confinement.resolvePath("a", .messageFile) == "a")
        #expect(try confinement.resolvePath("\(place.dataFolder)/space/back/a", .file).hasSuffix("/data/space/in/a"))
    }

    @Test
    func `A client with limited rights gets a random part in new file names, and cannot use absolute paths`()
        throws
    {
        let place = try TestFolders()
        defer { place.removeFolders() }
        #expect(try place.makeConfinement().resolvePath("a.txt", .newFile) == "a.txt")
        let bound = try place.makeConfinement(isBound: true)
        for path in ["a.txt", "in/a.txt"] {
            #expect(try FileName.isRandomized(bound.resolvePath(path, .newFile), of: "a.txt"))
        }
        for path in ["../a.txt", "\(place.dataFolder)/files/a.txt", ""] {
            #expect(throws: ChatFailure.self, "\(path)") { try bound.resolvePath(path, .newFile) }
        }
        #expect(try bound.resolvePath("a.txt", .messageFile) == "a.txt")
    }

    @Test
    func `A permitted folder is resolved to its real path, with or without a slash at the end of the path`() throws {
        let place = try TestFolders()
        defer { place.removeFolders() }
        #expect(
            try place.makeConfinement().resolvePath("\(place.dataFolder)/space/in/", .folder).hasSuffix(
                "/data/space/in"
            )
        )
        #expect(throws: ChatFailure.self) { try place.makeConfinement().resolvePath("\(place.dataFolder)/", .folder) }
    }

    @Test
    func `A folder for files that a client chose is accepted, unless the folder contains the databases`() throws {
        let place = try TestFolders()
        defer { place.removeFolders() }
        let chosen = try place.makeConfinement { try $0.setFolder(place.outsideFolder, as: \.filesFolder) }
        #expect(try chosen.resolvePath("\(place.outsideFolder)/a", .file).hasSuffix("/outside/a"))
        #expect(throws: ChatFailure.self) { try chosen.resolvePath("\(place.dataFolder)/files/a", .file) }
        for folder in [place.dataFolder, place.rootFolder.path, "/"] {
            let unsafe = try place.makeConfinement { try $0.setFolder(folder, as: \.filesFolder) }
            #expect(throws: ChatFailure.self, "\(folder)") {
                try unsafe.resolvePath("\(place.dataFolder)/database.key", .file)
            }
            #expect(throws: ChatFailure.self, "\(folder)") { try unsafe.resolvePath("database.key", .messageFile) }
        }
    }
}
