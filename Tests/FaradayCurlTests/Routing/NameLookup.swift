import FaradayTesting
public import Glibc
import Synchronization

/// Stands in for the system's `getaddrinfo` in this process, libcurl's calls included, so that tests can have names that
/// take for ever and count how often a name is looked up. Other names are the system's business.
enum NameLookup {
  private static let state = Mutex<[String: (count: Int, calls: Int, gate: Gate?, isFound: Bool)]>([:])

  /// Makes a name that resolves to 127.0.0.1, or turns out not to be there, when the gate is open; nil is at once.
  static func add(_ name: String, gate: Gate? = nil, isFound: Bool = true) {
    state.withLock { $0[name] = (0, 0, gate, isFound) }
  }

  /// How often a name was looked up. libcurl 8.20 and newer asks for both versions of IP separately: that counts once.
  static func count(_ name: String) -> Int { state.withLock { $0[name]?.count ?? 0 } }

  /// The number of calls for a name. libcurl 8.20 and newer makes one for each version of IP.
  static func calls(_ name: String) -> Int { state.withLock { $0[name]?.calls ?? 0 } }

  fileprivate static func begin(_ name: String, isCounted: Bool) -> (isOurs: Bool, gate: Gate?, isFound: Bool) {
    state.withLock { state in
      guard let entry = state[name] else { return (false, nil, true) }
      state[name]?.calls += 1
      if isCounted { state[name]?.count += 1 }
      return (true, entry.gate, entry.isFound)
    }
  }
}

private typealias GetAddrInfo =
  @convention(c) (
    UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<addrinfo>?, UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>?
  ) -> Int32

private let systemGetAddrInfo = unsafeBitCast(
  dlsym(UnsafeMutableRawPointer(bitPattern: -1), "getaddrinfo"), to: GetAddrInfo?.self)

@_cdecl("getaddrinfo")
public nonisolated func lookUp(
  _ name: UnsafePointer<CChar>?, _ service: UnsafePointer<CChar>?, _ hints: UnsafePointer<addrinfo>?,
  _ result: UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>?
) -> Int32 {
  guard let systemGetAddrInfo else { return EAI_FAIL }
  guard let name else { return systemGetAddrInfo(nil, service, hints, result) }
  let (isOurs, gate, isFound) = NameLookup.begin(
    String(cString: name), isCounted: hints?.pointee.ai_family != AF_INET6)
  gate?.wait()
  guard isFound else { return EAI_NONAME }
  return isOurs ? systemGetAddrInfo("127.0.0.1", service, hints, result) : systemGetAddrInfo(name, service, hints, result)
}
