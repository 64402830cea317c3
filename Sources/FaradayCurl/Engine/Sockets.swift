internal import CCurl
internal import FaradayCore
internal import Synchronization
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The sockets of an engine's connection pool: which requests use them, and whether idle ones can be reused.
///
/// An idle (keep-alive) HTTP/1.1 connection on which bytes arrive, or that the server closes, is never reused: libcurl would take
/// unsolicited bytes for the response to the next request (RFC 9112, section 9.2).
final class Sockets {
  /// The identity of a connection: its local and remote addresses and ports.
  struct Endpoints: Hashable {
    private let hash: UInt64
    let localPort: Int32

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

  /// The ends of a connection: see ``TransferMetrics``.
  struct Addresses {
    var remote: String?
    var local: String?
  }

  /// What a transfer holds until it has a connection.
  enum Hold {
    /// An idle connection that is kept for it.
    case reservation(Int32, Endpoints)
    /// A connection that is being made, to an origin with these counters.
    case connecting(EngineCounters.Connections)
  }

  private struct Entry {
    var isOpen = false
    /// The inode of the socket, to distinguish it from others with the same descriptor; 0 is none.
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
    /// Whether it is a socket of UDP: its connection is one of QUIC, and so HTTP/3.
    var isDatagram = false
    /// What tells it from others; nil for the defaults.
    var options: ConnectionOptions?
    var tcp = TCPSettings()
    /// What was negotiated in the TLS handshake; nil without TLS.
    var tlsSession: TLSSession?
    /// When it became idle: a number that grows.
    var idleSince = 0
    /// Whether an idle connection is kept for a request that is about to start.
    var isReserved = false
    /// Whether no other request may use it, so that it is closed when its last one has ended.
    var isEvicted = false
    /// The counters of its origin; nil before it is established, and once it counts as closed.
    var origin: EngineCounters.Connections?
    /// A number that no other connection of the process has, once it is established.
    var number: Int?

    var isKept: Bool { isOpen && users == 0 && endpoints != nil && origin != nil && !isReserved }
  }

  /// Notified of opened, closed and replaced sockets.
  weak var driver: (any Driver)?
  private let counters: EngineCounters
  private static let numbers = Atomic<Int>(0)
  // Without run-time checks for exclusive access, as in `Engine`.
  @exclusivity(unchecked) private var entries: [Entry] = []
  @exclusivity(unchecked) private var descriptors: [Endpoints: Int32] = [:]
  private(set) var openCount = 0
  private var endedCount = 0
  /// Whether idle connections were closed that libcurl does not know of yet.
  var hasDeadConnections = false

  init(_ counters: EngineCounters = EngineCounters()) { self.counters = counters }

  // MARK: notifications of libcurl

  /// Sets the callback for closed sockets. A connection keeps it and outlives its easy handle, but not the multi handle, which this
  /// object outlives.
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

  /// The socket is closed next.
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

  /// The socket of a new connection, among those that were opened for it (happy eyeballs).
  func connected(_ candidates: [Int32], _ endpoints: Endpoints) -> Int32? {
    let open = candidates.filter { entries[Int($0)].isOpen }
    let descriptor = open.count == 1 ? open.first : open.first { faraday_local_port($0) == endpoints.localPort }
    guard let descriptor else { return nil }
    entries[Int(descriptor)].endpoints = endpoints
    descriptors[endpoints] = descriptor
    return descriptor
  }

  /// The addresses and ports of a connection as text, made once.
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

  /// The socket of a kept connection.
  func descriptor(_ endpoints: Endpoints) -> Int32? { descriptors[endpoints] }

  /// The socket of a kept connection, if libcurl has said which it may be. A connection of TCP and one of UDP can have the same
  /// addresses and ports.
  func descriptor(_ endpoints: Endpoints, active: Int32) -> Int32? {
    guard entries.indices.contains(Int(active)), entries[Int(active)].endpoints == endpoints else { return descriptor(endpoints) }
    return active
  }

  func noteHTTP2(_ descriptor: Int32) { entries[Int(descriptor)].isHTTP2 = true }
  func isHTTP2(_ descriptor: Int32) -> Bool { Int(descriptor) < entries.count && entries[Int(descriptor)].isHTTP2 }
  func isHTTP3(_ descriptor: Int32) -> Bool { Int(descriptor) < entries.count && entries[Int(descriptor)].isDatagram }
  func isMultiplexed(_ descriptor: Int32) -> Bool { isHTTP2(descriptor) || isHTTP3(descriptor) }

  /// Whether the socket is open, and not yet that of a connection that was ready.
  func isNew(_ descriptor: Int32) -> Bool { entries[Int(descriptor)].isOpen && entries[Int(descriptor)].endpoints == nil }

  /// Notes what a new connection was made with.
  func made(_ descriptor: Int32, with options: ConnectionOptions?, _ tcp: TCPSettings) {
    entries[Int(descriptor)].tcp = tcp
    entries[Int(descriptor)].options = options
  }

  /// Sets the options of a connection's socket, if they are not the ones that it has.
  func apply(_ tcp: TCPSettings, to descriptor: Int32) {
    guard entries[Int(descriptor)].tcp != tcp, !isHTTP3(descriptor) else { return }
    entries[Int(descriptor)].tcp = tcp
    faraday_set_tcp(descriptor, tcp.noDelay ? 1 : 0, Int32(tcp.keepAliveSeconds ?? 0))
    faraday_set_user_timeout(descriptor, tcp.userTimeoutMilliseconds)
  }

  /// Notes what a new connection has negotiated.
  func note(_ session: TLSSession, of descriptor: Int32) { entries[Int(descriptor)].tlsSession = session }
  func tlsSession(_ descriptor: Int32) -> TLSSession? { entries[Int(descriptor)].tlsSession }

  /// Notes that a new connection is established, to this origin.
  func established(_ descriptor: Int32, to origin: String) {
    let origin = counters.origin(origin)
    entries[Int(descriptor)].origin = origin
    entries[Int(descriptor)].number = Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue
    for counted in [counters.connections, origin] {
      counted.open.add(1)
      counted.opened.add(1)
    }
  }

  // MARK: what a transfer holds before it has a connection

  /// Reserves an idle connection that the transfer can use. Returns false if there is none.
  func reserve(for transfer: Transfer) -> Bool {
    if case .reservation = transfer.hold { return true }
    guard let origin = counters.known(transfer.target.origin), origin.open.value > origin.used.value else { return false }
    let options = transfer.connectionOptions
    let found = entries.firstIndex { $0.isKept && $0.origin === origin && $0.options == options }
    guard let found, let endpoints = entries[found].endpoints else { return false }
    entries[found].isReserved = true
    transfer.hold = .reservation(Int32(found), endpoints)
    return true
  }

  /// Counts a connection that the transfer is about to make. If the origin or the pool has too many with it, idle ones are closed.
  func connect(_ transfer: Transfer, limit: Int, total: Int) {
    if case .connecting = transfer.hold { return }
    release(transfer)
    let origin = counters.origin(transfer.target.origin)
    for counted in [origin, counters.connections] { counted.connecting.add(1) }
    transfer.hold = .connecting(origin)
    while origin.size > limit, retireOldest(where: { $0.origin === origin }) {}
    while counters.connections.size > total, retireOldest(where: { _ in true }) {}
  }

  /// Ends what the transfer holds: it has a connection, or needs none.
  func release(_ transfer: Transfer) {
    switch transfer.hold {
    case nil: return
    case .reservation(let descriptor, let endpoints):
      if entries[Int(descriptor)].endpoints == endpoints { entries[Int(descriptor)].isReserved = false }
    case .connecting(let origin):
      for counted in [origin, counters.connections] { counted.connecting.add(-1) }
    }
    transfer.hold = nil
  }

  /// Closes the connection that was idle for longest, of those that match. Returns false if there is none. Takes time for every
  /// socket.
  private func retireOldest(where matches: (Entry) -> Bool) -> Bool {
    let idle = entries.indices.filter { entries[$0].isKept && matches(entries[$0]) }
    guard let oldest = idle.min(by: { entries[$0].idleSince < entries[$1].idleSince }) else { return false }
    retire(Int32(oldest))
    // It counts as closed in any case.
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

  /// Counts all connections as closed: libcurl, which does not report all sockets that it closes, has closed its pool.
  func countAllClosed() {
    for descriptor in entries.indices { countClosed(Int32(descriptor)) }
  }

  func options(_ descriptor: Int32) -> ConnectionOptions? { entries[Int(descriptor)].options }

  /// Whether the connection has an active request.
  func isUsed(_ descriptor: Int32) -> Bool {
    Int(descriptor) < entries.count && entries[Int(descriptor)].users > 0
  }

  /// Notes that a request starts on the connection. Returns the number of requests so far, with this one.
  func begin(_ descriptor: Int32) -> Int {
    if !isUsed(descriptor) { countUsed(descriptor, 1) }
    entries[Int(descriptor)].users += 1
    entries[Int(descriptor)].uses += 1
    return entries[Int(descriptor)].uses
  }

  /// Notes that a request has ended. The descriptor may be another socket's by then, which `endpoints` shows.
  func end(_ descriptor: Int32, _ endpoints: Endpoints) {
    guard entries[Int(descriptor)].endpoints == endpoints else { return }
    if entries[Int(descriptor)].users == 1 { countUsed(descriptor, -1) }
    entries[Int(descriptor)].users = max(0, entries[Int(descriptor)].users - 1)
    guard !isUsed(descriptor) else { return }
    endedCount += 1
    entries[Int(descriptor)].idleSince = endedCount
    driver?.becameIdle(descriptor)
  }

  /// Closes an idle connection. libcurl has no function for that, so the socket is replaced with one at its end: libcurl finds it
  /// closed before the next request or in a sweep, and closes the descriptor, which it still owns.
  ///
  /// libcurl before 8.2 does not report all sockets that it closes, and the descriptor may be reused: it must still be the same
  /// file.
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

  /// Closes a connection, used or not; the descriptor may be another socket's by then.
  func end(_ connection: (descriptor: Int32, endpoints: Endpoints)) {
    if entries[Int(connection.descriptor)].endpoints == connection.endpoints { retire(connection.descriptor) }
  }

  /// Closes all idle connections, and marks the others, which are closed when their last request has ended.
  func evictAll() {
    for descriptor in entries.indices where entries[descriptor].isOpen {
      entries[descriptor].isEvicted = true
      if entries[descriptor].endpoints != nil, entries[descriptor].users == 0 { retire(Int32(descriptor)) }
    }
  }

  func isEvicted(_ descriptor: Int32) -> Bool { entries[Int(descriptor)].isEvicted }

  /// Closes the connection if it is idle and libcurl has not closed it; the descriptor may be another socket's by then.
  func retire(_ connection: (descriptor: Int32, endpoints: Endpoints)) {
    let (descriptor, endpoints) = connection
    guard entries[Int(descriptor)].endpoints == endpoints, !isUsed(descriptor) else { return }
    retire(descriptor)
  }
}

/// The options of a connection's socket, which a request applies to a kept connection.
struct TCPSettings: Equatable {
  var noDelay = true
  /// The keep-alive idle time and interval in seconds, 60 by default (libcurl's own); nil for no keep-alive.
  var keepAliveSeconds: Int? = 60
  /// The user timeout in milliseconds; 0 is the system's.
  var userTimeoutMilliseconds: UInt32 = 0

  init() {}

  init(_ network: Network) {
    noDelay = network.tcpNoDelay
    keepAliveSeconds = network.tcpKeepAlive.map { Int(min(max($0.nanoseconds / 1_000_000_000, 1), Int64(Int16.max))) }
    userTimeoutMilliseconds =
      network.tcpUserTimeout.map { UInt32(min(max($0.nanoseconds / 1_000_000, 1), Int64(Int32.max))) } ?? 0
  }
}
