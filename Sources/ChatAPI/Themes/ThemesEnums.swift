/// The scaling of the picture of a wallpaper behind a chat.
package struct ChatWallpaperScale: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let fill = Self(rawValue: "fill")
    package static let fit = Self(rawValue: "fit")
    package static let `repeat` = Self(rawValue: "repeat")

    package static let knownValues: Set<Self> = [.fill, .fit, .repeat]
}

/// The dark colour scheme of an app.
package struct DarkColorScheme: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let dark = Self(rawValue: "DARK")
    package static let black = Self(rawValue: "BLACK")
    package static let simplex = Self(rawValue: "SIMPLEX")

    package static let knownValues: Set<Self> = [.dark, .black, .simplex]
}

/// A colour scheme that is the base of a theme.
package struct ThemeColorScheme: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let light = Self(rawValue: "LIGHT")
    package static let dark = Self(rawValue: "DARK")
    package static let black = Self(rawValue: "BLACK")
    package static let simplex = Self(rawValue: "SIMPLEX")

    package static let knownValues: Set<Self> = [.light, .dark, .black, .simplex]
}

/// Colour mode of a theme: light or dark.
package struct UIColorMode: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let light = Self(rawValue: "light")
    package static let dark = Self(rawValue: "dark")

    package static let knownValues: Set<Self> = [.light, .dark]
}

/// The colour scheme of the app, or the scheme of the system.
package struct UIColorScheme: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let system = Self(rawValue: "SYSTEM")
    package static let light = Self(rawValue: "LIGHT")
    package static let dark = Self(rawValue: "DARK")
    package static let simplex = Self(rawValue: "SIMPLEX")
    package static let black = Self(rawValue: "BLACK")

    package static let knownValues: Set<Self> = [.system, .light, .dark, .simplex, .black]
}
