/// A colour of marked text.
public struct Color: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let black = Self(rawValue: "black")
    public static let red = Self(rawValue: "red")
    public static let green = Self(rawValue: "green")
    public static let yellow = Self(rawValue: "yellow")
    public static let blue = Self(rawValue: "blue")
    public static let magenta = Self(rawValue: "magenta")
    public static let cyan = Self(rawValue: "cyan")
    public static let white = Self(rawValue: "white")

    public static let known: Set<Self> = [.black, .red, .green, .yellow, .blue, .magenta, .cyan, .white]
}

/// A text divided into parts with one format each; nil for a text without formatting.
public struct ParsedMarkdown: Codable, Hashable, Sendable {
    public var formattedText: [FormattedText]?

    public init(formattedText: [FormattedText]? = nil) {
        self.formattedText = formattedText
    }
}

/// The parts of a URI, or the reason why the text is not a URI.
public struct ParsedUri: Codable, Hashable, Sendable {
    public var uriInfo: UriInfo?
    public var parseError: String
}

/// A part of a text with one format.
public struct FormattedText: Codable, Hashable, Sendable {
    public var format: TextFormat?
    public var text: String

    public init(format: TextFormat? = nil, text: String) {
        self.format = format
        self.text = text
    }
}

/// The preview of a linked page.
public struct LinkPreview: Codable, Hashable, Sendable {
    public var uri: String
    public var title: String
    public var description: String
    public var image: String
    public var content: LinkContent?
}

/// The scheme of a URI, and the URI without tracking parameters if it has any.
public struct UriInfo: Codable, Hashable, Sendable {
    public var scheme: String
    public var sanitized: String?
}
