import ArgumentParser
import JSON
import NIOPosix
import QR

/// `simplex-gateway web`: prints a link with which one browser signs in to the web client, once.
struct Web: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a link that signs in to the web client of the running gateway, and show it as a QR code.",
        discussion:
            "The link works once, within ten minutes. The browser gets its own key, which `simplex-gateway key list` lists as “Web client” with the name of the browser."
    )

    /// The beginning of the name of each browser's key. The browser appends its own name. The web client finds the keys
    /// of browsers by this beginning, to list the browsers and to sign them out.
    private static let keyName = "Web client"
    /// The scopes that a browser's key gets, if the key of this command has them. The web client does not manage other
    /// stores, so the scope `stores` is missing.
    private static let pageScopes: [JSONValue] = ["read", "write", "events", "admin"]

    @OptionGroup var client: ClientOptions
    @Option(
        help:
            "URL of the gateway as the browser reaches it, such as https://chat.example.org behind a proxy. (default: the URL of the gateway)"
    )
    var page: String?
    @Option(help: "Days after which the browser is signed out. (default: 30)")
    var days: Int?

    func run() async throws {
        try await exitOnFailure {
            let settings = try Settings()
            let days = try settings.readPositiveNumber("days", days, upTo: 3_650) ?? 30
            let page = try settings.readText("page", page).map(Self.checkURL)
            try await client.withGateway(settings) { gateway in
                var address = page ?? "http://\(gateway.address.authority)"
                while address.hasSuffix("/") { address.removeLast() }
                let scopes = try await gateway.sendRequest(.GET, "/v1/whoami")["scopes"]?.arrayValue ?? []
                let body: JSONValue = [
                    "name": .string(Self.keyName), "scopes": .array(scopes.filter(Self.pageScopes.contains)),
                    "expiresIn": .integer(Int64(days) * 86_400), "claimWithin": 600,
                ]
                guard let key = try await gateway.sendRequest(.POST, "/v1/keys", body)["key"]?.stringValue else {
                    throw Failure(exitCode: 1, message: "the gateway's answer has no key")
                }
                // Browsers do not send the part of a link after the character # to the server.
                let link = "\(address)/app#ticket=\(key)"
                if let code = QRCode(link) { printLine(isOutputTerminal() ? code.terminalText : code.plainText) }
                printLine(link)
            }
        }
    }

    private static func checkURL(_ url: String) throws -> String {
        guard ["http://", "https://"].contains(where: { url.hasPrefix($0) && url.count > $0.count }),
            !url.contains("#"), !url.contains("?"), !url.contains(where: \.isWhitespace)
        else {
            throw Failure.configurationFailure("\(url) is not the URL of a gateway, such as https://chat.example.org")
        }
        return url
    }
}
