/// Commands for the databases: passphrase, archive and deletion (Chat API, section 2.11).
package enum DatabaseCommand: Hashable, Sendable {
    case storageEncryption(config: DBEncryptionConfig)
    case testStorageEncryption(key: String)
    case exportArchive(config: ArchiveConfig?)
    case importArchive(config: ArchiveConfig)
    case deleteStorage
}

extension DatabaseCommand: CommandCategory {
    var commandText: CommandText {
        switch self {
        case .storageEncryption(let config): "/_db encryption \(json: config)"
        case .testStorageEncryption(let key): "/db test key \(key)"
        // Without a configuration, the core chooses the folder and the name of the archive.
        case .exportArchive(let config): "\("/_db export ", json: config)\("/db export", if: config == nil)"
        case .importArchive(let config): "/_db import \(json: config)"
        case .deleteStorage: "/_db delete"
        }
    }

    static let forms: [CommandForm<Self>] = [
        CommandForm("/_db encryption") { scanner throws(CommandParseError) in
            .storageEncryption(config: try scanner.scanJSON())
        },
        CommandForm("/db test key") { scanner throws(CommandParseError) in
            .testStorageEncryption(key: try scanner.scanWord())
        },
        CommandForm("/_db export") { scanner throws(CommandParseError) in
            .exportArchive(config: try scanner.scanJSON(ArchiveConfig.self))
        },
        CommandForm("/db export", is: .exportArchive(config: nil)),
        CommandForm("/_db import") { scanner throws(CommandParseError) in .importArchive(config: try scanner.scanJSON())
        },
        CommandForm("/_db delete", is: .deleteStorage),
    ]
}

extension DatabaseCommand {
    package var name: CommandName {
        switch self {
        case .storageEncryption: .storageEncryption
        case .testStorageEncryption: .testStorageEncryption
        case .exportArchive: .exportArchive
        case .importArchive: .importArchive
        case .deleteStorage: .deleteStorage
        }
    }
}
