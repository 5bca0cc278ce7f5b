extension StringProtocol {
    /// The text with the marks of HTML replaced, for the content of elements.
    var escapedForHTML: String {
        var out = ""
        for character in self {
            switch character {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            default: out.append(character)
            }
        }
        return out
    }

    /// The text for an attribute in double quotes.
    var escapedForAttribute: String { escapedForHTML.replacing("\"", with: "&quot;") }
}
