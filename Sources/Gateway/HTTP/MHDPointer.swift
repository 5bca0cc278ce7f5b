/// A pointer of the HTTP library inside a mutex.
///
/// `@unchecked Sendable`: other threads pass it only to library functions that lock by themselves (resume, close of an
/// upgraded socket, stop). Each owner of a pointer documents why it is still valid.
struct MHDPointer: @unchecked Sendable {
    let pointer: OpaquePointer
}
