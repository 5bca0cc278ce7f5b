/// The names of the contents of an archive, as in the original (database and storage, section 7).
enum ArchiveNames {
    static let chatDatabase = "simplex_v1_chat.db"
    static let agentDatabase = "simplex_v1_agent.db"
    static let filesFolder = "simplex_v1_files/"
    static let wallpapersFolder = "simplex_v1_assets/wallpapers/"
}
