package import ChatAPI

/// The part of the engine that terminal commands use. The engine finds the ids for the names in a terminal command, and
/// runs commands with ids.
package protocol ConsoleEngine: Sendable {
    associatedtype User: ConsoleUser

    /// Runs a command that contains ids instead of names. The command has the rights of the terminal command's sender.
    func run(_ command: ChatCommand, as userId: Int64?) async throws -> ChatResponse

    /// Finds a user.
    /// - Parameter userId: the id of the user; nil for the active user.
    func findUser(_ userId: Int64?) async throws -> User

    /// Finds the id for a name in a terminal command; nil for an unknown name.
    func findId(of name: ConsoleName) async throws -> Int64?

    /// Finds the ids of members of a group by their names. Unknown names are missing in the result.
    func findMemberIds(of names: [String], in groupId: Int64, _ user: User) async throws -> [String: Int64]

    /// Reads a chat.
    /// - Throws: `contactNotFound`, `groupNotFound`, `noteFolderNotFound`; `commandError` for a support chat.
    func readInfo(of chat: ChatRef, _ user: User) async throws -> ChatInfo

    /// Reads a member with its group.
    /// - Throws: `groupNotFound`, `groupMemberNotFound`.
    func readMember(_ memberId: Int64, in groupId: Int64, _ user: User) async throws -> ConsoleMember

    /// Finds the connected members with this name in all groups. Members of the most recently active groups come first.
    func findConnectedMembers(named name: String, _ user: User) async throws -> [ConsoleMember]

    /// Finds the contact of a member. Emits `noMemberContactCreating` for a member without a contact, and returns nil.
    func findContactOfMember(_ memberId: Int64, in groupId: Int64, _ user: User) async throws -> Int64?

    /// Finds the ids of the contacts to whom messages can be sent, and with whom the user has chatted.
    func findReachableContactIds(_ user: User) async throws -> [Int64]

    /// Lists the support chats of a group.
    func listSupportChats(_ groupId: Int64, user: User) async throws -> ChatResponse

    /// Returns the chat item of a file, which shows the progress of the file. For a file without a chat item, and for a
    /// file that was sent inside messages, returns the transfer of the file.
    /// - Throws: `fileNotFound`; `commandError` for a file of notes.
    func readStatus(ofFile fileId: Int64, _ user: User) async throws -> ChatResponse

    /// Finds a file that the user has sent or received before, to send it again.
    /// - Throws: `fileNotFound`, also for a path that the store must not open. `fileNotReceived` for a file that is not
    ///   on this machine.
    func findSentFile(_ fileId: Int64, _ user: User) async throws -> CryptoFile

    /// Returns the size of a file in bytes; 0 for a missing file.
    /// - Throws: an error for a file outside of the folders that the sender of the command may use.
    func readSize(ofFile path: String) async throws -> Int64

    /// Reads the operators of servers.
    func readOperators() async throws -> [ServerOperator]

    /// Reads the settings of the network.
    func readNetworkConfig() async throws -> NetworkConfig

    /// The contact address of the developers of the original.
    var teamAddress: String { get }
}

/// A user profile, with the data that terminal commands need.
package protocol ConsoleUser: Sendable {
    var userId: Int64 { get }
    var localDisplayName: String { get }
    var profile: Profile { get }
    /// The user as responses contain it.
    var api: User { get }
}

/// A name in a terminal command, with the id of the user to whom the name belongs.
package enum ConsoleName: Sendable {
    /// A user. If a hidden user and another user have this name, the name means the other user.
    case user(String)
    case hiddenUser(String)
    case contact(String, userId: Int64)
    case group(String, userId: Int64)
    /// The newest contact request of a person with this name.
    case request(String, userId: Int64)
}

/// A member with its group, in the form of the API.
package struct ConsoleMember: Sendable {
    let group: GroupInfo
    let member: GroupMember

    package init(group: GroupInfo, member: GroupMember) {
        (self.group, self.member) = (group, member)
    }
}
