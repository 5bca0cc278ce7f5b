import JSON
import SMP
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent

@Suite struct ShortLinkTests {
    @Test
    func `Short links of every kind have the same text and bytes as in the original`() throws {
        let vectors = try Vector.readFile("connection-links").list("shortLinks")
        #expect(!vectors.isEmpty)
        for vector in vectors {
            let uri = try vector.text("uri")
            let link = try ShortLink(parsing: uri)
            #expect(link.uri == uri)
            #expect(try link.smpEncoded().hex == vector.text("smp"), "\(uri)")
            var decoded = try ShortLink(smpEncoded: vector.bytes("smp"))
            decoded.scheme = link.scheme
            #expect(decoded == link)
        }
    }

    @Test
    func `Short links are accepted or refused as in the original`() throws {
        for vector in try Vector.readFile("connection-links").list("shortLinkParsing") {
            let input = try vector.text("input")
            let result = try vector.object("result")
            guard result.has("rendered") else {
                #expect(throws: LinkError.self, "\(input)") { try ShortLink(parsing: input) }
                continue
            }
            #expect(try ShortLink(parsing: input).uri == result.text("rendered"))
            #expect(try ShortLink(parsing: input).linkKey.hex == result.object("link").text("linkKey"))
        }
    }

    @Test
    func `The server's key is left out of links at preset servers and added again, as in the original`() throws {
        let vector = try Vector.readFile("connection-links").object("shortenWithPresetServers")
        let presets = try vector.list("presetServers").map { try Vector(["server": $0.value]).server("server") }
        let cases = try vector.list("cases")
        #expect(cases.count > 5)
        for item in cases {
            let link = try ShortLink(parsing: item.text("link"))
            let short = link.shortened(knowing: presets)
            #expect(try short.uri == item.text("shortened"))
            #expect(try short.completingServer(knowing: presets).uri == item.text("restored"))
        }
    }

    @Test
    func `The id and the encryption key of link data are derived from the key of a short link as in the original`()
        throws
    {
        for vector in try Vector.readFile("connection-links").list("linkKeyDerivation") {
            let (id, key) = try LinkKeys.deriveContactCredentials(vector.bytes("linkKey"))
            #expect(
                try id.hex == vector.text("contactLinkId") && key.rawRepresentation.hex == vector.text("contactKey")
            )
            #expect(
                try LinkKeys.deriveInvitationKey(vector.bytes("linkKey")).rawRepresentation.hex
                    == vector.text("invitationKey")
            )
        }
    }

    @Test
    func `The data of short links are signed and encrypted as in the original`() throws {
        for vector in try Vector.readFile("connection-links").list("linkData") {
            let rootKey = try Ed25519.PrivateKey(rawRepresentation: vector.object("rootKey").bytes("private"))
            let request = try ConnectionRequest(parsing: vector.text("connectionRequest"))
            let versions = try vector.versions("agentVersionRange")
            let key = try SymmetricKey(rawRepresentation: vector.bytes("encryptionKey"))
            let fixed = FixedLinkData(agentVersions: versions, rootKey: rootKey.publicKey, request: request)
            let linkKey = try SealedLinkData.computeLinkKey(fixed)
            #expect(try linkKey.hex == vector.text("linkKey"))
            let signed = try SealedLinkData.signPart(fixed, rootKey)
            #expect(try signed.hex == vector.text("signedFixedData"))
            let nonce = try BoxNonce(rawRepresentation: vector.bytes("fixedDataNonce"))
            let sealedFixed = try SealedLinkData.sealPart(
                signed,
                key: key,
                nonce: nonce,
                length: SealedLinkData.fixedPartLength
            )
            #expect(try sealedFixed.hex == vector.text("encFixedData"))
            // Large user data consist of one repeated letter.
            let bytes =
                vector.has("userData")
                ? try vector.bytes("userData")
                : [UInt8](repeating: UInt8(ascii: "u"), count: try vector.int("userDataLength"))
            #expect(try Digest.sha256(bytes).hex == vector.text("userDataSha256"))
            let user = VersionedUserData(
                agentVersions: versions,
                data: request.isInvitation ? .invitation(bytes) : .contact(ContactLinkData(userData: bytes))
            )
            let userNonce = try BoxNonce(rawRepresentation: vector.bytes("userDataNonce"))
            let sealedUser = try SealedLinkData.sealPart(
                SealedLinkData.signPart(user, rootKey),
                key: key,
                nonce: userNonce,
                length: SealedLinkData.userPartLength
            )
            #expect(try Digest.sha256(sealedUser).hex == vector.object("encUserData").text("sha256"))
            let data = QueueLinkData(encFixedData: sealedFixed, encUserData: sealedUser)
            let (opened, openedUser) = try SealedLinkData.openAndVerify(data, linkKey: linkKey, key: key)
            #expect(opened == fixed && openedUser == user)
            // Data of another link, with the signature of another key, or changed data are refused.
            #expect(throws: LinkDataError.wrongHash) {
                try SealedLinkData.openAndVerify(data, linkKey: [UInt8](repeating: 0, count: 32), key: key)
            }
            #expect(throws: LinkDataError.decryption) {
                try SealedLinkData.openAndVerify(data, linkKey: linkKey, key: SymmetricKey())
            }
            let foreign = try SealedLinkData.sealPart(
                SealedLinkData.signPart(user, Ed25519.PrivateKey()),
                key: key,
                length: SealedLinkData.userPartLength
            )
            let forged = QueueLinkData(encFixedData: sealedFixed, encUserData: foreign)
            #expect(throws: LinkDataError.wrongUserDataSignature) {
                try SealedLinkData.openAndVerify(forged, linkKey: linkKey, key: key)
            }
        }
    }

    @Test
    func `A random or changed short link, as text or bytes, causes a typed error or is read as a link`() throws {
        let vectors = try Vector.readFile("connection-links").list("shortLinks")
        for vector in vectors {
            for mutated in makeMutations(of: try vector.bytes("smp")) { _ = try? ShortLink(smpEncoded: mutated) }
            for mutated in makeMutations(of: Array(try vector.text("uri").utf8)) {
                _ = try? ShortLink(parsing: String(decoding: mutated, as: UTF8.self))
            }
        }
    }
}
