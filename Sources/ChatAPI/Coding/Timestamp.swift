import Clocks

/// A time in nanoseconds since 1970-01-01 UTC, as the chat database stores it.
package struct Timestamp: Sendable, Hashable, Comparable {
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Makes a time from seconds.
    /// - Parameter seconds: the seconds since 1970-01-01 UTC. Values outside of the years 1677 to 2262 are clamped.
    package init(seconds: Int64) {
        let (value, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        nanoseconds = overflow ? (seconds < 0 ? .min : .max) : value
    }

    package static var now: Timestamp { Timestamp(nanoseconds: WallClock.nanoseconds()) }

    package static let epoch = Timestamp(nanoseconds: 0)

    package var seconds: Int64 {
        let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    package func adding(seconds: Int64) -> Timestamp {
        let (delta, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow2) = nanoseconds.addingReportingOverflow(delta)
        return overflow || overflow2 ? Timestamp(nanoseconds: seconds < 0 ? .min : .max) : Timestamp(nanoseconds: sum)
    }

    /// Returns the duration from another time to this time; negative when the other time is later.
    package func duration(since other: Timestamp) -> Duration {
        .nanoseconds(nanoseconds) - .nanoseconds(other.nanoseconds)
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The time in ISO 8601, UTC, with as many fractional digits as needed, and no fraction for whole seconds:
    /// `2026-11-21T03:14:05.7663Z`. Messages to peers contain this form.
    package var text: String { makeText(trimmed: true) }

    /// The time in ISO 8601, UTC, with nine fractional digits, so that the order of texts is the order of times. All
    /// data for clients contains this form.
    package var fullText: String { makeText(trimmed: false) }

    private func makeText(trimmed: Bool) -> String {
        let date = CivilDate(daysSinceEpoch: seconds >= 0 ? seconds / 86400 : (seconds - 86399) / 86400)
        let secondOfDay = Int(seconds - date.daysSinceEpoch * 86400)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(30)
        bytes.appendDigits(decimal: Int(date.year), width: 4)
        bytes.append(UInt8(ascii: "-"))
        bytes.appendDigits(decimal: date.month, width: 2)
        bytes.append(UInt8(ascii: "-"))
        bytes.appendDigits(decimal: date.day, width: 2)
        bytes.append(UInt8(ascii: "T"))
        bytes.appendDigits(decimal: secondOfDay / 3600, width: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.appendDigits(decimal: secondOfDay / 60 % 60, width: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.appendDigits(decimal: secondOfDay % 60, width: 2)
        let fraction = Int(nanoseconds &- seconds &* 1_000_000_000)
        if fraction != 0 || !trimmed {
            bytes.append(UInt8(ascii: "."))
            bytes.appendDigits(decimal: fraction, width: 9)
            while trimmed, bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
        }
        bytes.append(UInt8(ascii: "Z"))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Parses a time in the form of ``text``; nil for other texts. The time may have 0 to 12 fractional digits, and the
    /// first nine are used.
    package init?(parsing text: String) {
        var rest = Array(text.utf8)[...]
        func scanDigits(_ count: Int) -> Int? {
            guard rest.count >= count else { return nil }
            let field = rest.prefix(count)
            guard field.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
            rest = rest.dropFirst(count)
            return field.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
        func skip(_ character: Unicode.Scalar) -> Bool { rest.popFirst() == UInt8(ascii: character) }
        guard let year = scanDigits(4), skip("-"), let month = scanDigits(2), skip("-"), let day = scanDigits(2),
            skip("T"),
            let hour = scanDigits(2), skip(":"), let minute = scanDigits(2), skip(":"), let second = scanDigits(2),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        var fraction: Int64 = 0
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            let field = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
            guard (1...12).contains(field.count) else { return nil }
            rest = rest.dropFirst(field.count)
            var scale: Int64 = 100_000_000
            for digit in field.prefix(9) {
                fraction += Int64(digit - 0x30) * scale
                scale /= 10
            }
        }
        guard rest.elementsEqual([UInt8(ascii: "Z")]) else { return nil }
        let days = CivilDate(year: Int64(year), month: month, day: day).daysSinceEpoch
        let whole = Timestamp(seconds: days * 86400 + Int64(hour * 3600 + minute * 60 + second))
        self.init(nanoseconds: whole.nanoseconds &+ (whole.nanoseconds == .max ? 0 : fraction))
    }
}

/// A day of the proleptic Gregorian calendar. For the computation, a year begins in March, so that the leap day is the
/// last day of the year.
struct CivilDate {
    let daysSinceEpoch: Int64
    let year: Int64
    let month: Int
    let day: Int

    init(daysSinceEpoch: Int64) {
        self.daysSinceEpoch = daysSinceEpoch
        let shifted = daysSinceEpoch + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
        month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    init(year: Int64, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        daysSinceEpoch = era * 146_097 + dayOfEra - 719_468
    }
}

extension [UInt8] {
    fileprivate mutating func appendDigits(decimal value: Int, width: Int) {
        var divisor = 1
        for _ in 1..<width { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(0x30 + value / divisor % 10))
            divisor /= 10
        }
    }
}
