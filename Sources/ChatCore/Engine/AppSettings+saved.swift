internal import ChatAPI
internal import ChatStore
internal import SQLCipher

extension AppSettings {
    static let storedName = "app_settings"

    /// Finds the stored settings of the app; nil if none are stored. Settings that are missing get no default values.
    static func findSaved(in db: StoreConnection) throws -> AppSettings? {
        try StoredJSON.decodeIfPresent(
            AppSettings.self,
            db.queryFirst("SELECT value FROM settings WHERE name = ?", [storedName])?.string("value")
        )
    }
}
