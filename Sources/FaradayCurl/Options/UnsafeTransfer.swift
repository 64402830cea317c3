internal import CCurl
public import FaradayCore

/// A transfer whose options of libcurl may be set before it starts: see ``CurlAdapter/Configuration/unsafeCustomize``.
///
/// Options are named as in libcurl's documentation, without `CURLOPT_`, or by their numbers. The kind of the value is checked against
/// what this libcurl says of the option; a mismatch or an unknown option throws ``OptionRejected``. Texts, lists and bytes are copied; a
/// pointer is not, and what it points to must live until the transfer has ended.
///
/// The options on which this adapter rests are refused: callbacks and their data (write, header, read, seek, progress, debug, sockets,
/// requests), `PRIVATE`, `ERRORBUFFER`, `SHARE`, `URL`, `HTTPHEADER`, `NOSIGNAL`, `FOLLOWLOCATION`, `FAILONERROR`, `CONNECT_ONLY`,
/// `HTTP_TRANSFER_DECODING`, `ACCEPT_ENCODING` and the cookie engine. Others may still break its promises: an option that
/// makes libcurl send or receive something else than the request says is the caller's responsibility.
public struct UnsafeTransfer: ~Copyable {
  private let transfer: Transfer
  private let easy: EasyHandle

  init(_ transfer: Transfer, _ easy: EasyHandle) {
    self.transfer = transfer
    self.easy = easy
  }

  /// An option that could not be set.
  public struct OptionRejected: FaradayError {
    /// The option: its name without `CURLOPT_`, or its number.
    public let option: String
    /// Why.
    public let reason: String
    public var description: String { "libcurl's option \(option.bounded(to: 64)) cannot be set: \(reason.bounded(to: 256))" }
  }

  /// The number of an option of this libcurl by its name, as `TCP_FASTOPEN`; nil if it has none of that name.
  public static func number(of name: String) -> UInt32? {
    curl_easy_option_by_name(name).map { $0.pointee.id.rawValue }
  }

  /// Sets an integer: a number, a switch (0 or 1), a set of bits, or a size.
  public func set(_ name: String, _ value: Int) throws { try set(try Self.named(name), value) }
  /// Sets a text; nil is the option's default.
  public func set(_ name: String, _ value: String?) throws { try set(try Self.named(name), value) }
  /// Sets a list of texts.
  public func set(_ name: String, _ values: [String]) throws { try set(try Self.named(name), values) }
  /// Sets bytes.
  public func set(_ name: String, bytes: Data) throws { try set(try Self.named(name), bytes: bytes) }
  /// Sets a pointer, which must stay valid until the transfer has ended.
  public func set(_ name: String, pointer: UnsafeRawPointer?) throws { try set(try Self.named(name), pointer: pointer) }

  /// Sets an integer by the option's number.
  public func set(_ number: UInt32, _ value: Int) throws {
    let option = try Self.option(number, CURLOT_LONG, CURLOT_VALUES, CURLOT_OFF_T)
    try attempt(number) {
      if option.type == CURLOT_OFF_T { try easy.set(option.id, offset: Int64(value)) } else { try easy.set(option.id, value) }
    }
  }

  /// Sets a text by the option's number; nil is the option's default.
  public func set(_ number: UInt32, _ value: String?) throws {
    let option = try Self.option(number, CURLOT_STRING)
    try attempt(number) { try easy.set(option.id, value) }
  }

  /// Sets a list of texts by the option's number.
  public func set(_ number: UInt32, _ values: [String]) throws {
    let option = try Self.option(number, CURLOT_SLIST)
    try attempt(number) { try transfer.setList(option.id, values, easy) }
  }

  /// Sets bytes by the option's number.
  public func set(_ number: UInt32, bytes: Data) throws {
    let option = try Self.option(number, CURLOT_BLOB)
    try attempt(number) { try easy.set(option.id, bytes: bytes) }
  }

  /// Sets a pointer by the option's number.
  public func set(_ number: UInt32, pointer: UnsafeRawPointer?) throws {
    let option = try Self.option(number, CURLOT_OBJECT, CURLOT_CBPTR)
    try attempt(number) { try easy.set(option.id, pointer) }
  }

  /// Leaves out a header field that libcurl would write by itself, such as `Host`.
  package func omit(field name: String) throws {
    transfer.omittedFields.append(name)
    try transfer.setHeaders(easy)
  }

  /// Leaves the head of a proxy's answer to CONNECT out of ``FaradayCore/Options/onRawHead``.
  package func suppressConnectHeads() throws { try easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1) }

  private static func named(_ name: String) throws -> UInt32 {
    guard let number = number(of: name) else { throw OptionRejected(option: name, reason: "this libcurl has none of that name") }
    return number
  }

  private static func option(_ number: UInt32, _ types: curl_easytype...) throws -> curl_easyoption {
    guard let found = curl_easy_option_by_id(CURLoption(rawValue: number))?.pointee, let text = found.name else {
      throw OptionRejected(option: "\(number)", reason: "this libcurl has none of that number")
    }
    let name = String(cString: text)
    guard types.contains(found.type) else { throw OptionRejected(option: name, reason: "its value is of another kind") }
    guard !isReserved(name) else { throw OptionRejected(option: name, reason: "the adapter rests on it") }
    return found
  }

  private static func isReserved(_ name: String) -> Bool {
    reserved.contains(name) || name.hasSuffix("FUNCTION") || name.hasSuffix("DATA") && name != "SSH_KEYDATA"
  }

  private static let reserved: Set<String> = [
    "PRIVATE", "ERRORBUFFER", "SHARE", "URL", "CURLU", "HTTPHEADER", "NOSIGNAL", "FOLLOWLOCATION", "FAILONERROR", "CONNECT_ONLY",
    "HTTP_TRANSFER_DECODING", "ACCEPT_ENCODING", "COOKIEFILE", "COOKIEJAR", "COOKIE", "COOKIELIST", "NOBODY", "UPLOAD", "POST",
    "HTTPGET",
    "CUSTOMREQUEST", "POSTFIELDS", "COPYPOSTFIELDS", "POSTFIELDSIZE", "POSTFIELDSIZE_LARGE", "INFILESIZE", "INFILESIZE_LARGE",
    "MIMEPOST", "HTTPPOST", "HEADER", "PROTOCOLS", "PROTOCOLS_STR", "HTTP_VERSION", "HTTP09_ALLOWED", "NOPROGRESS", "VERBOSE",
    "SUPPRESS_CONNECT_HEADERS", "IGNORE_CONTENT_LENGTH", "RANGE", "RESUME_FROM", "RESUME_FROM_LARGE", "TIMEOUT", "TIMEOUT_MS",
    "STDERR", "WS_OPTIONS", "HTTP_CONTENT_DECODING", "DNS_USE_GLOBAL_CACHE",
  ]

  private func attempt(_ number: UInt32, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let rejected as EasyHandle.OptionRejected {
      throw OptionRejected(option: rejected.option, reason: String(cString: curl_easy_strerror(rejected.code)))
    }
  }
}
