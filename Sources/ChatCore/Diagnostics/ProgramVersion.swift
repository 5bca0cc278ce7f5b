internal import CVersion

/// The version of this program, from the file `VERSION`. `AppVersion.current` is the version of the original core whose
/// interface this program implements.
public enum ProgramVersion {
    public static let text = String(String(cString: sxgw_version()).prefix { $0 != "\n" })
}
