internal import CCurl
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The sockets of an engine's connections: who uses which, and whether what is idle is still clean.
///
/// A kept HTTP/1.1 connection on which anything arrives or ends while no request is on it is never used again: libcurl would
/// take what arrived for the answer to the next request (RFC 9112, section 9.2).
final class Sockets {
  /// A connection, by both its ends.
  struct Endpoints: Hashable {
    private let hash: UInt64
    let localPort: Int32

    init(
      remote: UnsafePointer<CChar>?, _ remotePort: Int32, local: UnsafePointer<CChar>?, _ localPort: Int32
    ) {
      // FNV-1a: addresses come as text, and a string of each would be made for every request.
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

  private struct Entry {
    var isOpen = false
    /// What tells the socket from others that have had its number; 0 is none.
    var file: UInt64 = 0
    var endpoints: Endpoints?
    /// The server's, as text: made once for all the requests that go over it.
    var address: String?
    /// Transfers that are on it now.
    var users = 0
    /// Requests that have gone over it.
    var uses = 0
    /// What was negotiated, not what a server says in its responses.
    var isHTTP2 = false
  }

  /// Is told as well.
  weak var driver: (any Driver)?
  // Both are the engine's, and not checked for exclusive access like what it has itself.
  @exclusivity(unchecked) private var entries: [Entry] = []
  @exclusivity(unchecked) private var descriptors: [Endpoints: Int32] = [:]
  private(set) var openCount = 0
  /// Something has happened to idle connections that libcurl does not know of yet.
  var hasDead = false

  // MARK: what libcurl tells

  /// Asks to be told of sockets that are closed. A connection keeps the callback and outlives its handle, but not the multi handle;
  /// this does not go before that.
  func watch(_ easy: EasyHandle) {
    _ = faraday_set_close_socket(easy.pointer, closeSocketCallback, Unmanaged.passUnretained(self).toOpaque())
  }

  func opened(_ descriptor: Int32) {
    forget(descriptor)
    driver?.opened(descriptor)
    while entries.count <= Int(descriptor) { entries.append(Entry()) }
    entries[Int(descriptor)].isOpen = true
    entries[Int(descriptor)].file = faraday_file_number(descriptor)
    openCount += 1
  }

  /// libcurl has no more use for it, and it is closed next.
  func closed(_ descriptor: Int32) {
    forget(descriptor)
    driver?.closed(descriptor)
  }

  private func forget(_ descriptor: Int32) {
    guard Int(descriptor) < entries.count, entries[Int(descriptor)].isOpen else { return }
    if let endpoints = entries[Int(descriptor)].endpoints, descriptors[endpoints] == descriptor {
      descriptors[endpoints] = nil
    }
    entries[Int(descriptor)] = Entry()
    openCount -= 1
  }

  // MARK: connections

  /// The socket of a connection that was just made, one of those that were opened for it.
  func connected(_ candidates: [Int32], _ endpoints: Endpoints) -> Int32? {
    let open = candidates.filter { entries[Int($0)].isOpen }
    let descriptor = open.count == 1 ? open.first : open.first { faraday_local_port($0) == endpoints.localPort }
    guard let descriptor else { return nil }
    entries[Int(descriptor)].endpoints = endpoints
    descriptors[endpoints] = descriptor
    return descriptor
  }

  /// The address and port of its other end, as text.
  func address(_ descriptor: Int32?, remote: UnsafePointer<CChar>?, _ port: Int32) -> String? {
    if let descriptor, let known = entries[Int(descriptor)].address { return known }
    let host = remote.map { String(cString: $0) } ?? ""
    guard !host.isEmpty else { return nil }
    let address = host.utf8.contains(0x3A) ? "[\(host)]:\(port)" : "\(host):\(port)"
    if let descriptor { entries[Int(descriptor)].address = address }
    return address
  }

  /// The socket of a kept connection.
  func descriptor(_ endpoints: Endpoints) -> Int32? { descriptors[endpoints] }

  func noteHTTP2(_ descriptor: Int32) { entries[Int(descriptor)].isHTTP2 = true }
  func isHTTP2(_ descriptor: Int32) -> Bool { Int(descriptor) < entries.count && entries[Int(descriptor)].isHTTP2 }

  /// Whether a request is on it.
  func isUsed(_ descriptor: Int32) -> Bool {
    Int(descriptor) < entries.count && entries[Int(descriptor)].users > 0
  }

  /// A request goes over it. Returns how many have, this one included.
  func begin(_ descriptor: Int32) -> Int {
    entries[Int(descriptor)].users += 1
    entries[Int(descriptor)].uses += 1
    return entries[Int(descriptor)].uses
  }

  /// The request is done. The number may be another socket's by then: `endpoints` tell.
  func end(_ descriptor: Int32, _ endpoints: Endpoints) {
    guard entries[Int(descriptor)].endpoints == endpoints else { return }
    entries[Int(descriptor)].users = max(0, entries[Int(descriptor)].users - 1)
  }

  /// Ends a connection that no request is on. libcurl has no call for that: it finds the socket at its end when it looks, before the
  /// next request or when idle connections are swept, and closes the number that it still holds.
  ///
  /// libcurl before 8.2 does not tell of all that it closes, and the number may be anybody's by then: it must be the same file.
  func retire(_ descriptor: Int32) {
    guard Int(descriptor) < entries.count, entries[Int(descriptor)].isOpen,
      entries[Int(descriptor)].file == faraday_file_number(descriptor)
    else { return }
    hasDead = true
    let ended = faraday_ended_socket()
    if ended < 0 || faraday_replace(descriptor, ended) < 0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
    if ended >= 0 { close(ended) }
    driver?.replaced(descriptor)
  }

  /// Ends this connection, if nobody is on it and libcurl has not closed it: the number may be another's by then.
  func retire(_ connection: (descriptor: Int32, endpoints: Endpoints)) {
    let (descriptor, endpoints) = connection
    guard entries[Int(descriptor)].endpoints == endpoints, !isUsed(descriptor) else { return }
    retire(descriptor)
  }
}
