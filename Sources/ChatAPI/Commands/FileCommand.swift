/// Commands for files of messages, and standalone files (Chat API, section 2.7).
package enum FileCommand: Hashable, Sendable {
    case receiveFile(fileId: Int64, userApprovedRelays: Bool, encrypted: Bool?, inline: Bool?, filePath: String?)
    case setFileToReceive(fileId: Int64, userApprovedRelays: Bool, encrypted: Bool?)
    case cancelFile(fileId: Int64)
    case uploadStandaloneFile(userId: Int64, file: CryptoFile)
    case downloadStandaloneFile(userId: Int64, url: String, file: CryptoFile)
    case standaloneFileInfo(url: String)
}

extension ChatCommand {
    /// This command with the default of the original terminal client. If a command to receive a file has no option
    /// `encrypt`, the file is stored unencrypted. All other commands are unchanged.
    package var storingPlainFiles: ChatCommand {
        switch self {
        case .files(.receiveFile(let fileId, let approved, nil, let inline, let path)):
            .files(
                .receiveFile(
                    fileId: fileId,
                    userApprovedRelays: approved,
                    encrypted: false,
                    inline: inline,
                    filePath: path
                )
            )
        case .files(.setFileToReceive(let fileId, let approved, nil)):
            .files(.setFileToReceive(fileId: fileId, userApprovedRelays: approved, encrypted: false))
        default: self
        }
    }
}

extension FileCommand: CommandCategory {
    var commandText: CommandText {
        switch self {
        case .receiveFile(let fileId, let userApprovedRelays, let encrypted, let inline, let filePath):
            "/freceive \(fileId) approved_relays=\(userApprovedRelays)\(" encrypt=", encrypted)\(" inline=", inline)\(" ", filePath)"
        case .setFileToReceive(let fileId, let userApprovedRelays, let encrypted):
            "/_set_file_to_receive \(fileId) approved_relays=\(userApprovedRelays)\(" encrypt=", encrypted)"
        case .cancelFile(let fileId): "/fcancel \(fileId)"
        case .uploadStandaloneFile(let userId, let file): "/_upload \(userId)\(file)"
        case .downloadStandaloneFile(let userId, let url, let file): "/_download \(userId) \(url)\(file)"
        case .standaloneFileInfo(let url): "/_download info \(url)"
        }
    }

    static let forms: [CommandForm<Self>] = [
        CommandForm("/freceive", "/fr") { scanner throws(CommandParseError) in
            .receiveFile(
                fileId: try scanner.scanNumber(),
                userApprovedRelays: try scanner.scanFlag("approved_relays") ?? false,
                encrypted: try scanner.scanFlag("encrypt"),
                inline: try scanner.scanFlag("inline"),
                filePath: try scanner.scanRemainderIfAny()
            )
        },
        CommandForm("/_set_file_to_receive") { scanner throws(CommandParseError) in
            .setFileToReceive(
                fileId: try scanner.scanNumber(),
                userApprovedRelays: try scanner.scanFlag("approved_relays") ?? false,
                encrypted: try scanner.scanFlag("encrypt")
            )
        },
        CommandForm("/fcancel", "/fc") { scanner throws(CommandParseError) in
            .cancelFile(fileId: try scanner.scanNumber())
        },
        CommandForm("/_upload") { scanner throws(CommandParseError) in
            .uploadStandaloneFile(userId: try scanner.scanNumber(), file: try scanner.scanCryptoFile())
        },
        CommandForm("/_download") { scanner throws(CommandParseError) in
            .downloadStandaloneFile(
                userId: try scanner.scanNumber(),
                url: try scanner.scanWord(),
                file: try scanner.scanCryptoFile()
            )
        },
        CommandForm("/_download info") { scanner throws(CommandParseError) in
            .standaloneFileInfo(url: try scanner.scanWord())
        },
    ]
}

extension FileCommand {
    package var name: CommandName {
        switch self {
        case .receiveFile: .receiveFile
        case .setFileToReceive: .setFileToReceive
        case .cancelFile: .cancelFile
        case .uploadStandaloneFile: .uploadStandaloneFile
        case .downloadStandaloneFile: .downloadStandaloneFile
        case .standaloneFileInfo: .standaloneFileInfo
        }
    }
}
