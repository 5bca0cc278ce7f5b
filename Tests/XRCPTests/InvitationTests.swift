import JSON
import SMP
import SimpleXCrypto
import TestSupport
import Testing

@testable import XRCP

/// Tests of invitation links and announcements, compared with those of simplexmq.
struct InvitationTests {
    private static func readKeys() throws -> (
        session: Ed25519.PrivateKey, identity: Ed25519.PrivateKey, dh: X25519.PrivateKey
    ) {
        let file = try Vector.readFile("xrcp")
        return (
            try Ed25519.PrivateKey(rawRepresentation: file.object("sessionKey").bytes("private")),
            try Ed25519.PrivateKey(rawRepresentation: file.object("identityKey").bytes("private")),
            try X25519.PrivateKey(rawRepresentation: file.object("controllerDhKey").bytes("private"))
        )
    }

    @Test
    func `Remote control invitations are written and signed as in simplexmq, and read back`() throws {
        let (session, identity, dh) = try Self.readKeys()
        for vector in try Vector.readFile("xrcp").list("invitations") {
            let range = try #require(vector.value["versionRange"]?.arrayValue?.compactMap { $0.integerValue })
            let invitation = Invitation(
                authorityFingerprint: try vector.bytes("ca"),
                host: try .init(parsing: vector.text("host")),
                port: UInt16(try vector.int("port")),
                versions: try #require(ProtocolVersionRange(min: UInt16(range[0]), max: UInt16(range[1]))),
                app: try #require(vector.value["app"]),
                time: Int64(try vector.int("ts")),
                sessionKey: session.publicKey,
                identityKey: identity.publicKey,
                dhKey: dh.publicKey
            )
            #expect(invitation.text == (try vector.text("uri")))
            let signed = try invitation.makeSignedLink(session: session, identity: identity, form: .standardBase64)
            #expect(signed == (try vector.text("signedUri")))
            let newer = try invitation.makeSignedLink(session: session, identity: identity)
            #expect(newer != signed)
            #expect(try Invitation(verifying: newer) == invitation)
            let read = try Invitation(verifying: signed)
            #expect(read.text == invitation.text)
        }
    }

    @Test
    func `Remote control invitations are accepted or refused as in simplexmq`() throws {
        for vector in try Vector.readFile("xrcp").list("invitationParsing") {
            let result = try vector.text("result")
            let uri = try vector.text("uri")
            if result == "ok" {
                #expect(throws: Never.self) { try Invitation(verifying: uri) }
            } else if result == "bad signature" {
                #expect(throws: XRCPError.invitation) { try Invitation(verifying: uri) }
            } else {
                #expect(throws: SMPEncodingError.self) { try Invitation(verifying: uri) }
            }
        }
    }

    @Test
    func `A remote control invitation with a changed byte is never accepted as a different invitation`() throws {
        let link = Array(try Vector.readFile("xrcp").list("invitations")[0].text("signedUri").utf8)
        let whole = try Invitation(verifying: String(decoding: link, as: UTF8.self))
        var accepted = 0
        for place in link.indices {
            var altered = link
            altered[place] = altered[place] == UInt8(ascii: "1") ? UInt8(ascii: "2") : UInt8(ascii: "1")
            if let read = try? Invitation(verifying: String(decoding: altered, as: UTF8.self)), read != whole {
                accepted += 1
            }
        }
        #expect(accepted == 0)
    }

    @Test
    func `A random or changed remote control invitation is read or refused without a crash`() throws {
        let seed = Array(try Vector.readFile("xrcp").list("invitations")[0].text("signedUri").utf8)
        for bytes in makeMutations(of: seed, count: 1500) {
            _ = try? Invitation(verifying: String(decoding: bytes, as: UTF8.self))
        }
        let long = "xrcp:/" + String(repeating: "a", count: 1 << 20)
        #expect(throws: SMPEncodingError.tooLong) { try Invitation(verifying: long) }
        let datagram = try Vector.readFile("xrcp").object("announcement").bytes("datagram")
        let key = try X25519.PrivateKey()
        for bytes in makeMutations(of: datagram, count: 500) {
            _ = try? Announcement(datagram: bytes).openInvitation(for: [key])
        }
    }

    @Test
    func `Multicast announcements of controllers equal the announcements of simplexmq`() throws {
        let (_, _, dh) = try Self.readKeys()
        let vector = try Vector.readFile("xrcp").object("announcement")
        let host = try X25519.PrivateKey(rawRepresentation: vector.object("knownHostDhKey").bytes("private"))
        let text = try vector.text("signedInvitation")
        let nonce = try BoxNonce(rawRepresentation: vector.bytes("nonce"))
        #expect(
            try Announcement(text, key: dh, host: host.publicKey, nonce: nonce).encodeDatagram()
                == vector.bytes("datagram")
        )
        #expect(try vector.bytes("datagram").count == Announcement.size)
        let received = try Announcement(datagram: vector.bytes("datagram"))
        let (invitation, key) = try received.openInvitation(for: [X25519.PrivateKey(), host])
        #expect(key == host)
        #expect(invitation == (try Invitation(verifying: text)))
        #expect(throws: XRCPError.controllerNotFound) { try received.openInvitation(for: [X25519.PrivateKey()]) }
        // Somebody who knows the link, but not its key, cannot announce it under a key of their own.
        let other = try Announcement(text, key: X25519.PrivateKey(), host: host.publicKey)
        #expect(throws: XRCPError.invitation) { try other.openInvitation(for: [host]) }
    }
}
