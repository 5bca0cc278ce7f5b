package import JSON

/// Commands for the long-term contact address of a profile, and for SimpleX names (Chat API, section 2.16).
package enum AddressCommand: Hashable, Sendable {
    case createMyAddress(userId: Int64)
    case deleteMyAddress(userId: Int64)
    case showMyAddress(userId: Int64)
    case addMyAddressShortLink(userId: Int64)
    case setProfileAddress(userId: Int64, enable: Bool)
    case setAddressSettings(userId: Int64, addressSettings: AddressSettings)
    case setUserDomain(userId: Int64, simplexDomain: String?)
    case verifyContactDomain(contactId: Int64)
    case verifyGroupDomain(groupId: Int64)
    case sendServiceResponse(userId: Int64, requestId: String, responseData: JSONObject)
}

extension AddressCommand: CommandCategory {
    var commandText: CommandText {
        switch self {
        case .createMyAddress(let userId): "/_address \(userId)"
        case .deleteMyAddress(let userId): "/_delete_address \(userId)"
        case .showMyAddress(let userId): "/_show_address \(userId)"
        case .addMyAddressShortLink(let userId): "/_short_link_address \(userId)"
        case .setProfileAddress(let userId, let enable): "/_profile_address \(userId) \(enable)"
        case .setAddressSettings(let userId, let addressSettings):
            "/_address_settings \(userId) \(json: addressSettings)"
        case .setUserDomain(let userId, let simplexDomain): "/_set domain \(userId)\(" ", simplexDomain)"
        case .verifyContactDomain(let contactId): "/_verify domain @\(contactId)"
        case .verifyGroupDomain(let groupId): "/_verify domain #\(groupId)"
        case .sendServiceResponse(let userId, let requestId, let responseData):
            "/_service_response \(userId) \(requestId) \(json: responseData)"
        }
    }

    static let forms: [CommandForm<Self>] = [
        CommandForm("/_address") { scanner throws(CommandParseError) in
            .createMyAddress(userId: try scanner.scanNumber())
        },
        CommandForm("/_delete_address") { scanner throws(CommandParseError) in
            .deleteMyAddress(userId: try scanner.scanNumber())
        },
        CommandForm("/_show_address") { scanner throws(CommandParseError) in
            .showMyAddress(userId: try scanner.scanNumber())
        },
        CommandForm("/_short_link_address") { scanner throws(CommandParseError) in
            .addMyAddressShortLink(userId: try scanner.scanNumber())
        },
        CommandForm("/_profile_address") { scanner throws(CommandParseError) in
            .setProfileAddress(userId: try scanner.scanNumber(), enable: try scanner.scanOnOff())
        },
        CommandForm("/_address_settings") { scanner throws(CommandParseError) in
            .setAddressSettings(userId: try scanner.scanNumber(), addressSettings: try scanner.scanJSON())
        },
        CommandForm("/_set domain") { scanner throws(CommandParseError) in
            .setUserDomain(userId: try scanner.scanNumber(), simplexDomain: try scanner.scanWordIfAny())
        },
        CommandForm("/_verify domain") { scanner throws(CommandParseError) in
            if scanner.remainingText.hasPrefix(" @") {
                return .verifyContactDomain(contactId: try scanner.scanChatID(.direct))
            }
            return .verifyGroupDomain(groupId: try scanner.scanChatID(.group))
        },
        CommandForm("/_service_response") { scanner throws(CommandParseError) in
            .sendServiceResponse(
                userId: try scanner.scanNumber(),
                requestId: try scanner.scanWord(),
                responseData: try scanner.scanJSON()
            )
        },
    ]
}

extension AddressCommand {
    package var name: CommandName {
        switch self {
        case .createMyAddress: .createMyAddress
        case .deleteMyAddress: .deleteMyAddress
        case .showMyAddress: .showMyAddress
        case .addMyAddressShortLink: .addMyAddressShortLink
        case .setProfileAddress: .setProfileAddress
        case .setAddressSettings: .setAddressSettings
        case .setUserDomain: .setUserDomain
        case .verifyContactDomain: .verifyContactDomain
        case .verifyGroupDomain: .verifyGroupDomain
        case .sendServiceResponse: .sendServiceResponse
        }
    }
}
