internal import CCurl
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The thread of an engine.
enum EngineThread {
  /// Starts a detached thread that runs the engine. Returns false if the system cannot create one.
  static func start(_ handle: EngineHandle) -> Bool {
    guard Library.isReady else { return false }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // Tasks may run on it: as much stack as on other threads.
    pthread_attr_setstacksize(&attributes, 8 << 20)
    let argument = Unmanaged.passRetained(handle).toOpaque()
    #if canImport(Darwin)
    var thread: pthread_t?
    #else
    var thread = pthread_t()
    #endif
    guard pthread_create(&thread, &attributes, runEngine, argument) == 0 else {
      Unmanaged<EngineHandle>.fromOpaque(argument).release()
      return false
    }
    return true
  }
}

#if canImport(Darwin)
private nonisolated func runEngine(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
  serve(Unmanaged<EngineHandle>.fromOpaque(argument).takeRetainedValue())
  return nil
}
#else
private nonisolated func runEngine(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let argument { serve(Unmanaged<EngineHandle>.fromOpaque(argument).takeRetainedValue()) }
  return nil
}
#endif

private nonisolated func serve(_ handle: EngineHandle) {
  // SIGPIPE is blocked: libcurl prevents it, but not on every platform and in every version.
  var signals = sigset_t()
  sigemptyset(&signals)
  sigaddset(&signals, SIGPIPE)
  pthread_sigmask(SIG_BLOCK, &signals, nil)
  faraday_use_locale(Library.utf8Locale)
  faraday_name_thread("faraday-curl")
  handle.begin()
  Exit.began(handle)
  Engine.serve(handle)
  Exit.ended(handle)
}
