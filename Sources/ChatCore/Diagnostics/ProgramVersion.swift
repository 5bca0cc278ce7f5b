internal import CVersion
internal import RemoteControl

/// The version of this program, from the file `VERSION`.
public enum ProgramVersion {
    public static let text = String(String(cString: sxgw_version()).prefix { $0 != "\n" })
    /// The version of the original core whose interface this program implements.
    public static let core = AppVersion.current
}
