import JSON
import SMP
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent

/// Link data as the original writes and refuses them. `connection-links` has the encoding before simplexmq 6.5.5, and
/// `link-data-v655` the later encoding.
@Suite struct LinkDataVectorTests {
    @Test
    func `Link data with entity id, owners and relays have the bytes of simplexmq 6.5.5`() throws {
        let vectors = try Vector.readFile("link-data-v655").list("linkData")
        #expect(vectors.count == 3)
        for vector in vectors {
            let name = try vector.text("name")
            let rootKey = try Ed25519.PrivateKey(rawRepresentation: vector.object("rootKey").bytes("private"))
            let key = try SymmetricKey(rawRepresentation: vector.bytes("encryptionKey"))
            let versions = try vector.versions("agentVersionRange")
            var fixed = FixedLinkData(
                agentVersions: versions,
                rootKey: rootKey.publicKey,
                request: try ConnectionRequest(parsing: vector.text("connectionRequest"))
            )
            if vector.has("linkEntityId") { fixed.entityID = try vector.bytes("linkEntityId") }
            let linkKey = try SealedLinkData.computeLinkKey(fixed)
            #expect(try linkKey.hex == vector.text("linkKey"), "\(name)")
            #expect(try LinkKeys.deriveContactCredentials(linkKey).linkID.hex == vector.text("linkId"))
            #expect(try SealedLinkData.signPart(fixed, rootKey).hex == vector.text("signedFixedData"), "\(name)")

            // The signer is the root or an owner. The test copies the signature from the vector, and encodes the signed
            // data itself.
            let signed = try vector.bytes("signedUserData")
            var contact = ContactLinkData(userData: Array(try vector.text("userData").utf8))
            contact.isDirect = try vector.bool("direct")
            contact.owners = try vector.list("owners").map { owner in
                LinkOwner(
                    id: try owner.bytes("ownerId"),
                    key: try Ed25519.PublicKey(rawRepresentation: owner.object("ownerKey").bytes("public")),
                    signature: try owner.bytes("authorization")
                )
            }
            contact.relays = try vector.texts("relays").map { try ShortLink(parsing: $0) }
            let user = VersionedUserData(agentVersions: versions, data: .contact(contact))
            #expect(try user.smpEncoded() == Array(signed.dropFirst(65)), "\(name)")
            let sealed = try SealedLinkData.sealPart(
                signed,
                key: key,
                nonce: BoxNonce(rawRepresentation: vector.bytes("userDataNonce")),
                length: SealedLinkData.userPartLength
            )
            #expect(try Digest.sha256(sealed).hex == vector.object("encUserData").text("sha256"), "\(name)")

            let data = QueueLinkData(encFixedData: try vector.bytes("encFixedData"), encUserData: sealed)
            let (opened, openedUser) = try SealedLinkData.openAndVerify(data, linkKey: linkKey, key: key)
            #expect(opened == fixed && openedUser == user, "\(name)")
        }
    }

    @Test
    func `Owners in link data are accepted or refused as in simplexmq 6.5.5`() throws {
        let vectors = try Vector.readFile("link-data-v655").list("ownerValidation")
        #expect(vectors.count == 6)
        for vector in vectors {
            let rootKey = try Ed25519.PublicKey(rawRepresentation: vector.bytes("rootKey"))
            // The owners have the form that the data of a contact contain.
            let encoded = try vector.texts("owners").map { try #require([UInt8](hex: $0)) }
            var writer = ByteWriter()
            writer.writeByte(UInt8(ascii: "C"))
            writer.writeValue(AgentVersions.supported)
            writer.writeBool(true)
            writer.writeList(encoded) { writer, owner in writer.writeRaw(owner) }
            writer.writeList([ShortLink]()) { writer, relay in writer.writeValue(relay) }
            writer.writeShortBytes([])
            guard case .contact(let contact) = try VersionedUserData(smpEncoded: writer.finish()).data else {
                Issue.record("not a contact")
                continue
            }
            let result = try vector.text("result")
            do throws(LinkDataError) {
                let keys = try SealedLinkData.verifyOwners(contact.owners, rootKey: rootKey)
                #expect(result == "ok" && keys.count == contact.owners.count)
            } catch {
                #expect(error == .invalidOwners(result))
            }
        }
    }

    @Test
    func `Data of contact links are read as in the original, and owners in the form before 6.5.5 are not valid`() throws
    {
        let vectors = try Vector.readFile("connection-links").list("contactLinkDataEncoding")
        #expect(vectors.count == 2)
        for vector in vectors {
            let decoded = try VersionedUserData(smpEncoded: vector.bytes("hex"))
            guard case .contact(let contact) = decoded.data else {
                Issue.record("not a contact")
                continue
            }
            #expect(try contact.isDirect == vector.bool("direct"))
            #expect(try contact.userData == vector.bytes("userData"))
            #expect(try contact.relays.map(\.uri) == vector.texts("relays"))
            guard vector.has("ownerId") else {
                #expect(contact.owners.isEmpty)
                #expect(try decoded.smpEncoded() == vector.bytes("hex"))
                continue
            }
            let owner = try #require(contact.owners.first)
            #expect(try owner.id == vector.bytes("ownerId"))
            #expect(try owner.key.rawRepresentation == vector.object("ownerKey").bytes("public"))
            #expect(owner.isEncodedInOldForm)
            let authority = try Ed25519.PrivateKey(rawRepresentation: vector.object("authKey").bytes("private"))
                .publicKey
            #expect(try SealedLinkData.verifyOwners(contact.owners, rootKey: authority).isEmpty)
        }
    }

    @Test
    func `Changed user data of a short link are signed as in the original`() throws {
        let file = try Vector.readFile("connection-links")
        let update = try file.object("userDataUpdate")
        let rootKey = try Ed25519.PrivateKey(rawRepresentation: update.object("rootKey").bytes("private"))
        let data = VersionedUserData(
            agentVersions: AgentVersions.supported,
            data: .contact(ContactLinkData(userData: try update.bytes("userData")))
        )
        #expect(try SealedLinkData.signPart(data, rootKey) == update.bytes("signedUserData"))
        #expect(try SealedLinkData.fixedPartLength == file.int("fixedDataPaddedLength"))
        #expect(try SealedLinkData.userPartLength == file.int("userDataPaddedLength"))
        #expect(throws: LinkDataError.tooLarge) {
            try SealedLinkData.sealPart(
                [UInt8](repeating: 0, count: SealedLinkData.userPartLength),
                key: SymmetricKey(),
                length: SealedLinkData.userPartLength
            )
        }
    }

    @Test
    func `Full and short connection links are recognized and written as in the original`() throws {
        let file = try Vector.readFile("connection-links")
        for vector in try file.list("anyLinkParsing") {
            let input = try vector.text("input")
            let result = try vector.object("result")
            let full = try? ConnectionRequest(parsing: input)
            let short = try? ShortLink(parsing: input)
            guard result.has("rendered") else {
                #expect(full == nil && short == nil, "\(input)")
                continue
            }
            #expect(try (short != nil) == (result.text("kind") == "short"), "\(input)")
            #expect(try (full?.uri ?? short?.uri) == result.text("rendered"), "\(input)")
        }
        for vector in try file.list("simplexScheme") {
            var link = try ShortLink(parsing: vector.text("input"))
            link.scheme = .simplex
            #expect(try link.uri == vector.text("simplexScheme"))
        }
    }
}

extension Vector {
    /// Reads a list of texts.
    fileprivate func texts(_ key: String) throws -> [String] {
        try #require(value[key]?.arrayValue, "\(key)").map { try #require($0.stringValue, "\(key)") }
    }
}
