/// New ids for rows in a database of the official apps, where ids are unique over all users. In this program, the ids
/// of these rows are unique only for each user.
package struct AppRowIDs {
    package struct Key: Hashable {
        let user: Int64
        let id: Int64

        package init(user: Int64, id: Int64) {
            self.user = user
            self.id = id
        }
    }

    private var numbers: [Key: Int64] = [:]
    private var usedNumbers: Set<Int64> = []
    private var lastNumber: Int64 = 0

    package init() {}

    /// Chooses the id of a row in the app's database. The row keeps the id that it has in this program. If another row
    /// has already got this id, the row gets an unused id.
    /// - Parameters:
    ///   - user: the user of the row.
    ///   - id: the id of the row in this program.
    package mutating func assignNumber(_ user: Int64, _ id: Int64) {
        let number = usedNumbers.contains(id) ? takeUnusedNumber() : id
        usedNumbers.insert(number)
        lastNumber = max(lastNumber, number)
        numbers[Key(user: user, id: id)] = number
    }

    package mutating func takeUnusedNumber() -> Int64 {
        repeat { lastNumber = lastNumber == .max ? 1 : lastNumber + 1 } while !usedNumbers.insert(lastNumber).inserted
        return lastNumber
    }

    /// Returns the new id of a row; nil for an unknown row.
    package func assignedNumber(_ user: Int64, _ id: Int64) -> Int64? { numbers[Key(user: user, id: id)] }

    /// Returns the new id of a row that must exist. The id of a missing row is returned unchanged. The later check of
    /// foreign keys then fails, unless another row has this id.
    package subscript(user: Int64, id: Int64) -> Int64 { assignedNumber(user, id) ?? id }
}
