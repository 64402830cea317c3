internal import CCurl
internal import Synchronization
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// Keeps the engines still while the process ends.
///
/// OpenSSL frees what it shares when a process exits, under the feet of threads that use it. Where we are the first to use OpenSSL
/// it is asked not to (`faraday_keep_openssl_until_exit`); where somebody else was, URLSession for one, the engines are stopped
/// before it does, because what is registered last is run first.
enum Exit {
  private static let isUnderWay = Atomic<Bool>(false)
  private static let parked = Atomic<Int>(0)
  private static let engines = Mutex<[ObjectIdentifier: EngineHandle]>([:])

  /// Called once, after everything that could register such a handler of its own.
  static func prepare() {
    atexit { Exit.stopEngines() }
  }

  /// A thread serves this engine from now on.
  static func began(_ engine: EngineHandle) { engines.withLock { $0[ObjectIdentifier(engine)] = engine } }
  static func ended(_ engine: EngineHandle) { engines.withLock { $0[ObjectIdentifier(engine)] = nil } }

  static var hasBegun: Bool { isUnderWay.load(ordering: .relaxed) }

  /// Stops the thread that calls it for good.
  static func park() {
    parked.wrappingAdd(1, ordering: .releasing)
    while true { pause() }
  }

  /// Waits a quarter of a second at most: a callback that does not return is not waited for.
  private static func stopEngines() {
    let running = engines.withLock { Array($0.values) }
    isUnderWay.store(true, ordering: .relaxed)
    for engine in running { engine.wake() }
    // A callback that ends the process keeps its own engine from going on.
    let others = running.count { !$0.isCurrent }
    for _ in 0..<250 where parked.load(ordering: .acquiring) < others { usleep(1000) }
  }
}
