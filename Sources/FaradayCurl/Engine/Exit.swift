internal import CCurl
internal import Synchronization
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// Stops the engines' threads while the process exits, to prevent crashes.
///
/// OpenSSL's atexit handler frees memory that other threads still use. If we initialize OpenSSL first, it registers none
/// (`OpenSSL.keepUntilExit()`). If another library did, such as Foundation's URLSession, the engines are stopped before,
/// because the handler registered last runs first.
enum Exit {
  private static let isUnderWay = Atomic<Bool>(false)
  private static let parked = Atomic<Int>(0)
  private static let engines = Mutex<[ObjectIdentifier: EngineHandle]>([:])

  /// Registers our atexit handler. Called once, after everything that could register OpenSSL's.
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

  /// Stops all engines. Waits a quarter of a second at most, in case a callback does not return (deadlock).
  private static func stopEngines() {
    let running = engines.withLock { Array($0.values) }
    isUnderWay.store(true, ordering: .relaxed)
    for engine in running { engine.wake() }
    // If a callback has called exit(), its own engine is stopped already.
    let others = running.count { !$0.isCurrent }
    for _ in 0..<250 where parked.load(ordering: .acquiring) < others { usleep(1000) }
  }
}
