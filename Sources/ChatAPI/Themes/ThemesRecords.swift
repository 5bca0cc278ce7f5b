/// A theme: its scheme, colours and wallpaper.
public struct UITheme: Codable, Hashable, Sendable {
    public var themeId: String
    public var base: ThemeColorScheme
    public var wallpaper: ChatWallpaper?
    public var colors: UIColors
}

/// Changes to the app's theme for a user or a chat, in one colour mode.
public struct UIThemeEntityOverride: Codable, Hashable, Sendable {
    public var mode: UIColorMode
    public var wallpaper: ChatWallpaper?
    public var colors: UIColors
}

/// Colours of a profile or a chat, separate for light and dark mode.
public struct UIThemeEntityOverrides: Codable, Hashable, Sendable {
    public var light: UIThemeEntityOverride?
    public var dark: UIThemeEntityOverride?
}
