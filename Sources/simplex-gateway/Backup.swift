import ArgumentParser
import Files
import JSON
import NIOPosix

/// `simplex-gateway backup`: copies the data folder of the running gateway, or one of its stores.
struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy the data folder of the running gateway, or one of its stores.",
        discussion: """
            The copy of everything is a data folder: `simplex-gateway serve --data FOLDER` starts with it. Never run both: contacts would no longer \
            understand one of them. With several nodes, the copy has the data folder of one node and the stores that no other node has open; the ids of the other stores are \
            printed. An encrypted copy is one file. `simplex-gateway restore` restores a folder and a file.

            The gateway completes the copy even if this command is stopped meanwhile. A copy that is a folder has a list of its contents, SHA256SUMS: `restore` checks it, and \
            `sha256sum --check` can check it too.
            """
    )

    @OptionGroup var client: ClientOptions
    @Option(help: "Copy only the store with this id. The first store cannot be copied alone.")
    var store: String?
    @Option(help: BackupSecretFile.help)
    var backupPassphraseFile: String?
    @Option(
        help:
            "Folder of an earlier copy on the machine of the gateway. The copy shares the files that have not changed since (hard links), and is whole without the earlier copy."
    )
    var base: String?
    @Argument(
        help:
            "The folder of the copy, or the file of an encrypted copy, on the machine of the gateway. It must not exist yet."
    )
    var folder: String

    func run() async throws {
        try await exitOnFailure {
            let settings = try Settings()
            var body: JSONObject = ["folder": .string(FilePaths.absolutePath(folder))]
            if let store = try settings.readText("store", store) { body["store"] = .string(store) }
            let base = try settings.readText("base", base)
            if let base { body["base"] = .string(FilePaths.absolutePath(base)) }
            if let secret = try BackupSecretFile.readText(settings, backupPassphraseFile) {
                body["passphrase"] = .string(secret)
            }
            let request = JSONValue.object(body)
            try await client.withGateway(settings) { gateway in
                let made = try await gateway.sendRequest(.POST, "/v1/backup", request, within: .hours(12))
                printLine(
                    "\(countWithNoun(made["files"]?.integerValue ?? 0, "file")), \(countWithNoun(made["bytes"]?.integerValue ?? 0, "byte"))"
                        + (base == nil ? "" : ", \(countWithNoun(made["shared"]?.integerValue ?? 0, "file")) shared")
                )
                func texts(_ name: String) -> [String] { made[name]?.arrayValue?.compactMap(\.stringValue) ?? [] }
                let (elsewhere, faults) = (texts("elsewhere"), texts("faults"))
                if !elsewhere.isEmpty {
                    printWarning(
                        "the copy lacks the stores that other nodes have open: make a copy there too: \(elsewhere.joined(separator: " "))"
                    )
                }
                let leftOut = texts("leftOut")
                for fault in faults { printWarning("the data folder, and so the copy, has a fault: \(fault)") }
                guard leftOut.isEmpty else {
                    throw Failure(
                        exitCode: 1,
                        message:
                            "the copy lacks stores that were locked, unlocked or replaced while they were copied: \(leftOut.joined(separator: " "))"
                    )
                }
                guard faults.isEmpty else {
                    throw Failure(exitCode: 1, message: "the copy is complete, but has the faults of the data folder")
                }
            }
        }
    }
}

/// Reads the file with the passphrase or the key of an encrypted backup.
enum BackupSecretFile {
    static let help: ArgumentHelp =
        "File with the passphrase of an encrypted backup, or with its key: 64 hexadecimal digits. (default: not encrypted)"

    static func readText(_ settings: Settings, _ flag: String?) throws -> String? {
        try settings.readPath("backup-passphrase-file", flag).map(readPassword)
    }
}
