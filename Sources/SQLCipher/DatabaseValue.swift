/// The value of one column in one row.
public enum DatabaseValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}

/// A Swift value that can be bound to a parameter of a statement.
public protocol DatabaseBindable: Sendable {
    var databaseValue: DatabaseValue { get }
}

extension DatabaseValue: DatabaseBindable {
    public var databaseValue: DatabaseValue { self }
}
extension Int64: DatabaseBindable {
    public var databaseValue: DatabaseValue { .integer(self) }
}
extension Int: DatabaseBindable {
    public var databaseValue: DatabaseValue { .integer(Int64(self)) }
}
extension Int32: DatabaseBindable {
    public var databaseValue: DatabaseValue { .integer(Int64(self)) }
}
extension UInt32: DatabaseBindable {
    public var databaseValue: DatabaseValue { .integer(Int64(self)) }
}
extension UInt16: DatabaseBindable {
    public var databaseValue: DatabaseValue { .integer(Int64(self)) }
}
extension Bool: DatabaseBindable {
    public var databaseValue: DatabaseValue { .integer(self ? 1 : 0) }
}
extension Double: DatabaseBindable {
    public var databaseValue: DatabaseValue { .real(self) }
}
extension String: DatabaseBindable {
    public var databaseValue: DatabaseValue { .text(self) }
}
extension [UInt8]: DatabaseBindable {
    public var databaseValue: DatabaseValue { .blob(self) }
}
