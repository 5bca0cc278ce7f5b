/// A pointer of the HTTP library inside a mutex.
///
/// `@unchecked Sendable`: other threads pass the pointer only to library functions with their own locks (resume, close
/// of an upgraded socket, stop). Each owner of a pointer documents the reason why the pointer is still valid.
struct MHDPointer: @unchecked Sendable {
    let pointer: OpaquePointer
}
