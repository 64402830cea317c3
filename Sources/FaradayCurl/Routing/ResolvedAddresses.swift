internal import CCurl
@_spi(Adapters) internal import FaradayCore
internal import FaradaySupport
internal import Synchronization

extension CurlAdapter {
  /// Resolves a host name to IP addresses: see ``Configuration/resolver``.
  public typealias Resolver = @Sendable (_ host: String) async throws -> ResolvedAddresses

  /// The addresses of a host.
  public struct ResolvedAddresses: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// The IPv4 or IPv6 addresses, in the order in which they are tried.
    public var addresses: [String]
    /// The time for which the adapter caches the addresses. 60 s by default.
    public var timeToLive: Duration

    /// Creates a list of addresses with a time to live.
    public init(_ addresses: [String], timeToLive: Duration = .seconds(60)) {
      self.addresses = addresses
      self.timeToLive = timeToLive
    }

    public init(arrayLiteral elements: String...) { self.init(elements) }
  }
}

/// A cache of the addresses from a ``CurlAdapter/Resolver``. It calls the resolver once at a time for each host. Thread-safe.
final class ResolvedNames: Sendable {
  /// The state of one host.
  private final class Host: Sendable {
    let flight = SingleFlight<[String]>()
    let known = Mutex<(addresses: [String], expires: Int64)>(([], 0))
  }

  /// The maximum number of cached hosts.
  static let maximum = 1000

  private let resolve: CurlAdapter.Resolver
  private let hosts = Mutex<[String: Host]>([:])

  init(_ resolve: @escaping CurlAdapter.Resolver) { self.resolve = resolve }

  /// The number of cached hosts.
  var count: Int { hosts.withLock { $0.count } }

  /// Removes all addresses.
  func flush() { hosts.withLock { $0 = [:] } }

  /// Returns the addresses of a host. Throws the resolver's error, or ``Problem``.
  func addresses(of name: String) async throws -> [String] {
    let host = host(name)
    if let known = Self.current(host) { return known }
    return try await host.flight.value { [resolve] in
      // The previous call may have ended in the meantime.
      if let known = Self.current(host) { return known }
      let resolved = try await resolve(name)
      guard !resolved.addresses.isEmpty else { throw Problem(description: "it returned no address") }
      if let invalid = resolved.addresses.first(where: { IPAddress($0) == nil }) {
        throw Problem(description: "it returned \(invalid.bounded(to: 64).debugDescription), which is not an IP address")
      }
      let lifetime = max(resolved.timeToLive, .zero).nanoseconds
      return host.known.withLock { known in
        // Keeps the old order: another order would mean other connections.
        if Set(known.addresses) != Set(resolved.addresses) { known.addresses = resolved.addresses }
        known.expires = Clock.now + lifetime
        return known.addresses
      }
    }
  }

  private static func current(_ host: Host) -> [String]? {
    host.known.withLock { $0.expires > Clock.now ? $0.addresses : nil }
  }

  private func host(_ name: String) -> Host {
    hosts.withLock { hosts in
      if let known = hosts[name] { return known }
      if hosts.count >= Self.maximum { hosts = hosts.filter { Self.current($0.value) != nil } }
      if hosts.count >= Self.maximum { hosts = [:] }
      let added = Host()
      hosts[name] = added
      return added
    }
  }

  /// The reason why the resolver's addresses cannot be used.
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }
}

extension Transfer {
  /// Calls the adapter's resolver for the host to connect to, before the transfer is submitted. Does nothing if the host is an
  /// IP address, or if the request's options determine the address or the DNS server.
  func resolve(by names: ResolvedNames) async throws {
    let network = request.options.transport.map { $0.fields.network } ?? Network()
    guard proxy == nil, network.unixSocket == nil, network.dnsServers.isEmpty, network.dnsOverHTTPS == nil,
      let name = network.endpoint(of: target).lookup?.host
    else { return }
    let first = firstLimit
    let addresses: [String]?
    do {
      addresses = try await self.addresses(of: name, names, within: first?.limit)
    } catch is CancellationError where Task.isCancelled {
      throw CancellationError()
    } catch {
      throw exchange.error(
        .nameNotFound, "the resolver failed for \(name.bounded()): \(String(describing: error).bounded(to: 256))",
        phase: .resolving,
        underlying: error)
    }
    if let addresses {
      use(addresses)
    } else if let first {
      throw exchange.error(first.code, "the resolver did not return within \(first.limit)", phase: .resolving)
    }
  }

  /// The shortest of the timeouts that limit the resolver.
  private var firstLimit: (limit: Duration, code: TransportError.Code)? {
    let timeouts = request.options.timeouts
    let limits: [(limit: Duration?, code: TransportError.Code)] = [
      (timeouts.resolve, .resolveTimeout), (timeouts.connect, .connectTimeout), (timeouts.total, .totalTimeout),
    ]
    return limits.compactMap { limit, code in limit.map { (limit: $0, code: code) } }.min { $0.limit < $1.limit }
  }

  /// Returns the addresses; nil if the time expires first.
  private func addresses(of name: String, _ names: ResolvedNames, within limit: Duration?) async throws -> [String]? {
    guard let limit else { return try await names.addresses(of: name) }
    return try await withThrowingTaskGroup(of: [String]?.self) { group in
      group.addTask { try await names.addresses(of: name) }
      group.addTask {
        try await Task.sleep(for: limit.withinClocks)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }
}

/// The address policies that apply to a request: the adapter's and the request's.
struct AddressRules {
  private let adapters: AddressPolicy?
  private let requests: AddressPolicy?

  init(_ settings: TransferSettings, _ options: UncommonOptions?) {
    adapters = settings.addressPolicy
    requests = options.flatMap { $0.fields.addressPolicy }
  }

  /// Whether all addresses are allowed.
  var isEmpty: Bool { adapters == nil && requests == nil }

  /// The reason why libcurl must not open a socket to the address; nil if the address is allowed.
  func refusal(of address: UnsafeMutablePointer<curl_sockaddr>) -> ForbiddenAddressError? {
    guard !isEmpty else { return nil }
    var bytes = [UInt8](repeating: 0, count: 16)
    var port: Int32 = 0
    let count = Int(faraday_address(address, &bytes, &port))
    return count > 0 ? refusal(of: IPAddress(bytes: bytes[..<count]), Int(port)) : unixSocketRefusal
  }

  /// The reason why an established connection must not be used; nil if it is allowed. A keep-alive connection may have been
  /// created under another policy.
  func refusal(of remote: UnsafePointer<CChar>?, _ port: Int32) -> ForbiddenAddressError? {
    guard !isEmpty else { return nil }
    let address = remote.flatMap { IPAddress(String(cString: $0)) }
    return address.map { refusal(of: $0, Int(port)) } ?? unixSocketRefusal
  }

  /// The reason why the request's Unix socket or proxy must not be used; nil if both are allowed.
  func refusal(ofProxy proxy: Proxy?, unixSocket: String?) -> ForbiddenAddressError? {
    if let proxy, !allows(\.allowsProxies) { return ForbiddenAddressError(proxy: proxy) }
    return unixSocket == nil ? nil : unixSocketRefusal
  }

  private var unixSocketRefusal: ForbiddenAddressError? {
    allows(\.allowsUnixSockets) ? nil : ForbiddenAddressError(address: nil, port: 0, range: nil)
  }

  private func allows(_ permission: KeyPath<AddressPolicy, Bool>) -> Bool {
    adapters?[keyPath: permission] ?? true && requests?[keyPath: permission] ?? true
  }

  private func refusal(of address: IPAddress, _ port: Int) -> ForbiddenAddressError? {
    adapters?.refusal(of: address, port: port) ?? requests?.refusal(of: address, port: port)
  }
}
