package import ChatAPI
package import JSON
internal import SimpleXCrypto

/// The list of the members, moderators and admins of a group with relays, with their keys. An owner signs the hash of
/// the list (``RosterHeader``). The list is sent after the header in chunks, like a file.
///
/// The encoded form is the number of entries in two bytes, and the entries. An entry contains the id, the key and the
/// role, each after its length, and two bytes that later versions may use for rights.
package struct Roster: Sendable, Hashable {
    package struct Entry: Sendable, Hashable {
        package var id: MemberID
        package var key: MemberKey
        package var role: GroupMemberRole

        package init(id: MemberID, key: MemberKey, role: GroupMemberRole) {
            self.id = id
            self.key = key
            self.role = role
        }
    }

    /// The entries with a role in ``listedRoles``. Each id occurs once.
    package private(set) var entries: [Entry]

    /// The maximum number of entries of a roster, and the maximum size of its encoded form in bytes.
    package static let entryLimit = 256, byteLimit = 32_768

    /// The highest version of a roster: 2^53. Programs that read JSON numbers as doubles read all versions up to this
    /// number exactly.
    package static let maxRosterVersion: Int64 = 1 << 53

    /// The roles in the roster. Only owners assign these roles. Owners are listed in the link of the group. Observers
    /// are not listed.
    package static let listedRoles: Set<GroupMemberRole> = [.member, .moderator, .admin]

    package init(_ entries: [Entry]) {
        var seen: Set<MemberID> = []
        self.entries = entries.filter { Self.listedRoles.contains($0.role) && seen.insert($0.id).inserted }
    }

    package init(_ bytes: [UInt8]) throws(ChatProtocolError) {
        guard bytes.count <= Self.byteLimit else { throw .invalidBinary }
        var reader = BinaryReader(bytes)
        let count = try reader.readWord16()
        guard count <= Self.entryLimit else { throw .invalidBinary }
        var entries: [Entry] = []
        for _ in 0..<count {
            let id = try reader.readMemberID()
            guard let key = try? Ed25519.PublicKey(spki: try reader.readShortBytes()) else { throw .invalidBinary }
            let role = GroupMemberRole(rawValue: String(decoding: try reader.readShortBytes(), as: UTF8.self))
            _ = try reader.readWord16()
            entries.append(Entry(id: id, key: MemberKey(key), role: role))
        }
        guard reader.isAtEnd else { throw .invalidBinary }
        self.init(entries)
    }

    /// The encoded form of the first ``entryLimit`` entries.
    package var encoded: [UInt8] {
        let written = entries.prefix(Self.entryLimit)
        return BinaryEncoder.encodeWord16(UInt16(clamping: written.count))
            + written.flatMap { entry in
                BinaryEncoder.encodeShortBytes(entry.id.bytes) + BinaryEncoder.encodeShortBytes(entry.key.key.spki)
                    + BinaryEncoder.encodeShortBytes(Array(entry.role.rawValue.utf8)) + BinaryEncoder.encodeWord16(0)
            }
    }
}

extension ParamReader {
    /// Reads the version number of a roster, from 0 to ``Roster/maxRosterVersion``.
    func readRosterVersion(_ key: String) throws(ChatProtocolError) -> Int64 {
        let version = try readInteger(key)
        guard (0...Roster.maxRosterVersion).contains(version) else {
            throw .invalidMessage(reason: "\(path).\(key): not a version of a roster")
        }
        return version
    }

    func readOptionalRosterVersion(_ key: String) throws(ChatProtocolError) -> Int64? {
        readOptionalValue(key) == nil ? nil : try readRosterVersion(key)
    }
}

/// The header of a roster, which is sent before the chunks of the roster (`x.grp.roster`): version, size and hash.
package struct RosterHeader: Sendable, Hashable {
    package var version: Int64
    /// The size of the encoded roster in bytes.
    package var size: Int64
    /// The SHA-512 hash of the encoded roster.
    package var digest: [UInt8]

    package init(version: Int64, size: Int64, digest: [UInt8]) {
        self.version = version
        self.size = size
        self.digest = digest
    }

    package init(version: Int64, of bytes: [UInt8]) {
        self.init(version: version, size: Int64(bytes.count), digest: Digest.sha512(bytes))
    }

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        version = try reader.readRosterVersion("version")
        let file = try reader.nestedReader("fileInv")
        size = try file.readInteger("fileSize")
        digest = try file.readBytes("fileDigest")
        guard size >= 0, size <= Int64(Roster.byteLimit) else {
            throw .invalidMessage(reason: "\(file.path).fileSize: too large")
        }
    }

    /// Returns whether an encoded roster has the size and the hash of the header.
    package func matches(_ bytes: [UInt8]) -> Bool { Int64(bytes.count) == size && Digest.sha512(bytes) == digest }

    package var params: JSONObject {
        JSONObject([
            ("version", .integer(version)),
            (
                "fileInv",
                .object(JSONObject([("fileSize", .integer(size)), ("fileDigest", .string(Base64URL.encode(digest)))]))
            ),
        ])
    }
}
