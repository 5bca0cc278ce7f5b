internal import ChatAPI
internal import ChatMoving
internal import ChatProtocol
internal import ChatStore
internal import SimpleXCrypto
internal import SQLCipher

/// Conversion of badges to and from the table `contact_profiles` of the apps. The row of a peer's profile contains a
/// proof of the badge, and the row of the user's profile contains the credential of the badge.
enum AppBadges {
    /// Writes the badge of a profile into the row of this profile in the app's database.
    static func exportBadge(_ row: Row, _ profile: Profile, to app: StoreConnection) throws {
        let credential = try row.stringOrNil("badge_credential").flatMap {
            try? StoredJSON.decode(BadgeCredential.self, $0)
        }
        guard let info = credential?.badgeInfo ?? profile.badge?.badgeInfo,
            let number = credential?.badgeKeyIdx ?? profile.badge?.badgeKeyIdx
        else { return }
        let status = try row.stringOrNil("badge_status").map(BadgeStatus.init(rawValue:)) ?? .unknownKey
        let isValid: Bool? = status == .unknownKey ? nil : status.isValid
        try app.update(
            "contact_profiles",
            set: [
                "badge_proof": decodeBytes(profile.badge?.proof),
                "badge_pres_header": decodeBytes(profile.badge?.presHeader),
                "badge_expiry": info.badgeExpiry.flatMap(Timestamp.init(parsing:))?.appText,
                "badge_type": info.badgeType.rawValue,
                "badge_verified": isValid,
                "badge_extra": info.badgeExtra, "badge_master_key": decodeBytes(credential?.masterKey),
                "badge_signature": decodeBytes(credential?.signature), "badge_key_idx": Int64(number),
            ],
            where: ["contact_profile_id": try row.int64("contact_profile_id")]
        )
    }

    /// Reads the proof of the badge in the profile of a peer; nil if there is no proof.
    static func parseProof(_ row: AppRow) -> BadgeProof? {
        guard let info = parseInfo(row), let proof = row.blob("badge_proof"),
            let header = row.blob("badge_pres_header"),
            let number = row.int("badge_key_idx")
        else { return nil }
        return BadgeProof(
            badgeKeyIdx: Int(clamping: number),
            presHeader: Base64URL.encode(header),
            proof: Base64URL.encode(proof),
            badgeInfo: info
        )
    }

    /// The maximum number of users of an app whose badges are imported. The check of a badge takes about 15 ms.
    static let maxUsers = 100

    /// Imports the credential of a badge in the profile of a user, if its signature is valid. The app's database also
    /// says whether badges of peers are valid. This information is not imported, because the database could contain
    /// false results. This program checks the badge of a peer when the next profile of the peer arrives.
    static func importCredential(
        _ row: AppRow,
        in db: StoreConnection,
        keys: BadgeKeys,
        at now: Timestamp
    ) throws {
        guard let profileId = row.int("contact_profile_id"), let info = parseInfo(row),
            let number = row.int("badge_key_idx"), let master = row.blob("badge_master_key"),
            let signature = row.blob("badge_signature")
        else { return }
        let credential = BadgeCredential(
            badgeKeyIdx: Int(clamping: number),
            masterKey: Base64URL.encode(master),
            signature: Base64URL.encode(signature),
            badgeInfo: info
        )
        guard let key = keys[credential.badgeKeyIdx], credential.isValid(with: key) else { return }
        let check = BadgeCheck(valid: info, at: now)
        try db.update(
            "contact_profiles",
            set: [
                "badge_status": check.status.rawValue, "badge_changes_at": check.statusChangesAt?.nanoseconds,
                "badge_credential": try StoredJSON.encode(credential), "badge_issuer": key.rawRepresentation,
            ],
            where: ["contact_profile_id": profileId]
        )
    }

    private static func parseInfo(_ row: AppRow) -> BadgeInfo? {
        row.text("badge_type").map {
            BadgeInfo(
                badgeType: BadgeType(rawValue: $0),
                badgeExpiry: row.text("badge_expiry").flatMap(Timestamp.init(app:))?.fullText,
                badgeExtra: row.text("badge_extra") ?? ""
            )
        }
    }

    private static func decodeBytes(_ text: String?) -> [UInt8]? { text.flatMap { try? Base64URL.decode($0) } }
}
