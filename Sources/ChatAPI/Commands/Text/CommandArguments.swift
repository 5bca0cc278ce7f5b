import JSON

// Arguments with a special text form that occurs only in commands.

extension CreatedConnLink: CommandArgument {
    var commandText: String { connShortLink.map { "\(connFullLink) \($0)" } ?? connFullLink }
}

extension CryptoFile: CommandArgument {
    /// The text of a file in commands, with a space before each part. An encrypted file has a key and a nonce before
    /// its path: ` key=… nonce=… path`. A plain file has only its path.
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
    /// Parses ` name=on` or ` name=off`. A missing option is an error.
    mutating func scanRequiredFlag(_ name: String) throws(CommandParseError) -> Bool {
        guard let value = try scanFlag(name) else { throw .malformed }
        return value
    }

    /// Parses the text to search for, up to the end of the command; nil when the command has no search.
    mutating func scanSearch() -> String? {
        guard skipPrefix(" search=") else { return nil }
        defer { skipRest() }
        return remainingText.isEmpty ? nil : String(remainingText)
    }

    mutating func scanReceiptSettings() throws(CommandParseError) -> UserMsgReceiptSettings {
        UserMsgReceiptSettings(enable: try scanOnOff(), clearOverrides: try scanFlag("clear_overrides") ?? false)
    }

    /// Parses the reason for a report. Any word is accepted, because later versions may add reasons.
    mutating func scanReportReason() throws(CommandParseError) -> ReportReason {
        guard let reason = try scanOption("reason") else { throw .malformed }
        return ReportReason(rawValue: reason)
    }

    mutating func scanMemberRole() throws(CommandParseError) -> GroupMemberRole {
        try scanOneOf([.observer, .member, .moderator, .admin, .owner])
    }

    mutating func scanOwnerContact() throws(CommandParseError) -> GroupOwnerContact? {
        guard let text = try scanOption("contact") else { return nil }
        guard let id = Int64(text), let owner = try scanOption("owner") else { throw .malformed }
        return GroupOwnerContact(contactId: id, memberId: owner)
    }

    mutating func scanResolveMode() throws(CommandParseError) -> PlanResolveMode {
        switch try scanOption("resolve") {
        case nil, "unknown", "off": .unknown
        case "allGroups", "on": .allGroups
        case "never": .never
        default: throw .malformed
        }
    }

    /// Parses a full link, and the short link if the command contains one. Older clients write the space before the
    /// short link even if the short link is missing.
    mutating func scanCreatedConnLink() throws(CommandParseError) -> CreatedConnLink {
        let full = try scanWord()
        if remainingText.hasPrefix("  ") { _ = skipPrefix(" ") }
        let isShortLinkNext = remainingText.hasPrefix(" simplex:") || remainingText.hasPrefix(" http")
        return CreatedConnLink(connFullLink: full, connShortLink: isShortLinkNext ? try scanWord() : nil)
    }

    mutating func scanCryptoFile() throws(CommandParseError) -> CryptoFile {
        guard let key = try scanOption("key") else { return CryptoFile(filePath: try scanRemainder()) }
        guard let nonce = try scanOption("nonce") else { throw .malformed }
        return CryptoFile(filePath: try scanRemainder(), cryptoArgs: CryptoFileArgs(fileKey: key, fileNonce: nonce))
    }

    mutating func scanDeviceToken() throws(CommandParseError) -> DeviceToken {
        let provider: PushProvider = try scanOneOf([.apns_dev, .apns_prod, .apns_test, .apns_null])
        let token = try scanWord()
        let deviceToken = DeviceToken(pushProvider: provider, token: token)
        guard deviceToken.isWellFormed else { throw .malformed }
        return deviceToken
    }

    mutating func scanConnMsgReqs() throws(CommandParseError) -> [ConnMsgReq] {
        var requests: [ConnMsgReq] = []
        for part in try scanWord().split(separator: ",", omittingEmptySubsequences: false) {
            let fields = part.split(separator: ":", maxSplits: 2)
            guard fields.count == 3 else { throw .malformed }
            requests.append(
                ConnMsgReq(
                    msgConnId: String(fields[0]),
                    msgDbQueueId: try Self.parseNumber(fields[1]),
                    msgTs: String(fields[2])
                )
            )
        }
        return requests
    }

    /// Parses a security code, which consists of digits and spaces. Returns nil for a command without a code, which
    /// withdraws an earlier verification.
    mutating func scanConnectionCodeIfAny() throws(CommandParseError) -> String? {
        guard let code = try scanRemainderIfAny() else { return nil }
        guard code.allSatisfy({ $0 == " " || $0.isASCIIDigit }) else { throw .malformed }
        return code
    }
}
