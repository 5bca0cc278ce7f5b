/// The value of one column in one row.
package enum DatabaseValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}

/// A Swift value that can be bound to a parameter of a statement.
package protocol DatabaseBindable: Sendable {
    var databaseValue: DatabaseValue { get }
}

extension DatabaseValue: DatabaseBindable {
    package var databaseValue: DatabaseValue { self }
}
extension Int64: DatabaseBindable {
    package var databaseValue: DatabaseValue { .integer(self) }
}
extension Int: DatabaseBindable {
    package var databaseValue: DatabaseValue { .integer(Int64(self)) }
}
extension Int32: DatabaseBindable {
    package var databaseValue: DatabaseValue { .integer(Int64(self)) }
}
extension UInt32: DatabaseBindable {
    package var databaseValue: DatabaseValue { .integer(Int64(self)) }
}
extension UInt16: DatabaseBindable {
    package var databaseValue: DatabaseValue { .integer(Int64(self)) }
}
extension Bool: DatabaseBindable {
    package var databaseValue: DatabaseValue { .integer(self ? 1 : 0) }
}
extension Double: DatabaseBindable {
    package var databaseValue: DatabaseValue { .real(self) }
}
extension String: DatabaseBindable {
    package var databaseValue: DatabaseValue { .text(self) }
}
extension [UInt8]: DatabaseBindable {
    package var databaseValue: DatabaseValue { .blob(self) }
}
