internal import CVersion
internal import RemoteControl

/// The version of this program, from the file `VERSION`.
package enum ProgramVersion {
    package static let text = String(String(cString: sxgw_version()).prefix { $0 != "\n" })
    /// The version of the original core whose interface this program implements.
    package static let core = AppVersion.currentText
}
