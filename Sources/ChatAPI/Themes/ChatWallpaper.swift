/// The background of a chat: a preset or an image, with scale and tint.
public struct ChatWallpaper: Codable, Hashable, Sendable {
    public var preset: String?
    public var imageFile: String?
    public var background: String?
    public var tint: String?
    public var scaleType: ChatWallpaperScale?
    public var scale: Double?
}
