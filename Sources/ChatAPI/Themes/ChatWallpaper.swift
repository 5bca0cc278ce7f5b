/// The background of a chat: a preset or an image, with scale and tint.
public struct ChatWallpaper: Codable, Hashable, Sendable {
    public var preset: String?
    public var imageFile: String?
    public var background: String?
    public var tint: String?
    public var scaleType: ChatWallpaperScale?
    public var scale: Double?

    public init(
        preset: String? = nil,
        imageFile: String? = nil,
        background: String? = nil,
        tint: String? = nil,
        scaleType: ChatWallpaperScale? = nil,
        scale: Double? = nil
    ) {
        self.preset = preset
        self.imageFile = imageFile
        self.background = background
        self.tint = tint
        self.scaleType = scaleType
        self.scale = scale
    }
}
