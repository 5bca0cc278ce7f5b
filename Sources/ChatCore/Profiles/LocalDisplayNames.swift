internal import ChatStore
internal import SQLCipher

/// The unique local names of a user's contacts. A local name is the name that the peer has chosen. If another contact
/// has this name, a suffix `_1`, `_2`… is added. The own name of the user counts as used.
enum LocalDisplayNames {
    static func create(_ name: String, user userId: Int64, in db: StoreConnection) throws -> String {
        let last = try db.firstRow(
            "SELECT max(ldn_suffix) AS suffix FROM display_names WHERE user_id = :user_id AND ldn_base = :ldn_base",
            ["user_id": userId, "ldn_base": name]
        )?
        .int64OrNil("suffix")
        var suffix = last.map { $0 &+ 1 } ?? 0
        // The name with the next suffix may be taken already, for example because a peer has chosen the name alice_1.
        while true {
            let candidate = suffix == 0 ? name : "\(name)_\(suffix)"
            let taken = try db.firstRow(
                "SELECT 1 FROM display_names WHERE user_id = :user_id AND local_display_name = :local_display_name",
                ["user_id": userId, "local_display_name": candidate]
            )
            if taken == nil {
                try db.insert(
                    into: "display_names",
                    ["user_id": userId, "local_display_name": candidate, "ldn_base": name, "ldn_suffix": suffix]
                )
                return candidate
            }
            suffix &+= 1
        }
    }

    /// Returns the number in a local name: 0 for `bob`, 1 for `bob_1`; nil if the local name was not made from `name`.
    static func suffixNumber(of localDisplayName: String, _ name: String) -> Int? {
        if localDisplayName == name { return 0 }
        guard localDisplayName.hasPrefix(name + "_") else { return nil }
        return Int(localDisplayName.dropFirst(name.count + 1))
    }

    static func delete(_ localDisplayName: String, user userId: Int64, in db: StoreConnection) throws {
        try db.delete(from: "display_names", where: ["user_id": userId, "local_display_name": localDisplayName])
    }
}
