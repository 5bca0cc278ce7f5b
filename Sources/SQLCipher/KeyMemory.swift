import CKeyMemory
import CSQLCipher

/// The memory for the keys of open databases: one area with locked pages, which cannot get to the swap space or into a
/// core dump. The area has few memory mappings, however many databases are open. Without this area, SQLCipher would
/// lock pages all over the heap.
package enum KeyMemory {
    /// Number of bytes of the key memory that are in use.
    package static var usedBytes: Int { Int(sxgw_key_memory_now().used) }
    /// Number of bytes in locked pages; 0 after the system has refused to lock a page (`RLIMIT_MEMLOCK`).
    package static var lockedBytes: Int { Int(sxgw_key_memory_now().locked) }

    /// Configures the memory of the SQLCipher library before its first use.
    static let configureOnce: Void = {
        _ = sxgw_configure_memory()
        _ = sxgw_key_memory_install()
    }()

    /// Runs work in which the library makes or releases keys. All memory that the library allocates during this work is
    /// in the area of locked pages.
    static func withKeyArea<T, E>(_ body: () throws(E) -> T) throws(E) -> T {
        sxgw_key_memory_begin()
        defer { sxgw_key_memory_end() }
        return try body()
    }
}
