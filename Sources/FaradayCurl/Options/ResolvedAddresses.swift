internal import FaradayCore
internal import Synchronization

extension CurlAdapter {
  /// Resolves a host name to IP addresses: see ``Configuration/resolver``.
  public typealias Resolver = @Sendable (_ host: String) async throws -> ResolvedAddresses

  /// The addresses of a host.
  public struct ResolvedAddresses: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// The addresses, IPv4 or IPv6, which are tried in this order.
    public var addresses: [String]
    /// How long the adapter uses them before it asks again. 60 s by default.
    public var timeToLive: Duration

    /// Addresses that the adapter keeps for this time.
    public init(_ addresses: [String], timeToLive: Duration = .seconds(60)) {
      self.addresses = addresses
      self.timeToLive = timeToLive
    }

    public init(arrayLiteral elements: String...) { self.init(elements) }
  }
}

/// The addresses that a ``CurlAdapter/Resolver`` has returned, until they expire. It is asked once at a time for each host. Thread-safe.
final class ResolvedNames: Sendable {
  /// A host that was asked for.
  private final class Host: Sendable {
    let flight = SingleFlight<[String]>()
    let known = Mutex<(addresses: [String], expires: Int64)>(([], 0))
  }

  /// The number of hosts that are remembered.
  static let maximum = 1000

  private let resolve: CurlAdapter.Resolver
  private let hosts = Mutex<[String: Host]>([:])

  init(_ resolve: @escaping CurlAdapter.Resolver) { self.resolve = resolve }

  /// The number of remembered hosts.
  var count: Int { hosts.withLock { $0.count } }

  /// Forgets all addresses.
  func flush() { hosts.withLock { $0 = [:] } }

  /// The addresses of a host. Throws the resolver's error, or ``Problem``.
  func addresses(of name: String) async throws -> [String] {
    let host = host(name)
    if let known = Self.current(host) { return known }
    return try await host.flight.value { [resolve] in
      // The previous call may have ended since.
      if let known = Self.current(host) { return known }
      let resolved = try await resolve(name)
      guard !resolved.addresses.isEmpty else { throw Problem(description: "it returned no address") }
      if let invalid = resolved.addresses.first(where: { IPAddress($0) == nil }) {
        throw Problem(description: "it returned \(invalid.bounded(to: 64).debugDescription), which is not an IP address")
      }
      let lifetime = max(resolved.timeToLive, .zero).nanoseconds
      return host.known.withLock { known in
        // In another order they would have other connections.
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

  /// Why the addresses cannot be used.
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }
}

extension Transfer {
  /// Asks the adapter's resolver for the addresses of the host that is connected to, unless it is an address, or the request says itself
  /// how it is found. Before the transfer is submitted.
  func resolve(by names: ResolvedNames) async throws {
    let network = request.options.transport?.fields.network ?? Network()
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
      throw self.error(
        .nameNotFound, "the resolver failed for \(name.bounded()): \(String(describing: error).bounded(to: 256))",
        phase: .resolving,
        underlying: error)
    }
    if let addresses {
      // For every host, as none of the request's own is for this one: it may be spelled in several ways.
      request.options.network.hostOverrides.append(HostOverride("*", addresses: addresses))
    } else if let first {
      throw error(first.code, "the resolver did not answer within \(first.limit)", phase: .resolving)
    }
  }

  /// The timeout that limits the resolver.
  private var firstLimit: (limit: Duration, code: TransportError.Code)? {
    let timeouts = request.options.timeouts
    let limits: [(limit: Duration?, code: TransportError.Code)] = [
      (timeouts.resolve, .resolveTimeout), (timeouts.connect, .connectTimeout), (timeouts.total, .totalTimeout),
    ]
    return limits.compactMap { limit, code in limit.map { (limit: $0, code: code) } }.min { $0.limit < $1.limit }
  }

  /// The addresses; nil if the time expires first.
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
