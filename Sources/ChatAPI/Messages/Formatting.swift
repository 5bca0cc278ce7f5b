/// A colour of marked text.
package struct Color: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let black = Self(rawValue: "black")
    package static let red = Self(rawValue: "red")
    package static let green = Self(rawValue: "green")
    package static let yellow = Self(rawValue: "yellow")
    package static let blue = Self(rawValue: "blue")
    package static let magenta = Self(rawValue: "magenta")
    package static let cyan = Self(rawValue: "cyan")
    package static let white = Self(rawValue: "white")

    package static let knownValues: Set<Self> = [.black, .red, .green, .yellow, .blue, .magenta, .cyan, .white]
}

/// A text divided into parts, each with at most one format. `formattedText` is nil for a text without formats.
package struct ParsedMarkdown: Codable, Hashable, Sendable {
    package var formattedText: [FormattedText]?

    package init(formattedText: [FormattedText]? = nil) {
        self.formattedText = formattedText
    }
}

/// The result of parsing a URI: its parts, or the reason why the text is not a URI.
package struct ParsedUri: Codable, Hashable, Sendable {
    package var uriInfo: UriInfo?
    package var parseError: String
}

/// A part of a text with one format.
package struct FormattedText: Codable, Hashable, Sendable {
    package var format: TextFormat?
    package var text: String

    package init(format: TextFormat? = nil, text: String) {
        self.format = format
        self.text = text
    }
}

/// The preview of a linked page.
package struct LinkPreview: Codable, Hashable, Sendable {
    package var uri: String
    package var title: String
    package var description: String
    package var image: String
    package var content: LinkContent?
}

/// The scheme of a URI, and the URI without its tracking parameters (nil if it has no tracking parameters).
package struct UriInfo: Codable, Hashable, Sendable {
    package var scheme: String
    package var sanitized: String?
}
