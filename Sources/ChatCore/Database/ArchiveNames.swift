/// The names of the contents of an archive, as in the original (database and storage, section 7).
enum ArchiveNames {
    static let chat = "simplex_v1_chat.db"
    static let agent = "simplex_v1_agent.db"
    static let files = "simplex_v1_files/"
    static let wallpapers = "simplex_v1_assets/wallpapers/"
}
