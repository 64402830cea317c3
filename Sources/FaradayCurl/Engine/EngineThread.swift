internal import CCurl
internal import Synchronization
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
    // Tasks may run on the thread: it needs as much stack as other threads.
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
  // SIGPIPE is blocked: libcurl suppresses it, but not on every platform and in every version.
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

/// Stops the engines' threads while the process exits, to prevent crashes.
///
/// OpenSSL's atexit handler frees memory that other threads still use. If libcurl's OpenSSL is initialized here first, it
/// registers no handler (`OpenSSL.keepUntilExit()`). If another library, such as Foundation's URLSession, has initialized
/// OpenSSL, the engines are stopped before its handler runs: the handler registered last runs first.
enum Exit {
  private static let isUnderWay = Atomic<Bool>(false)
  private static let parked = Atomic<Int>(0)
  private static let engines = Mutex<[ObjectIdentifier: EngineHandle]>([:])

  /// Registers the atexit handler that stops the engines. Called once, after all code that could register OpenSSL's handler.
  static func prepare() {
    atexit { Exit.stopEngines() }
  }

  /// Notes that a thread runs this engine.
  static func began(_ engine: EngineHandle) { engines.withLock { $0[ObjectIdentifier(engine)] = engine } }
  static func ended(_ engine: EngineHandle) { engines.withLock { $0[ObjectIdentifier(engine)] = nil } }

  static var hasBegun: Bool { isUnderWay.load(ordering: .relaxed) }

  /// Stops the calling thread for good.
  static func park() {
    parked.wrappingAdd(1, ordering: .releasing)
    while true { pause() }
  }

  /// Stops all engines. Waits at most a quarter of a second, in case a callback does not return (deadlock).
  private static func stopEngines() {
    isUnderWay.store(true, ordering: .relaxed)
    for engine in engines.withLock({ Array($0.values) }) { engine.wake() }
    // If a callback has called exit(), its engine is already stopped. An engine whose adapter was released ends, and never parks.
    for _ in 0..<250 where parked.load(ordering: .acquiring) < engines.withLock({ $0.values.count { !$0.isCurrent } }) {
      usleep(1000)
    }
  }
}

/// Detects fork(): in the child process the engine's thread does not exist, and its locks may be held forever (deadlock).
enum Forks {
  private static let number = Atomic<Int>(0)

  /// Starts counting forks. Called once.
  static func count() {
    pthread_atfork(nil, nil) { Forks.number.wrappingAdd(1, ordering: .relaxed) }
  }

  /// The number of forks between the original process and this one.
  static var soFar: Int { number.load(ordering: .relaxed) }
}
