/// A theme: its scheme, colours and wallpaper.
public struct UITheme: Codable, Hashable, Sendable {
    public var themeId: String
    public var base: ThemeColorScheme
    public var wallpaper: ChatWallpaper?
    public var colors: UIColors

    public init(themeId: String, base: ThemeColorScheme, wallpaper: ChatWallpaper? = nil, colors: UIColors) {
        self.themeId = themeId
        self.base = base
        self.wallpaper = wallpaper
        self.colors = colors
    }
}

/// Changes to the app's theme for a user or a chat, in one colour mode.
public struct UIThemeEntityOverride: Codable, Hashable, Sendable {
    public var mode: UIColorMode
    public var wallpaper: ChatWallpaper?
    public var colors: UIColors

    public init(mode: UIColorMode, wallpaper: ChatWallpaper? = nil, colors: UIColors) {
        self.mode = mode
        self.wallpaper = wallpaper
        self.colors = colors
    }
}

/// Colours of a profile or a chat, separate for light and dark mode.
public struct UIThemeEntityOverrides: Codable, Hashable, Sendable {
    public var light: UIThemeEntityOverride?
    public var dark: UIThemeEntityOverride?

    public init(light: UIThemeEntityOverride? = nil, dark: UIThemeEntityOverride? = nil) {
        self.light = light
        self.dark = dark
    }
}
