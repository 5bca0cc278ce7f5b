/// Commands for starting and stopping the core, and for its folders (Chat API, section 2.2).
package enum LifecycleCommand: Hashable, Sendable {
    case startChat(mainApp: Bool, enableSndFiles: Bool)
    case checkChatRunning
    case stopChat
    case activateChat(restoreChat: Bool)
    case suspendChat(timeoutMicroseconds: Int)
    case setAppFilePaths(config: AppFilePathsConfig)
    case setEncryptLocalFiles(enable: Bool)
    case setTempFolder(path: String)
    case setFilesFolder(path: String)
    case setRemoteHostsFolder(path: String)
    case quitChat
}

extension LifecycleCommand: CommandCategory {
    var commandText: CommandText {
        switch self {
        case .startChat(let mainApp, let enableSndFiles): "/_start main=\(mainApp) snd_files=\(enableSndFiles)"
        case .checkChatRunning: "/_check running"
        case .stopChat: "/_stop"
        case .activateChat(let restoreChat): "/_app activate restore=\(restoreChat)"
        case .suspendChat(let timeoutMicroseconds): "/_app suspend \(timeoutMicroseconds)"
        case .setAppFilePaths(let config): "/set file paths \(json: config)"
        case .setEncryptLocalFiles(let enable): "/_files_encrypt \(enable)"
        case .setTempFolder(let path): "/_temp_folder \(path)"
        case .setFilesFolder(let path): "/_files_folder \(path)"
        case .setRemoteHostsFolder(let path): "/remote_hosts_folder \(path)"
        case .quitChat: "/quit"
        }
    }

    static let forms: [CommandForm<Self>] = [
        CommandForm("/_start") { scanner throws(CommandParseError) in
            let mainApp = try scanner.scanFlag("main") ?? true
            return .startChat(mainApp: mainApp, enableSndFiles: try scanner.scanFlag("snd_files") ?? mainApp)
        },
        CommandForm("/_check running", is: .checkChatRunning),
        CommandForm("/_stop", is: .stopChat),
        CommandForm("/_app activate") { scanner throws(CommandParseError) in
            .activateChat(restoreChat: try scanner.scanFlag("restore") ?? true)
        },
        CommandForm("/_app suspend") { scanner throws(CommandParseError) in
            .suspendChat(timeoutMicroseconds: try scanner.scanNumber())
        },
        CommandForm("/set file paths") { scanner throws(CommandParseError) in
            .setAppFilePaths(config: try scanner.scanJSON())
        },
        CommandForm("/_files_encrypt") { scanner throws(CommandParseError) in
            .setEncryptLocalFiles(enable: try scanner.scanOnOff())
        },
        CommandForm("/_temp_folder") { scanner throws(CommandParseError) in
            .setTempFolder(path: try scanner.scanRemainder())
        },
        CommandForm("/_files_folder") { scanner throws(CommandParseError) in
            .setFilesFolder(path: try scanner.scanRemainder())
        },
        CommandForm("/remote_hosts_folder") { scanner throws(CommandParseError) in
            .setRemoteHostsFolder(path: try scanner.scanRemainder())
        },
        CommandForm("/quit", "/q", "/exit", is: .quitChat),
    ]
}

extension LifecycleCommand {
    package var name: CommandName {
        switch self {
        case .startChat: .startChat
        case .checkChatRunning: .checkChatRunning
        case .stopChat: .stopChat
        case .activateChat: .activateChat
        case .suspendChat: .suspendChat
        case .setAppFilePaths: .setAppFilePaths
        case .setEncryptLocalFiles: .setEncryptLocalFiles
        case .setTempFolder: .setTempFolder
        case .setFilesFolder: .setFilesFolder
        case .setRemoteHostsFolder: .setRemoteHostsFolder
        case .quitChat: .quitChat
        }
    }
}
