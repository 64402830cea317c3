internal import CCurl
internal import Synchronization

/// Easy handles between two requests. Making one and throwing it away costs more than many a request.
///
/// Only handles whose transfer ended well are kept, for they are known to have nothing left over.
final class HandlePool: Sendable {
  private static let capacity = 64
  // Numbers, because a pointer is not Sendable: a handle in here is nobody else's.
  private let handles = Mutex<[UInt]>([])

  deinit {
    for address in handles.withLock({ $0 }) { curl_easy_cleanup(UnsafeMutableRawPointer(bitPattern: address)) }
  }

  /// A handle with nothing set. Nil if libcurl has none to give.
  func take() -> UnsafeMutableRawPointer? {
    if let address = handles.withLock({ $0.popLast() }) { return UnsafeMutableRawPointer(bitPattern: address) }
    return curl_easy_init()
  }

  /// Takes a handle back that is in no multi handle any more.
  func giveBack(_ handle: UnsafeMutableRawPointer) {
    // It would keep the engine's cache of TLS sessions, and the engine may go before it.
    _ = faraday_set_pointer(handle, CURLOPT_SHARE, nil)
    curl_easy_reset(handle)
    let address = UInt(bitPattern: handle)
    let isKept = handles.withLock { handles in
      guard handles.count < Self.capacity else { return false }
      handles.append(address)
      return true
    }
    if !isKept { curl_easy_cleanup(handle) }
  }
}
