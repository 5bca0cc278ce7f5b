/// A theme: its scheme, colours and wallpaper.
package struct UITheme: Codable, Hashable, Sendable {
    package var themeId: String
    package var base: ThemeColorScheme
    package var wallpaper: ChatWallpaper?
    package var colors: UIColors
}

/// Changes to the app's theme for one user or one chat, in one colour mode.
package struct UIThemeEntityOverride: Codable, Hashable, Sendable {
    package var mode: UIColorMode
    package var wallpaper: ChatWallpaper?
    package var colors: UIColors
}

/// Changes to the app's theme for one user or one chat, separately for light and dark mode.
package struct UIThemeEntityOverrides: Codable, Hashable, Sendable {
    package var light: UIThemeEntityOverride?
    package var dark: UIThemeEntityOverride?
}
