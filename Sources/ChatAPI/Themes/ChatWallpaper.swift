/// The background of a chat: a preset or an image, with scale and tint.
package struct ChatWallpaper: Codable, Hashable, Sendable {
    package var preset: String?
    package var imageFile: String?
    package var background: String?
    package var tint: String?
    package var scaleType: ChatWallpaperScale?
    package var scale: Double?
}
