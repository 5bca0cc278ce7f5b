import ArgumentParser
import JSON
import NIOPosix
import QR

/// `simplex-gateway invite`: makes a one-time invitation, and shows it on the terminal as a QR code for a phone.
struct Invite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a one-time invitation with the running gateway, and show it as a QR code.",
        discussion: """
            For example, to connect a phone: simplex-gateway serve --servers network, and in a second terminal simplex-gateway invite --name Ann
            """
    )

    @OptionGroup var client: ClientOptions
    @Option(help: "Id of the profile that invites. (default: the active one)")
    var user: Int64?
    @Option(help: "Name of the profile to make when there is none yet.")
    var name: String?

    func run() async throws {
        try await exitOnFailure {
            let settings = try Settings()
            try await client.withGateway(settings) { gateway in
                let made = try await gateway.sendRequest(
                    .POST,
                    "/v1/users/\(try await findOrMakeProfile(gateway, settings))/connections/invitations",
                    ["incognito": false]
                )
                try showInvitation(made["connLinkInvitation"])
            }
        }
    }

    private func showInvitation(_ links: JSONValue?) throws {
        guard let link = links?["connShortLink"]?.stringValue ?? links?["connFullLink"]?.stringValue else {
            throw Failure(exitCode: 1, message: "the gateway's answer has no link")
        }
        if let code = QRCode(link) { printLine(isOutputTerminal() ? code.terminalText : code.plainText) }
        printLine(link)
        if ["127.0.0.1", "localhost", "[::1]"].contains(where: link.contains) {
            printWarning(
                "the link leads to a relay that only this machine can reach. For links that the apps can use, start the gateway with --servers network and make a new profile"
            )
        }
    }

    /// Returns the id of the profile that invites. If there is no profile, creates a profile with the name in `--name`.
    private func findOrMakeProfile(_ gateway: LocalGateway, _ settings: Settings) async throws -> Int64 {
        if let user = try settings.readID("user", user) { return user }
        let users =
            try await gateway.sendRequest(.GET, "/v1/users")["users"]?.arrayValue?.compactMap { $0["user"] } ?? []
        if let active = (users.first { $0["activeUser"] == true } ?? users.first)?["userId"]?.integerValue {
            return active
        }
        guard let name = try settings.readText("name", name) else {
            throw Failure.configurationFailure("there is no profile yet: --name makes one")
        }
        let made = try await gateway.sendRequest(
            .POST,
            "/v1/users",
            ["profile": ["displayName": .string(name), "fullName": ""]]
        )
        guard let id = made["user"]?["userId"]?.integerValue else {
            throw Failure(exitCode: 1, message: "the gateway's answer has no profile")
        }
        return id
    }
}
