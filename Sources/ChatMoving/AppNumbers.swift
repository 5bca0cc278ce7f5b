/// New ids of rows that are unique over all users. In this program, the ids of these rows are unique only for each
/// user.
package struct AppNumbers {
    package struct Key: Hashable {
        let user: Int64
        let id: Int64

        package init(user: Int64, id: Int64) {
            self.user = user
            self.id = id
        }
    }

    private var numbers: [Key: Int64] = [:]
    private var used: Set<Int64> = []
    private var last: Int64 = 0

    package init() {}

    /// Assigns a number to a row: the id of the row if no other row has it, otherwise an unused number.
    package mutating func add(_ user: Int64, _ id: Int64) {
        let number = used.contains(id) ? unused() : id
        used.insert(number)
        last = max(last, number)
        numbers[Key(user: user, id: id)] = number
    }

    package mutating func unused() -> Int64 {
        repeat { last = last == .max ? 1 : last + 1 } while !used.insert(last).inserted
        return last
    }

    /// The number of a row; nil for an unknown row.
    package func known(_ user: Int64, _ id: Int64) -> Int64? { numbers[Key(user: user, id: id)] }

    /// The number of a row that must exist. If the row is missing, the later check of foreign keys fails.
    package subscript(user: Int64, id: Int64) -> Int64 { known(user, id) ?? id }
}
