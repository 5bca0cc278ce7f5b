import ArgumentParser
import ChatAPI
import ChatCore
import Files
import Gateway

/// `simplex-gateway key`: manages API keys. Changes take effect immediately, also in a running gateway.
struct Key: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Add, list and revoke API keys.",
        subcommands: [Add.self, List.self, Revoke.self]
    )

    struct Folder: ParsableArguments {
        @Option(help: "The gateway's data folder. (default: ~/.local/share/simplex-gateway)")
        var data: String?
        @Option(help: "Id of the store to which the key belongs, as in /v1/stores. (default: the first store)")
        var store: String?

        func readPath(_ settings: Settings) throws -> String {
            try settings.readText("data", data) ?? DataFolder.findStandardPath()
        }

        func openKeyFile() throws -> KeyFile {
            let settings = try Settings()
            let folder = try readPath(settings)
            guard DiskFiles.isFolder(folder) else {
                throw Failure.configurationFailure("there is no folder \(folder): serve makes it at its first start")
            }
            // The gateway could not read files that root creates. So root continues as the owner of the folder.
            DataFolder.switchUserToOwner(of: folder)
            guard let store = try settings.readText("store", store) else { return KeyFile(folder: folder) }
            guard let keys = KeyFile(store: store, in: folder) else {
                throw Failure.configurationFailure(
                    "there is no store \(store) in \(folder). Keys of a store that nodes share are made by requests with an admin key of the store"
                )
            }
            return keys
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a key and print it. It cannot be shown again."
        )

        @OptionGroup var folder: Folder
        @Argument(help: "A name for the key, by which you recognize it.")
        var name: String
        @Option(
            help:
                "A scope: read, write, events (follow events and state), admin (everything in the store) or stores (manage other stores; only for keys of the first store). May be repeated. (default: read, write and events)"
        )
        var scope: [String] = []
        @Option(help: "Id of the only user (profile) that the key can access. (default: all)")
        var user: Int64?
        @Option(
            help:
                "Id of the only phone that the key can access, as in /v1/remote-hosts. The key reaches the routes of this phone, and nothing else."
        )
        var phone: Int64?
        @Option(help: "Days after which the key expires. (default: never)")
        var days: Int?

        func run() async throws {
            try await exitOnFailure {
                let settings = try Settings()
                guard KeyFile.isName(name) else {
                    throw Failure.configurationFailure(
                        "the name of a key must have 1 to 100 characters, without line breaks or other control characters"
                    )
                }
                let names = try settings.readList("scope", scope)
                guard let scopes = Scopes(names: names.isEmpty ? ["read", "write", "events"] : names) else {
                    throw Failure.configurationFailure("a scope must be read, write, events, admin or stores")
                }
                guard try settings.readText("store", folder.store) == nil || !scopes.contains(.stores) else {
                    throw Failure.configurationFailure("the scope stores is only for keys of the first store")
                }
                let (user, phone) = (try settings.readID("user", user), try settings.readID("phone", phone))
                guard phone == nil || user == nil && !scopes.contains(.stores) else {
                    throw Failure.configurationFailure("a key with --phone cannot have --user or the scope stores")
                }
                guard user == nil || !scopes.contains(.stores) else {
                    throw Failure.configurationFailure("a key with --user cannot have the scope stores")
                }
                let days = try settings.readPositiveNumber("days", days, upTo: 36_500)
                let expires = days.map { Timestamp.now.seconds + Int64($0) * 86_400 }
                let keys = try folder.openKeyFile()
                try await checkUserAndPhone(user: user, phone: phone, settings)
                do throws(KeyFileError) {
                    printLine(
                        try keys.addKey(name: name, scopes: scopes, userId: user, remoteHostId: phone, expires: expires)
                            .key.text
                    )
                } catch { throw Failure(exitCode: 1, message: error.description) }
            }
        }

        /// Refuses a key for a profile or phone that does not exist. Otherwise the key would later open a new profile
        /// or phone that gets the same number.
        private func checkUserAndPhone(user: Int64?, phone: Int64?, _ settings: Settings) async throws {
            guard user != nil || phone != nil else { return }
            let path = try folder.readPath(settings)
            // No other process may use the databases while a gateway uses them.
            let lock = try? FileLock.tryAcquire(path + "/.lock")
            guard lock != nil,
                let there = try await StoreInspection.readIDs(
                    of: settings.readText("store", folder.store),
                    in: path,
                    keyFile: settings.readPath("database-key-file", nil)
                )
            else {
                return printWarning(
                    "the store is in use, or opens only with its password: it was not checked whether \(user.map { "the profile \($0)" } ?? "the phone \(phone ?? 0)") exists. POST /v1/keys checks it"
                )
            }
            if let user, !there.users.contains(user) {
                throw Failure.configurationFailure("there is no profile \(user)")
            }
            if let phone, !there.remoteHosts.contains(phone) {
                throw Failure.configurationFailure("there is no phone \(phone)")
            }
            _ = consume lock
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the keys: id, scopes, user, name.")

        @OptionGroup var folder: Folder

        func run() async throws {
            try await exitOnFailure {
                let keys = try folder.openKeyFile()
                do throws(KeyFileError) {
                    for key in try keys.loadKeys() {
                        let user =
                            key.remoteHostId.map { "phone \($0)" } ?? key.userId.map { "user \($0)" } ?? "all users"
                        let chats = key.chats.map { " " + $0.map(\.text).sorted().joined(separator: ",") } ?? ""
                        let end = key.expiresAtSeconds.map { ", until " + Timestamp(seconds: $0).text } ?? ""
                        let name = KeyFile.isName(key.name) ? key.name : "(a name that cannot be shown)"
                        printLine(
                            "\(key.id)  \(key.scopes.names.joined(separator: ","))  \(user)\(chats)\(end)  \(name)"
                        )
                    }
                } catch { throw Failure(exitCode: 1, message: error.description) }
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Revoke a key by its id.")

        @OptionGroup var folder: Folder
        @Argument(help: "The id of the key, as in `key list`.")
        var id: String

        func run() async throws {
            try await exitOnFailure {
                let keys = try folder.openKeyFile()
                let isRevoked: Bool
                do throws(KeyFileError) { isRevoked = try keys.revokeKey(id: id) } catch {
                    throw Failure(exitCode: 1, message: error.description)
                }
                guard isRevoked else { throw Failure.configurationFailure("there is no key \(id)") }
                // Without an admin key, a new admin key can be added only with this command, which needs no key.
                if (try? keys.loadKeys())?.contains(where: { $0.scopes.contains(.admin) }) == false {
                    printWarning("no key with the scope admin is left: `simplex-gateway key add` makes one")
                }
            }
        }
    }
}
