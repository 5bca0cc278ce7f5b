internal import JSON

/// Sentences for people that explain errors of the core. Beside the sentence, a problem contains the error itself in
/// `chatError`.
enum ProblemSentences {
    /// Returns the sentence for an error of the command.
    /// - Parameters:
    ///   - tag: the type of the error.
    ///   - error: the member `errorType` of the error.
    static func makeChatSentence(_ tag: String, _ error: JSONValue?) -> String {
        let message = error?["message"]?.stringValue
        guard let sentence = chatSentences[tag] else { return makeUnknownSentence(message ?? "", tag) }
        if let nearest = error?["validName"]?.stringValue, !nearest.isEmpty {
            return "\(sentence) The nearest one is “\(nearest)”."
        }
        guard let message, !message.isEmpty else { return sentence }
        return "\(sentence.dropLast()): \(addFullStop(removeOperationName(message)))"
    }

    /// Returns the sentence for an error of the chat database.
    /// - Parameters:
    ///   - tag: the type of the error.
    ///   - error: the member `storeError` of the error. Its messages may quote texts of users, so they are not
    ///     repeated.
    static func makeStoreSentence(_ tag: String, _ error: JSONValue?) -> String {
        if let sentence = storeSentences[tag] { return sentence }
        guard let thing = objectNames.first(where: { tag.hasPrefix($0.tag) })?.name,
            tag.contains("NotFound") || tag.contains("Unknown")
        else {
            return makeUnknownSentence("", tag)
        }
        let ids = (error?.objectValue ?? JSONObject()).keys.compactMap { error?[$0]?.integerValue }
        return ids.count == 1 ? "There is no \(thing) for the id \(ids[0])." : "There is no such \(thing)."
    }

    /// Returns the sentence for an error of a database operation.
    /// - Parameters:
    ///   - tag: the type of the error.
    ///   - sqlite: the member `sqliteError` of the error, with the reason that SQLite gives.
    static func makeDatabaseSentence(_ tag: String, _ sqlite: JSONValue?) -> String {
        let reason =
            switch (sqlite?["type"]?.stringValue, sqlite?["dbError"]?.stringValue) {
            case ("errorNotADatabase", _): "the key is wrong"
            case (_, "full"): "the disk is full"
            case (_, "busy"): "they are in use"
            case (_, let words): words ?? "the reason is not known"
            }
        return switch tag {
        case "errorEncrypted": "The databases are encrypted: their present key is needed."
        case "errorPlaintext": "The databases are not encrypted: they have no present key."
        case "errorNoFile": "There is no database."
        case "errorExport": "The databases cannot be written: \(addFullStop(reason))"
        case "errorOpen": "The databases cannot be opened: \(addFullStop(reason))"
        default: makeUnknownSentence(reason, tag)
        }
    }

    /// Returns the sentence for an error of a connection.
    /// - Parameter tag: the type in the member `connErr` of the agent's error.
    static func makeConnectionSentence(_ tag: String) -> String {
        switch tag {
        case "NOT_FOUND": "There is no such connection."
        case "DUPLICATE": "The connection exists already."
        case "SIMPLEX": "The connection is not complete yet."
        default: "The connection does not allow this: \(tag)."
        }
    }

    /// Returns the sentence for an error of a relay that had to resolve a SimpleX name.
    /// - Parameter tag: the type in the member `nameErr` of the error.
    static func makeNameSentence(_ tag: String?) -> String {
        switch tag {
        case "NOT_FOUND": "There is no such SimpleX name."
        case "NO_RESOLVER": "The relays of the profile resolve no SimpleX names."
        default: "The relay could not resolve the SimpleX name."
        }
    }

    /// Returns the sentence for an error whose type `tag` is unknown to this program.
    private static func makeUnknownSentence(_ message: String, _ tag: String) -> String {
        message.isEmpty ? "The core has refused the command: \(tag)." : addFullStop(removeOperationName(message))
    }

    /// Makes a sentence from an error message: begins it with a capital letter, and adds a full stop.
    static func makeSentence(_ message: String) -> String {
        addFullStop(message.prefix(1).uppercased() + message.dropFirst())
    }

    /// Shortens an error message about a file in the form of the original: removes the name of the operation. For
    /// example, `/a: openFile: does not exist (No such file or directory)` becomes `/a: No such file or directory`.
    static func removeOperationName(_ message: String) -> String {
        message.replacing(
            /: [A-Za-z]+: (?:does not exist|already exists|permission denied|resource exhausted|failed) \((.+)\)$/
        ) { ": \($0.1)" }
    }

    private static func addFullStop(_ message: String) -> String {
        message.last.map { ".!?".contains($0) } == true ? message : message + "."
    }

    private static let chatSentences: [String: String] = [
        "noActiveUser": "There is no active profile: make one, or name one in the path.",
        "userUnknown": "There is no such profile.",
        "userExists": "There is a profile of this name already.",
        "differentActiveUser": "Another profile is active.",
        "cantDeleteActiveUser": "The active profile cannot be deleted while there are others: make another one active.",
        "cantDeleteLastUser": "The last profile cannot be deleted.",
        "cantHideLastUser": "The last visible profile cannot be hidden.",
        "hiddenUserAlwaysMuted": "A hidden profile is always muted.",
        "emptyUserPassword": "A password is needed to hide a profile.",
        "userAlreadyHidden": "The profile is hidden already.",
        "userNotHidden": "The profile is not hidden.",
        "activeUserExists": "There is an active profile already.",
        "invalidDisplayName": """
        A name begins with a letter, a digit or a pictograph, has at most 50 characters, no brackets, \
        none of . , ; / \\ # @ ' " ` ~, and no two spaces or punctuation marks in a row.
        """,
        "chatNotStarted": "The chat is stopped: POST /v1/core/start starts it.",
        "chatNotStopped": "The chat is running: POST /v1/core/stop stops it.",
        "chatStoreChanged": "The databases are being replaced or closed: try again.",
        "invalidConnReq": "This is not a SimpleX link, or the link is damaged.",
        "unsupportedConnReq": "The link is of a newer version, or of a kind that is not supported here.",
        "connReqMessageProhibited": "A request to this link cannot have a message.",
        "contactNotReady": "The contact is not connected yet.",
        "contactNotActive": "The contact has deleted the connection.",
        "contactDisabled": "The connection is disabled, because its messages could not be decrypted.",
        "connectionDisabled": "The connection is disabled, because messages cannot be sent over it.",
        "groupUserRole": "The profile's role in the group does not allow this.",
        "groupMemberInitialRole": "A member cannot be invited with this role.",
        "contactIncognitoCantInvite": "A contact who knows only an incognito profile cannot be invited.",
        "groupIncognitoCantInvite": "Contacts cannot be invited to a group that was joined incognito.",
        "groupContactRole": "The contact's role in the group does not allow this.",
        "groupDuplicateMember": "The contact is a member of the group already.",
        "groupDuplicateMemberId": "There is a member with this id already.",
        "groupNotJoined": "The profile has not joined the group.",
        "groupMemberNotActive": "The profile is not an active member of the group.",
        "cantBlockMemberForSelf": "This member cannot be blocked.",
        "groupMemberUserRemoved": "The profile was removed from the group.",
        "groupMemberNotFound": "There is no such member in the group.",
        "groupCantResendInvitation":
            "The contact was invited to the group already, and the invitation cannot be sent again.",
        "groupInternal": "An internal error in a group.",
        "fileNotFound": "There is no such file.",
        "fileSize": "The file is too large.",
        "fileAlreadyReceiving": "The file is being received, or was received.",
        "fileCancelled": "The file was cancelled.",
        "fileCancel": "The file cannot be cancelled.",
        "fileAlreadyExists": "There is a file at this path already.",
        "fileWrite": "The file cannot be written.",
        "fileSend": "The file cannot be sent.",
        "fileRcvChunk": "A part of the file is wrong.",
        "fileInternal": "An internal error with a file.",
        "fileImageType": "This is not an image of a known type.",
        "fileImageSize": "The image is too large.",
        "fileNotReceived": "The file is not received yet.",
        "fileNotApproved": "The file is on servers that are not yours: approve them with userApprovedRelays.",
        "fallbackToSMPProhibited": "The file cannot be sent over message relays.",
        "inlineFileProhibited": "The file cannot be sent within messages.",
        "invalidForward": "These messages cannot be forwarded.",
        "invalidChatItemUpdate":
            "The message cannot be changed: it is not your own, it is too old, or it is of another kind.",
        "invalidChatItemDelete": "The message cannot be deleted in this way.",
        "invalidQuote": "The message cannot be quoted.",
        "hasCurrentCall": "There is a call already.",
        "noCurrentCall": "There is no call.",
        "callContact": "The call is with another contact.",
        "callState": "The call is not in a state that allows this.",
        "directMessagesProhibited": "The group does not allow direct messages between members.",
        "commandError": "The command is refused.",
        "agentCommandError": "The agent does not accept the command.",
        "invalidFileDescription": "The description of the file is wrong.",
        "connectionIncognitoChangeProhibited": "Incognito cannot be changed any more: the invitation was used.",
        "connectionUserChangeProhibited": "The profile cannot be changed any more: the invitation was used.",
        "peerChatVRangeIncompatible": "The other side's program is too old or too new.",
        "agentVersion": "The other side's program is too old or too new.",
        "internalError": "An internal error.",
        "contactNotFound": "There is no such contact.",
        "serverProtocol": "The server is not for this protocol.",
        "simplexDomainNotReady": "The SimpleX name cannot be used yet.",
        "notResolvedLocally": "The link is not known here, and was not looked up.",
        "relayTestError": "The relay has failed the test.",
    ]

    private static let storeSentences: [String: String] = [
        "duplicateName": "The name is taken.",
        "contactNotReady": "The contact is not connected yet.",
        "duplicateContactLink": "The profile has an address already.",
        "userContactLinkNotFound": "The profile has no address.",
        "groupAlreadyJoined": "The group was joined already.",
        "duplicateGroupMember": "The member exists already.",
        "duplicateMemberId": "There is a member with this id already.",
        "duplicateGroupLink": "The group has a link already.",
        "groupLinkNotFound": "The group has no link.",
        "noteFolderAlreadyExists": "The profile has notes already.",
        "userNoteFolderNotFound": "The profile has no notes.",
        "largeMsg": "The message is too large: with its encoding it has at most about 15,000 bytes.",
        "internalError": "An internal error of the store.",
        "dBException": "The database has reported an error.",
        "dBBusyError": "Too many stores use their databases at this moment: send this again.",
        "invalidQuote": "The message cannot be quoted.",
        "invalidMention":
            "The mentions do not fit the message: each names a member of the group, once, and there are at most three.",
        "prohibitedDeleteUser": "The profile belongs to a contact, and cannot be deleted.",
        "groupWithoutUser": "The profile is not in the group.",
        "uniqueID": "No unique id was found: try again.",
        "badChatItem": "The message cannot be read.",
        "sndFileInvalid": "The file cannot be sent.",
        "rcvFileInvalid": "The file cannot be received.",
        "localFileNoTransfer": "The file is only local, and cannot be transferred.",
        "invalidContactRequestEntity": "The contact request is of another kind.",
        "invalidBusinessChatContactRequest": "The contact request is not from a customer.",
    ]

    /// Names of objects for sentences about missing objects, by the prefix of the error's tag. Longer prefixes come
    /// first.
    private static let objectNames: [(tag: String, name: String)] = [
        ("userChatRelay", "chat relay"), ("groupRelay", "relay of a channel"),
        ("relayUser", "profile that is a chat relay"),
        ("userContactLink", "address"), ("userNotFoundByContactId", "contact"), ("userNotFoundByGroupId", "group"),
        ("userNotFoundByFileId", "file"),
        ("userNotFoundByContactRequestId", "contact request"), ("user", "profile"),
        ("contactRequest", "contact request"), ("contact", "contact"),
        ("groupMember", "member"), ("groupInvitation", "invitation to a group"), ("group", "group"),
        ("noteFolder", "folder of notes"), ("sndFile", "file"),
        ("rcvFile", "file"), ("file", "file"), ("pendingConnection", "pending connection"),
        ("connection", "connection"), ("chatItem", "message"),
        ("profile", "profile"), ("remoteHost", "remote host"), ("remoteCtrl", "controller"), ("operator", "operator"),
        ("usageConditions", "version of the conditions of use"),
    ]
}
