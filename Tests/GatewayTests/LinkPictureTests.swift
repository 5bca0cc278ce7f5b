import JSON
import QR
import Testing

@testable import Gateway

@Suite("QR codes of links", .socketTimeLimit)
struct LinkPictureTests {
    @Test
    func `Invitations, addresses and group links have a QR code of their short form`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            let base = "/v1/users/\(alice)"
            for path in ["/address/qr.svg", "/connections/1/qr.svg", "/groups/1/link/qr.svg"] {
                #expect(try await client.call("GET", base + path).status == 404, "\(path)")
            }
            let invitation = try await client.call(
                "POST",
                base + "/connections/invitations",
                body: #"{"incognito":false}"#
            ).json
            let connection = try #require(invitation["connection"]?["pccConnId"]?.integerValue)
            let address = try await client.call("POST", base + "/address").json
            _ = try await client.call(
                "POST",
                base + "/groups",
                body: #"{"groupProfile":{"displayName":"team","fullName":""},"incognito":false}"#
            )
            let group = try await client.call("POST", base + "/groups/1/link", body: #"{"memberRole":"member"}"#).json
            for (path, link) in [
                ("/connections/\(connection)", invitation["connLinkInvitation"]),
                ("/address", address["connLinkContact"]),
                ("/groups/1/link", group["groupLink"]?["connLinkContact"]),
            ] {
                let text = try #require(link?["connShortLink"]?.stringValue, "\(path)")
                let answer = try await client.call("GET", base + path + "/qr.svg")
                #expect(answer.status == 200 && answer.text == QRCode(text)?.svg, "\(path): \(answer.text.prefix(200))")
                let lines = try await client.call("GET", base + path + "/qr.svg", headers: [("Accept", "text/plain")])
                #expect(lines.status == 200 && lines.text == QRCode(text)?.terminalText)
                #expect(
                    answer.header("content-type") == "image/svg+xml" && answer.header("cache-control") == "no-store"
                )
            }
        }
    }

    @Test
    func `A request for the QR code of an invitation gets 429 while the client has too many unread answers`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            let base = "/v1/users/\(alice)/connections"
            let made = try await client.call("POST", base + "/invitations", body: #"{"incognito":false}"#).json
            let connection = try #require(made["connection"]?["pccConnId"]?.integerValue)
            let key = try #require(try await client.call("GET", "/v1/whoami").json["keyId"]?.stringValue)
            let answers = gateway.server.unreadAnswers
            let unread = answers.countBytes(answers.maxBytes, of: key)
            #expect(try await client.call("GET", base + "/\(connection)/qr.svg").status == 429)
            withExtendedLifetime(unread) {}
        }
    }
}
