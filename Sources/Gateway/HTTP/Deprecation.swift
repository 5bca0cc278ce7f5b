internal import ChatAPI

/// The announced end of an operation, with the header fields `Deprecation` (RFC 9745) and `Sunset` (RFC 8594).
struct Deprecation: Sendable, Equatable {
    /// The day from which clients should use another operation, such as `2027-01-31`.
    let startDay: String
    /// The first day on which the operation may be gone; nil if it is not known.
    let sunset: String?
    /// The name of the operation to use instead; nil if there is none.
    let replacement: String?

    init(since: String, sunset: String? = nil, replacement: String? = nil) {
        self.startDay = since
        self.sunset = sunset
        self.replacement = replacement
    }

    /// The header fields of each answer of the operation. For a day that does not exist, the field is left out.
    var headers: [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        if let seconds = Self.parseSeconds(startDay) { headers.append(("Deprecation", "@\(seconds)")) }
        if let date = sunset.flatMap(Self.makeHTTPDate) { headers.append(("Sunset", date)) }
        if let replacement {
            headers.append(("Link", "</docs#\(replacement)>; rel=\"successor-version\"; type=\"text/html\""))
        }
        return headers
    }

    /// Returns the beginning of a day in seconds since 1970; nil for a day that does not exist.
    private static func parseSeconds(_ day: String) -> Int64? {
        guard let beginning = Timestamp(parsing: "\(day)T00:00:00Z"), beginning.fullText.hasPrefix(day) else {
            return nil
        }
        return beginning.seconds
    }

    /// Returns the beginning of a day as an HTTP date, such as `Sun, 31 Jan 2027 00:00:00 GMT`.
    private static func makeHTTPDate(_ day: String) -> String? {
        let parts = day.split(separator: "-")
        guard let seconds = parseSeconds(day), parts.count == 3, let month = Int(parts[1]),
            months.indices.contains(month - 1)
        else { return nil }
        // 1970-01-01 was a Thursday.
        let weekday = weekdays[Int(((seconds / 86400 + 4) % 7 + 7) % 7)]
        return "\(weekday), \(parts[2]) \(months[month - 1]) \(parts[0]) 00:00:00 GMT"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
