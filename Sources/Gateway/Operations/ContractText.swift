internal import CContract

/// The texts of the contract, which are embedded in the program.
enum ContractText {
    /// The text of `openapi/openapi.yaml`.
    static var yaml: String { text(sxgw_contract(), sxgw_contract_size()) }
    /// The text of `openapi/asyncapi.yaml`.
    static var streams: String { text(sxgw_streams(), sxgw_streams_size()) }

    private static func text(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> String {
        String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}
