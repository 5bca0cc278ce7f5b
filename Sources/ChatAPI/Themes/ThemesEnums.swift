/// The scaling of the picture of a wallpaper behind a chat.
public struct ChatWallpaperScale: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let fill = Self(rawValue: "fill")
    public static let fit = Self(rawValue: "fit")
    public static let `repeat` = Self(rawValue: "repeat")

    public static let known: Set<Self> = [.fill, .fit, .repeat]
}

/// The dark colour scheme of an app.
public struct DarkColorScheme: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let dark = Self(rawValue: "DARK")
    public static let black = Self(rawValue: "BLACK")
    public static let simplex = Self(rawValue: "SIMPLEX")

    public static let known: Set<Self> = [.dark, .black, .simplex]
}

/// A colour scheme that is the base of a theme.
public struct ThemeColorScheme: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let light = Self(rawValue: "LIGHT")
    public static let dark = Self(rawValue: "DARK")
    public static let black = Self(rawValue: "BLACK")
    public static let simplex = Self(rawValue: "SIMPLEX")

    public static let known: Set<Self> = [.light, .dark, .black, .simplex]
}

/// Colour mode of a theme: light or dark.
public struct UIColorMode: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let light = Self(rawValue: "light")
    public static let dark = Self(rawValue: "dark")

    public static let known: Set<Self> = [.light, .dark]
}

/// The colour scheme of the app, or the scheme of the system.
public struct UIColorScheme: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let system = Self(rawValue: "SYSTEM")
    public static let light = Self(rawValue: "LIGHT")
    public static let dark = Self(rawValue: "DARK")
    public static let simplex = Self(rawValue: "SIMPLEX")
    public static let black = Self(rawValue: "BLACK")

    public static let known: Set<Self> = [.system, .light, .dark, .simplex, .black]
}
