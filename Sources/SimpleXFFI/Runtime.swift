/// The original has a runtime to be started before anything else is called; this library has none. Callers call these all the same.
@_cdecl("hs_init")
public func hsInit(_ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutableRawPointer?) {}

@_cdecl("hs_init_with_rtsopts")
public func hsInitWithOptions(_ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutableRawPointer?) {}

@_cdecl("hs_exit")
public func hsExit() {}
