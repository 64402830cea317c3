internal import CCurl
@_spi(Adapters) internal import FaradayCore
internal import Synchronization
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The sockets of an engine's connection pool: the requests on each socket, and whether an idle connection can be reused.
///
/// An idle (keep-alive) HTTP/1.1 connection is never reused if bytes arrive on it or the server closes it: libcurl would treat
/// unsolicited bytes as the response to the next request (RFC 9112, section 9.2).
final class Sockets {
  /// The identity of a connection: its local and remote addresses and ports.
  struct Endpoints: Hashable {
    private let hash: UInt64
    let localPort: Int32
    /// Whether other connections can have the same endpoints: connections over a Unix socket have no ports. They are not kept.
    var isAnonymous: Bool { localPort == 0 }

    init(
      remote: UnsafePointer<CChar>?, _ remotePort: Int32, local: UnsafePointer<CChar>?, _ localPort: Int32
    ) {
      // FNV-1a over the text of the addresses: creating strings for every request would be slower.
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      func add(_ text: UnsafePointer<CChar>?) {
        guard var next = text else { return }
        while next.pointee != 0 {
          add(UInt8(bitPattern: next.pointee))
          next += 1
        }
        add(0)
      }
      add(remote)
      add(local)
      for port in [remotePort, localPort] {
        add(UInt8(truncatingIfNeeded: port))
        add(UInt8(truncatingIfNeeded: port >> 8))
      }
      self.hash = hash
      self.localPort = localPort
    }
  }

  /// A connection. Its descriptor may belong to another socket later; its number reveals that.
  struct Connection {
    let descriptor: Int32
    let number: Int?
  }

  /// The local and remote address of a connection: see ``TransferMetrics``.
  struct Addresses {
    var remote: String?
    var local: String?
  }

  /// The resource that a transfer holds until it has a connection.
  enum Hold {
    /// An idle connection that is reserved for the transfer.
    case reservation(Connection)
    /// A connection that is being opened, to an origin with these counters.
    case connecting(EngineCounters.Connections)
  }

  private struct Entry {
    var isOpen = false
    /// The inode of the socket, to distinguish it from other sockets with the same descriptor; 0 for none.
    var file: UInt64 = 0
    var endpoints: Endpoints?
    /// The addresses and ports as text, cached for all requests over the connection.
    var addresses: Addresses?
    /// The number of active transfers.
    var users = 0
    /// The number of requests so far.
    var uses = 0
    /// Whether HTTP/2 was negotiated (ALPN).
    var isHTTP2 = false
    /// Whether the socket is a UDP socket: its connection uses QUIC, and therefore HTTP/3.
    var isDatagram = false
    /// The options that distinguish the connection from others; nil for the defaults.
    var options: ConnectionOptions?
    var tcp = TCPSettings()
    /// The negotiated properties of the TLS session; nil without TLS.
    var tlsSession: TLSSession?
    /// The order in which connections became idle: an increasing number.
    var idleSince = 0
    /// Whether the idle connection is reserved for a request that is about to start.
    var isReserved = false
    /// Whether no other request may use the connection, so that it is closed when its last request has ended.
    var isEvicted = false
    /// The counters of the connection's origin; nil before the connection is established, and once it counts as closed.
    var origin: EngineCounters.Connections?
    /// The number of the established connection, unique in the process.
    var number: Int?

    var isKept: Bool { isOpen && users == 0 && endpoints != nil && origin != nil && !isReserved }
  }

  /// Notified of opened, closed and replaced sockets.
  weak var driver: (any Driver)?
  private let counters: EngineCounters
  private static let numbers = Atomic<Int>(0)
  // No run-time checks for exclusive access, as in `Engine`.
  @exclusivity(unchecked) private var entries: [Entry] = []
  @exclusivity(unchecked) private var descriptors: [Endpoints: Int32] = [:]
  private(set) var openCount = 0
  private var endedCount = 0
  /// Whether idle connections were closed without libcurl noticing yet.
  private var hasDeadConnections = false

  init(_ counters: EngineCounters = EngineCounters()) { self.counters = counters }

  /// Returns whether idle connections were closed since the last call without libcurl noticing.
  func takeDeadConnections() -> Bool {
    defer { hasDeadConnections = false }
    return hasDeadConnections
  }

  /// Notes that the server has closed an idle connection.
  func noteDeadConnection() { hasDeadConnections = true }

  // MARK: notifications from libcurl

  /// Sets the callback for closed sockets. A connection keeps the callback and outlives its easy handle, but not the multi
  /// handle. This object outlives the multi handle.
  func watch(_ easy: EasyHandle) {
    _ = faraday_set_close_socket(easy.pointer, closeSocketCallback, Unmanaged.passUnretained(self).toOpaque())
  }

  func opened(_ descriptor: Int32, isDatagram: Bool = false) {
    forget(descriptor)
    driver?.opened(descriptor)
    while entries.count <= Int(descriptor) { entries.append(Entry()) }
    entries[Int(descriptor)].isOpen = true
    entries[Int(descriptor)].isDatagram = isDatagram
    entries[Int(descriptor)].file = faraday_file_number(descriptor)
    openCount += 1
  }

  /// Called just before the socket is closed.
  func closed(_ descriptor: Int32) {
    forget(descriptor)
    driver?.closed(descriptor)
  }

  private func forget(_ descriptor: Int32) {
    guard Int(descriptor) < entries.count, entries[Int(descriptor)].isOpen else { return }
    if let endpoints = entries[Int(descriptor)].endpoints, descriptors[endpoints] == descriptor {
      descriptors[endpoints] = nil
    }
    countClosed(descriptor)
    entries[Int(descriptor)] = Entry()
    openCount -= 1
  }

  // MARK: connections

  /// Returns the socket of a new connection, from the sockets that were opened for it (happy eyeballs).
  func connected(_ candidates: [Int32], _ endpoints: Endpoints) -> Int32? {
    let open = candidates.filter { entries[Int($0)].isOpen }
    let descriptor = open.count == 1 ? open.first : open.first { faraday_local_port($0) == endpoints.localPort }
    guard let descriptor else { return nil }
    entries[Int(descriptor)].endpoints = endpoints
    descriptors[endpoints] = descriptor
    return descriptor
  }

  /// The addresses and ports of a connection as text, created once.
  func addresses(
    of descriptor: Int32?, remote: UnsafePointer<CChar>?, _ remotePort: Int32, local: UnsafePointer<CChar>?, _ localPort: Int32
  ) -> Addresses {
    if let descriptor, let known = entries[Int(descriptor)].addresses { return known }
    let addresses = Addresses(remote: Self.text(remote, remotePort), local: Self.text(local, localPort))
    if let descriptor { entries[Int(descriptor)].addresses = addresses }
    return addresses
  }

  /// `127.0.0.1:80` or `[::1]:80`; nil for a Unix socket.
  private static func text(_ address: UnsafePointer<CChar>?, _ port: Int32) -> String? {
    let host = address.map { String(cString: $0) } ?? ""
    return host.isEmpty ? nil : "\(host.bracketedHost):\(port)"
  }

  /// The socket of a keep-alive connection.
  func descriptor(_ endpoints: Endpoints) -> Int32? { descriptors[endpoints] }

  /// The socket of a keep-alive connection. `active` is libcurl's candidate: a TCP and a UDP connection can have the same
  /// addresses and ports.
  func descriptor(_ endpoints: Endpoints, active: Int32) -> Int32? {
    guard entries.indices.contains(Int(active)), entries[Int(active)].endpoints == endpoints else { return descriptor(endpoints) }
    return active
  }

  /// Whether libcurl has not closed the connection.
  func isOpen(_ connection: Connection) -> Bool {
    connection.number != nil && entries[Int(connection.descriptor)].number == connection.number
  }

  func noteHTTP2(_ descriptor: Int32) { entries[Int(descriptor)].isHTTP2 = true }
  func isHTTP2(_ descriptor: Int32) -> Bool { Int(descriptor) < entries.count && entries[Int(descriptor)].isHTTP2 }
  func isHTTP3(_ descriptor: Int32) -> Bool { Int(descriptor) < entries.count && entries[Int(descriptor)].isDatagram }
  func isMultiplexed(_ descriptor: Int32) -> Bool { isHTTP2(descriptor) || isHTTP3(descriptor) }

  /// Whether the socket is open, and its connection has not been ready yet.
  func isNew(_ descriptor: Int32) -> Bool { entries[Int(descriptor)].isOpen && entries[Int(descriptor)].endpoints == nil }

  /// Stores the options of a new connection.
  func made(_ descriptor: Int32, with options: ConnectionOptions?, _ tcp: TCPSettings) {
    entries[Int(descriptor)].tcp = tcp
    entries[Int(descriptor)].options = options
  }

  /// Sets the options of a connection's socket, if they differ from its current ones.
  func apply(_ tcp: TCPSettings, to descriptor: Int32) {
    guard entries[Int(descriptor)].tcp != tcp, !isHTTP3(descriptor) else { return }
    entries[Int(descriptor)].tcp = tcp
    faraday_set_tcp(descriptor, tcp.noDelay ? 1 : 0, Int32(tcp.keepAliveSeconds ?? 0))
    faraday_set_user_timeout(descriptor, tcp.userTimeoutMilliseconds)
  }

  /// Stores the negotiated properties of a new connection.
  func note(_ session: TLSSession, of descriptor: Int32) { entries[Int(descriptor)].tlsSession = session }
  func tlsSession(_ descriptor: Int32) -> TLSSession? { entries[Int(descriptor)].tlsSession }

  /// Notes that a new connection to this origin is established.
  func established(_ descriptor: Int32, to origin: String) {
    let origin = counters.origin(origin)
    entries[Int(descriptor)].origin = origin
    entries[Int(descriptor)].number = Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue
    for counted in [counters.connections, origin] {
      counted.open.add(1)
      counted.opened.add(1)
    }
  }

  /// Notes that the connection belongs to its transfer alone, and does not count as a connection of the pool.
  func leavePool(_ descriptor: Int32) { countClosed(descriptor) }

  // MARK: reservations and new connections

  /// Reserves an idle connection to an origin with the same connection options. Nil if there is none.
  func reserve(for origin: String, _ options: @autoclosure () -> ConnectionOptions?) -> Hold? {
    guard let origin = counters.known(origin), origin.open.value > origin.used.value else { return nil }
    let options = options()
    let found = entries.firstIndex { $0.isKept && $0.origin === origin && $0.options == options }
    guard let found else { return nil }
    entries[found].isReserved = true
    return .reservation(Connection(descriptor: Int32(found), number: entries[found].number))
  }

  /// Counts a connection that is about to be opened. If it exceeds the limit of the origin or the pool, idle connections are
  /// closed.
  func connect(to origin: String, limit: Int, total: Int) -> Hold {
    let origin = counters.origin(origin)
    for counted in [origin, counters.connections] { counted.connecting.add(1) }
    while origin.size > limit, retireOldest(where: { $0.origin === origin }) {}
    while counters.connections.size > total, retireOldest(where: { _ in true }) {}
    return .connecting(origin)
  }

  /// Releases a transfer's reservation or counted connection: the transfer has a connection, or needs none.
  func release(_ hold: Hold) {
    switch hold {
    case .reservation(let connection):
      if isOpen(connection) { entries[Int(connection.descriptor)].isReserved = false }
    case .connecting(let origin):
      for counted in [origin, counters.connections] { counted.connecting.add(-1) }
    }
  }

  /// Closes the matching connection that was idle for longest. Returns false if there is none. The cost grows with the number
  /// of sockets.
  private func retireOldest(where matches: (Entry) -> Bool) -> Bool {
    let idle = entries.indices.filter { entries[$0].isKept && matches(entries[$0]) }
    guard let oldest = idle.min(by: { entries[$0].idleSince < entries[$1].idleSince }) else { return false }
    retire(Int32(oldest))
    // It counts as closed even if closing has failed.
    countClosed(Int32(oldest))
    return true
  }

  func number(_ descriptor: Int32) -> Int? { entries[Int(descriptor)].number }

  private func countUsed(_ descriptor: Int32, _ change: Int64) {
    guard let origin = entries[Int(descriptor)].origin else { return }
    counters.connections.used.add(change)
    origin.used.add(change)
  }

  private func countClosed(_ descriptor: Int32) {
    guard let origin = entries[Int(descriptor)].origin else { return }
    if isUsed(descriptor) { countUsed(descriptor, -1) }
    entries[Int(descriptor)].origin = nil
    counters.connections.open.add(-1)
    origin.open.add(-1)
  }

  /// Counts all connections as closed: libcurl has closed its pool, and does not report every socket that it closes.
  func countAllClosed() {
    for descriptor in entries.indices { countClosed(Int32(descriptor)) }
  }

  func options(_ descriptor: Int32) -> ConnectionOptions? { entries[Int(descriptor)].options }

  /// Whether the connection has an active request.
  func isUsed(_ descriptor: Int32) -> Bool {
    Int(descriptor) < entries.count && entries[Int(descriptor)].users > 0
  }

  /// Notes that a request starts on the connection. Returns the number of its requests so far, including this one.
  func begin(_ descriptor: Int32) -> Int {
    if !isUsed(descriptor) { countUsed(descriptor, 1) }
    entries[Int(descriptor)].users += 1
    entries[Int(descriptor)].uses += 1
    return entries[Int(descriptor)].uses
  }

  /// Notes that a request on the connection has ended.
  func endRequest(on connection: Connection) {
    guard isOpen(connection) else { return }
    let descriptor = connection.descriptor
    if entries[Int(descriptor)].users == 1 { countUsed(descriptor, -1) }
    entries[Int(descriptor)].users = max(0, entries[Int(descriptor)].users - 1)
    guard !isUsed(descriptor) else { return }
    endedCount += 1
    entries[Int(descriptor)].idleSince = endedCount
    driver?.becameIdle(descriptor)
  }

  /// Closes an idle connection. libcurl has no function for that, so the socket is replaced with a socket at end of file.
  /// libcurl finds the connection closed before the next request or in a sweep, and closes the descriptor, which it still owns.
  ///
  /// libcurl before 8.2 does not report all sockets that it closes, and the descriptor may be reused. The inode check ensures
  /// that it is still the same socket.
  func retire(_ descriptor: Int32) {
    guard Int(descriptor) < entries.count, entries[Int(descriptor)].isOpen,
      entries[Int(descriptor)].file == faraday_file_number(descriptor)
    else { return }
    hasDeadConnections = true
    countClosed(descriptor)
    let ended = faraday_ended_socket()
    if ended < 0 || faraday_replace(descriptor, ended) < 0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
    if ended >= 0 { close(ended) }
    driver?.replaced(descriptor)
  }

  /// Closes a connection, used or not.
  func end(_ connection: Connection) {
    if isOpen(connection) { retire(connection.descriptor) }
  }

  /// Closes all idle connections, and marks the active ones, which are closed when their last request has ended.
  func evictAll() {
    for descriptor in entries.indices where entries[descriptor].isOpen {
      entries[descriptor].isEvicted = true
      if entries[descriptor].endpoints != nil, entries[descriptor].users == 0 { retire(Int32(descriptor)) }
    }
  }

  func isEvicted(_ descriptor: Int32) -> Bool { entries[Int(descriptor)].isEvicted }

  /// Closes the connection if it is idle and libcurl has not closed it.
  func retire(_ connection: Connection) {
    guard isOpen(connection), !isUsed(connection.descriptor) else { return }
    retire(connection.descriptor)
  }
}

/// The options of a connection's socket, which a request also applies to a keep-alive connection.
struct TCPSettings: Equatable {
  var noDelay = true
  /// The keep-alive idle time and interval in seconds, 60 by default (libcurl's default); nil for no keep-alive.
  var keepAliveSeconds: Int? = 60
  /// The user timeout in milliseconds; 0 means the system's default.
  var userTimeoutMilliseconds: UInt32 = 0

  init() {}

  // Not of a `Network`, which would be copied for each request.
  init(of options: UncommonOptions) {
    noDelay = options.fields.network.tcpNoDelay
    keepAliveSeconds = options.fields.network.tcpKeepAlive.map {
      Int(min(max($0.nanoseconds / 1_000_000_000, 1), Int64(Int16.max)))
    }
    userTimeoutMilliseconds =
      options.fields.network.tcpUserTimeout.map { UInt32(min(max($0.nanoseconds / 1_000_000, 1), Int64(Int32.max))) } ?? 0
  }
}

/// The sweep of an engine's connection pool: closes idle connections that the server has closed, or that have exceeded their
/// idle timeout or lifetime.
///
/// libcurl checks them only when a request starts, at most once a second, and has no function for it. The engine therefore
/// starts a request that gets no socket. This type decides when, and creates the easy handle. The engine adds the handle to
/// libcurl and removes it.
struct PoolSweep {
  /// The minimum interval between sweeps, in nanoseconds: libcurl does not check more often.
  private static let shortest: Int64 = 1_100_000_000

  private let limits: ReuseLimits
  /// The time after the last request at which a connection could have expired, in nanoseconds.
  private let interval: Int64
  /// The time of the next sweep, in nanoseconds of `Clock`; the maximum number if no sweep is scheduled.
  private(set) var due = Int64.max
  /// The easy handle of the running sweep.
  private var easy: EasyHandle?
  /// Whether the running sweep, or otherwise the next one, clears the DNS cache.
  private(set) var isFlushingDNSCache = false

  init(_ configuration: CurlAdapter.Configuration) {
    limits = ReuseLimits(configuration)
    let idle = configuration.idleConnectionTimeout.nanoseconds
    let lifetime = configuration.connectionLifetime?.nanoseconds ?? .max / 2
    interval = max(min(idle, lifetime), Self.shortest) + Self.shortest
  }

  /// Schedules a sweep as soon as possible, because the server has closed an idle connection.
  mutating func makeDueSoon(_ now: Int64) { due = min(due, now + Self.shortest) }

  /// Schedules a sweep for the time at which a connection could have expired.
  mutating func makeDueLater(_ now: Int64) {
    if due == .max { due = now + interval }
  }

  /// Whether a sweep must be started. Clears the schedule if so.
  mutating func isDue(_ now: Int64) -> Bool {
    guard due <= now else { return false }
    due = .max
    return easy == nil
  }

  /// Makes the next sweep clear the DNS cache.
  mutating func flushesDNSCache() { isFlushingDNSCache = true }

  /// Creates the easy handle of a sweep, which must be added to libcurl. Nil if there is no memory.
  mutating func start() -> EasyHandle? {
    guard let pointer = curl_easy_init() else { return nil }
    let made = EasyHandle(pointer: pointer)
    do { try configure(made) } catch {
      isFlushingDNSCache = false
      curl_easy_cleanup(pointer)
      return nil
    }
    easy = made
    return made
  }

  /// Returns the easy handle of the ended sweep, which must be removed and closed. Nil if there is none.
  mutating func end() -> EasyHandle? {
    guard let ended = easy else { return nil }
    easy = nil
    isFlushingDNSCache = false
    return ended
  }

  private func configure(_ easy: EasyHandle) throws(EasyHandle.OptionRejected) {
    try easy.set(CURLOPT_URL, "http://127.0.0.1:9/")
    try easy.set(CURLOPT_NOSIGNAL, 1)
    try easy.set(CURLOPT_PROXY, "")
    try easy.set(CURLOPT_NOPROXY, "")
    try easy.check(faraday_set_open_socket(easy.pointer, noSocketCallback), CURLOPT_OPENSOCKETFUNCTION)
    // Not CURLOPT_FRESH_CONNECT: with it, libcurl 8.22 and newer does not check its idle connections.
    _ = faraday_set_ready(easy.pointer, noRequestCallback, nil)
    try limits.apply(to: easy)
    if isFlushingDNSCache { try easy.set(CURLOPT_DNS_CACHE_TIMEOUT, 0) }
  }
}
