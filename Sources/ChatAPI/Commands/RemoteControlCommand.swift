/// Commands for remote control (Chat API, section 2.14). A "remote ctrl" is a desktop that controls this core. A
/// "remote host" is a core that this core controls.
package enum RemoteControlCommand: Hashable, Sendable {
    case setLocalDeviceName(displayName: String)
    case connectRemoteCtrl(xrcpInvitation: String)
    case findKnownRemoteCtrl
    case confirmRemoteCtrl(remoteCtrlId: Int64)
    case verifyRemoteCtrlSession(sessionCode: String)
    case listRemoteCtrls
    case stopRemoteCtrl
    case deleteRemoteCtrl(remoteCtrlId: Int64)
    case listRemoteHosts
    case startRemoteHost(remoteHostId: Int64?, multicast: Bool, address: RCCtrlAddress?, port: Int?)
    case switchRemoteHost(remoteHostId: Int64?)
    case stopRemoteHost(remoteHostId: Int64?)
    case deleteRemoteHost(remoteHostId: Int64)
    case storeRemoteFile(remoteHostId: Int64, storeEncrypted: Bool?, localPath: String)
    case getRemoteFile(remoteHostId: Int64, file: RemoteFile)
}

extension RemoteControlCommand: CommandCategory {
    var commandText: CommandText {
        switch self {
        case .setLocalDeviceName(let displayName): "/set device name \(displayName)"
        case .connectRemoteCtrl(let xrcpInvitation): "/connect remote ctrl \(xrcpInvitation)"
        case .findKnownRemoteCtrl: "/find remote ctrl"
        case .confirmRemoteCtrl(let remoteCtrlId): "/confirm remote ctrl \(remoteCtrlId)"
        case .verifyRemoteCtrlSession(let sessionCode): "/verify remote ctrl \(sessionCode)"
        case .listRemoteCtrls: "/list remote ctrls"
        case .stopRemoteCtrl: "/stop remote ctrl"
        case .deleteRemoteCtrl(let remoteCtrlId): "/delete remote ctrl \(remoteCtrlId)"
        case .listRemoteHosts: "/list remote hosts"
        case .startRemoteHost(let remoteHostId, let multicast, let address, let port):
            "/start remote host \(remoteHostId, or: "new")\(" multicast=on", if: multicast)\(" addr=", address)\(" port=", port.map(Int64.init))"
        case .switchRemoteHost(let remoteHostId): "/switch remote host \(remoteHostId, or: "local")"
        case .stopRemoteHost(let remoteHostId): "/stop remote host \(remoteHostId, or: "new")"
        case .deleteRemoteHost(let remoteHostId): "/delete remote host \(remoteHostId)"
        case .storeRemoteFile(let remoteHostId, let storeEncrypted, let localPath):
            "/store remote file \(remoteHostId)\(" encrypt=", storeEncrypted) \(localPath)"
        case .getRemoteFile(let remoteHostId, let file): "/get remote file \(remoteHostId) \(json: file)"
        }
    }

    static let forms: [CommandForm<Self>] = [
        CommandForm("/set device name") { scanner throws(CommandParseError) in
            .setLocalDeviceName(displayName: try scanner.scanRemainder())
        },
        CommandForm("/connect remote ctrl", "/crc") { scanner throws(CommandParseError) in
            .connectRemoteCtrl(xrcpInvitation: try scanner.scanWord())
        },
        CommandForm("/find remote ctrl", is: .findKnownRemoteCtrl),
        CommandForm("/confirm remote ctrl") { scanner throws(CommandParseError) in
            .confirmRemoteCtrl(remoteCtrlId: try scanner.scanNumber())
        },
        CommandForm("/verify remote ctrl") { scanner throws(CommandParseError) in
            .verifyRemoteCtrlSession(sessionCode: try scanner.scanRemainder())
        },
        CommandForm("/list remote ctrls", is: .listRemoteCtrls),
        CommandForm("/stop remote ctrl", is: .stopRemoteCtrl),
        CommandForm("/delete remote ctrl") { scanner throws(CommandParseError) in
            .deleteRemoteCtrl(remoteCtrlId: try scanner.scanNumber())
        },
        CommandForm("/list remote hosts", is: .listRemoteHosts),
        CommandForm("/start remote host") { scanner throws(CommandParseError) in
            let isNew = scanner.skipPrefix(" new")
            return .startRemoteHost(
                remoteHostId: isNew ? nil : try scanner.scanNumber(),
                multicast: isNew ? false : try scanner.scanFlag("multicast") ?? false,
                address: try scanner.scanCtrlAddressIfAny(),
                port: try scanner.scanNumberOrDefault(option: "port")
            )
        },
        CommandForm("/switch remote host") { scanner throws(CommandParseError) in
            .switchRemoteHost(remoteHostId: scanner.skipPrefix(" local") ? nil : try scanner.scanNumber())
        },
        CommandForm("/stop remote host") { scanner throws(CommandParseError) in
            .stopRemoteHost(remoteHostId: scanner.skipPrefix(" new") ? nil : try scanner.scanNumber())
        },
        CommandForm("/delete remote host") { scanner throws(CommandParseError) in
            .deleteRemoteHost(remoteHostId: try scanner.scanNumber())
        },
        CommandForm("/store remote file") { scanner throws(CommandParseError) in
            .storeRemoteFile(
                remoteHostId: try scanner.scanNumber(),
                storeEncrypted: try scanner.scanFlag("encrypt"),
                localPath: try scanner.scanRemainder()
            )
        },
        CommandForm("/get remote file") { scanner throws(CommandParseError) in
            .getRemoteFile(remoteHostId: try scanner.scanNumber(), file: try scanner.scanJSON())
        },
    ]
}

extension RCCtrlAddress: CommandArgument {
    var commandText: String { "\(address) iface=\(interface.contains(" ") ? "\"\(interface)\"" : interface)" }
}

extension CommandScanner {
    /// Parses the address at which a controller listens: ` addr=… iface=…`. The name of the interface may be in quotes.
    fileprivate mutating func scanCtrlAddressIfAny() throws(CommandParseError) -> RCCtrlAddress? {
        guard let address = try scanOption("addr") else { return nil }
        guard skipPrefix(" iface=\"") else {
            guard let interface = try scanOption("iface") else { throw .malformed }
            return RCCtrlAddress(address: address, interface: interface)
        }
        let interface = String(remainingText.prefix { $0 != "\"" })
        guard skipPrefix(interface + "\""), !interface.isEmpty else { throw .malformed }
        return RCCtrlAddress(address: address, interface: interface)
    }
}

extension RemoteControlCommand {
    package var name: CommandName {
        switch self {
        case .setLocalDeviceName: .setLocalDeviceName
        case .connectRemoteCtrl: .connectRemoteCtrl
        case .findKnownRemoteCtrl: .findKnownRemoteCtrl
        case .confirmRemoteCtrl: .confirmRemoteCtrl
        case .verifyRemoteCtrlSession: .verifyRemoteCtrlSession
        case .listRemoteCtrls: .listRemoteCtrls
        case .stopRemoteCtrl: .stopRemoteCtrl
        case .deleteRemoteCtrl: .deleteRemoteCtrl
        case .listRemoteHosts: .listRemoteHosts
        case .startRemoteHost: .startRemoteHost
        case .switchRemoteHost: .switchRemoteHost
        case .stopRemoteHost: .stopRemoteHost
        case .deleteRemoteHost: .deleteRemoteHost
        case .storeRemoteFile: .storeRemoteFile
        case .getRemoteFile: .getRemoteFile
        }
    }
}
