import ArgumentParser
import Files
import JSON
import NIOPosix

/// `simplex-gateway backup`: copies the data folder of the running gateway, or one of its stores.
struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Copy the data folder of the gateway that runs, or one of its stores.",
        discussion: """
            The copy of everything is a data folder: `simplex-gateway serve --data FOLDER` starts with it. Never let both run: contacts would stop to \
            understand one of them. The copy of a node of several has its data folder, and those stores that no other node has open; the ids of the others are \
            told. An encrypted copy is one file. `simplex-gateway restore` restores both.

            The gateway makes the copy, also when this command is stopped meanwhile. A copy that is a folder has a list of its contents, SHA256SUMS: `restore` compares it, and \
            `sha256sum --check` does.
            """)

    @OptionGroup var client: ClientOptions
    @Option(help: "Copy only the store with this id, which is not the first one.")
    var store: String?
    @Option(help: BackupSecretFile.help)
    var backupPassphraseFile: String?
    @Argument(help: "The folder of the copy, or its file where it is encrypted, on the machine of the gateway. There must be nothing yet.")
    var folder: String

    func run() async throws {
        try await exiting {
            let settings = try Settings()
            var body: JSONObject = ["folder": .string(FilePaths.absolute(folder))]
            if let store = try settings.text("store", store) { body["store"] = .string(store) }
            if let secret = try BackupSecretFile.text(settings, backupPassphraseFile) { body["passphrase"] = .string(secret) }
            let request = JSONValue.object(body)
            try await client.withGateway(settings) { gateway in
                let made = try await gateway.call(.POST, "/v1/backup", request, within: .hours(12))
                standardOutput("\(counted(made["files"]?.integerValue ?? 0, "file")), \(counted(made["bytes"]?.integerValue ?? 0, "byte"))")
                func texts(_ name: String) -> [String] { made[name]?.arrayValue?.compactMap(\.stringValue) ?? [] }
                let (elsewhere, faults) = (texts("elsewhere"), texts("faults"))
                if !elsewhere.isEmpty { warn("other nodes have stores which are not in the copy; make one there as well: \(elsewhere.joined(separator: " "))") }
                for fault in faults { warn("this is so in the copy too: \(fault)") }
                guard faults.isEmpty else { throw Failure(code: 1, message: "the copy is made, and has the faults of what was copied") }
            }
        }
    }
}

/// The file with the passphrase or the key of encrypted backups.
enum BackupSecretFile {
    static let help: ArgumentHelp = "File with the passphrase of an encrypted backup, or with its key: 64 hexadecimal digits. (default: not encrypted)"

    static func text(_ settings: Settings, _ flag: String?) throws -> String? { try settings.path("backup-passphrase-file", flag).map(password) }
}
