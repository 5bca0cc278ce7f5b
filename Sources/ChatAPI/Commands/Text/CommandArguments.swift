import JSON

// Arguments with a special text form that occurs only in commands.

extension CreatedConnLink: CommandArgument {
    var commandText: String { connShortLink.map { "\(connFullLink) \($0)" } ?? connFullLink }
}

extension CryptoFile: CommandArgument {
    /// The text form. It begins with a space, because the key comes before the path.
    var commandText: String {
        let arguments = cryptoArgs.map { " key=\($0.fileKey) nonce=\($0.fileNonce)" } ?? ""
        return "\(arguments) \(filePath)"
    }
}

extension DeviceToken: CommandArgument {
    var commandText: String { "\(pushProvider.rawValue) \(token)" }
}

extension [ConnMsgReq]: CommandArgument {
    var commandText: String { map { "\($0.msgConnId):\($0.msgDbQueueId):\($0.msgTs)" }.joined(separator: ",") }
}

extension CommandScanner {
    /// Parses a required flag.
    mutating func requiredFlag(_ name: String) throws(CommandParseError) -> Bool {
        guard let value = try flag(name) else { throw .malformed }
        return value
    }

    /// Parses the text to search for, up to the end of the command; nil when the command has no search.
    mutating func search() -> String? {
        guard take(" search=") else { return nil }
        defer { takeAll() }
        return rest.isEmpty ? nil : String(rest)
    }

    mutating func receiptSettings() throws(CommandParseError) -> UserMsgReceiptSettings {
        UserMsgReceiptSettings(enable: try onOff(), clearOverrides: try flag("clear_overrides") ?? false)
    }

    /// Parses the reason for a report. Any word is accepted, because later versions may add reasons.
    mutating func reportReason() throws(CommandParseError) -> ReportReason {
        guard let reason = try option("reason") else { throw .malformed }
        return ReportReason(rawValue: reason)
    }

    mutating func memberRole() throws(CommandParseError) -> GroupMemberRole {
        try oneOf([.observer, .member, .moderator, .admin, .owner])
    }

    mutating func ownerContact() throws(CommandParseError) -> GroupOwnerContact? {
        guard let text = try option("contact") else { return nil }
        guard let id = Int64(text), let owner = try option("owner") else { throw .malformed }
        return GroupOwnerContact(contactId: id, memberId: owner)
    }

    mutating func resolveMode() throws(CommandParseError) -> PlanResolveMode {
        switch try option("resolve") {
        case nil, "unknown", "off": .unknown
        case "allGroups", "on": .allGroups
        case "never": .never
        default: throw .malformed
        }
    }

    /// Parses a full link, and the short link if there is one. Older clients write the space before the short link even
    /// if the short link is missing.
    mutating func createdConnLink() throws(CommandParseError) -> CreatedConnLink {
        let full = try word()
        if rest.hasPrefix("  ") { _ = take(" ") }
        let isShortLinkNext = rest.hasPrefix(" simplex:") || rest.hasPrefix(" http")
        return CreatedConnLink(connFullLink: full, connShortLink: isShortLinkNext ? try word() : nil)
    }

    mutating func cryptoFile() throws(CommandParseError) -> CryptoFile {
        guard let key = try option("key") else { return CryptoFile(filePath: try remainder()) }
        guard let nonce = try option("nonce") else { throw .malformed }
        return CryptoFile(filePath: try remainder(), cryptoArgs: CryptoFileArgs(fileKey: key, fileNonce: nonce))
    }

    mutating func deviceToken() throws(CommandParseError) -> DeviceToken {
        let provider: PushProvider = try oneOf([.apns_dev, .apns_prod, .apns_test, .apns_null])
        let token = try word()
        let deviceToken = DeviceToken(pushProvider: provider, token: token)
        guard deviceToken.isWellFormed else { throw .malformed }
        return deviceToken
    }

    mutating func connMsgReqs() throws(CommandParseError) -> [ConnMsgReq] {
        var requests: [ConnMsgReq] = []
        for part in try word().split(separator: ",", omittingEmptySubsequences: false) {
            let fields = part.split(separator: ":", maxSplits: 2)
            guard fields.count == 3 else { throw .malformed }
            requests.append(
                ConnMsgReq(
                    msgConnId: String(fields[0]),
                    msgDbQueueId: try Self.number(fields[1]),
                    msgTs: String(fields[2])
                )
            )
        }
        return requests
    }

    /// Parses a security code: digits and spaces. A command without a code withdraws a verification.
    mutating func connectionCodeIfAny() throws(CommandParseError) -> String? {
        guard let code = try remainderIfAny() else { return nil }
        guard code.allSatisfy({ $0 == " " || $0.isASCIIDigit }) else { throw .malformed }
        return code
    }
}
