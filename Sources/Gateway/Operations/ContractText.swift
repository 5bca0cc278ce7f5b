internal import CContract

/// The contract, `openapi/openapi.yaml`, which is embedded in the program.
enum ContractText {
    static var yaml: String { String(decoding: UnsafeBufferPointer(start: sxgw_contract(), count: sxgw_contract_size()), as: UTF8.self) }
}
