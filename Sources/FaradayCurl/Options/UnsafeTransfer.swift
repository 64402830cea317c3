internal import CCurl
@_spi(Adapters) public import FaradayCore

/// A transfer whose libcurl options can be set before it starts: see ``CurlAdapter/Configuration/unsafeCustomize``.
///
/// Options are named as in libcurl's documentation, without `CURLOPT_`, or by their numbers. The type of the value is checked
/// against libcurl's option table. A mismatch or an unknown option throws ``OptionError``. Strings, lists and bytes are
/// copied. A pointer is not copied: the memory behind it must stay valid until the transfer has ended.
///
/// Options that the adapter uses itself are rejected: callbacks and their data (write, header, read, seek, progress, debug,
/// sockets, requests), `PRIVATE`, `ERRORBUFFER`, `SHARE`, `URL`, `HTTPHEADER`, `NOSIGNAL`, `FOLLOWLOCATION`, `FAILONERROR`,
/// `CONNECT_ONLY`, `HTTP_TRANSFER_DECODING`, `ACCEPT_ENCODING` and the cookie engine. Other options may still break the
/// adapter's guarantees. The caller is responsible for an option that makes libcurl send or receive something else than the
/// request states.
public struct UnsafeTransfer: ~Copyable {
  private let attempt: Attempt
  private let transfer: Transfer
  private let easy: EasyHandle

  init(_ attempt: Attempt, _ transfer: Transfer, _ easy: EasyHandle) {
    self.attempt = attempt
    self.transfer = transfer
    self.easy = easy
  }

  /// An option that could not be set.
  public struct OptionError: FaradayError {
    /// The option: its name without `CURLOPT_`, or its number.
    public let option: String
    /// The reason.
    public let reason: String
    public var description: String { "libcurl's option \(option.bounded(to: 64)) cannot be set: \(reason.bounded(to: 256))" }
  }

  /// The number of this libcurl's option with this name, such as `TCP_FASTOPEN`; nil if libcurl has no such option.
  public static func number(of name: String) -> UInt32? {
    curl_easy_option_by_name(name).map { $0.pointee.id.rawValue }
  }

  /// Sets an integer: a number, a switch (0 or 1), a set of bits, or a size.
  public func set(_ name: String, _ value: Int) throws { try set(try Self.named(name), value) }
  /// Sets a string; nil restores the option's default.
  public func set(_ name: String, _ value: String?) throws { try set(try Self.named(name), value) }
  /// Sets a list of strings.
  public func set(_ name: String, _ values: [String]) throws { try set(try Self.named(name), values) }
  /// Sets bytes.
  public func set(_ name: String, bytes: Data) throws { try set(try Self.named(name), bytes: bytes) }
  /// Sets a pointer, which must stay valid until the transfer has ended.
  public func set(_ name: String, pointer: UnsafeRawPointer?) throws { try set(try Self.named(name), pointer: pointer) }

  /// Sets an integer by the option's number.
  public func set(_ number: UInt32, _ value: Int) throws {
    let option = try Self.option(number, CURLOT_LONG, CURLOT_VALUES, CURLOT_OFF_T)
    try checked(number) {
      if option.type == CURLOT_OFF_T { try easy.set(option.id, offset: Int64(value)) } else { try easy.set(option.id, value) }
    }
  }

  /// Sets a string by the option's number; nil restores the option's default.
  public func set(_ number: UInt32, _ value: String?) throws {
    let option = try Self.option(number, CURLOT_STRING)
    try checked(number) { try easy.set(option.id, value) }
  }

  /// Sets a list of strings by the option's number.
  public func set(_ number: UInt32, _ values: [String]) throws {
    let option = try Self.option(number, CURLOT_SLIST)
    try checked(number) { try attempt.setList(option.id, values) }
  }

  /// Sets bytes by the option's number.
  public func set(_ number: UInt32, bytes: Data) throws {
    let option = try Self.option(number, CURLOT_BLOB)
    try checked(number) { try easy.set(option.id, bytes: bytes) }
  }

  /// Sets a pointer by the option's number.
  public func set(_ number: UInt32, pointer: UnsafeRawPointer?) throws {
    let option = try Self.option(number, CURLOT_OBJECT, CURLOT_CBPTR)
    try checked(number) { try easy.set(option.id, pointer) }
  }

  /// Omits a header field that libcurl would add automatically, such as `Host`.
  package func omit(field name: String) throws {
    attempt.omitField(name)
    try attempt.setHeaders(of: transfer)
  }

  /// Excludes the head of a proxy's response to CONNECT from ``FaradayCore/Options/onRawHead``.
  package func suppressConnectHeads() throws { try easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1) }

  private static func named(_ name: String) throws -> UInt32 {
    guard let number = number(of: name) else {
      throw OptionError(option: name, reason: "this libcurl has no option of that name")
    }
    return number
  }

  private static func option(_ number: UInt32, _ types: curl_easytype...) throws -> curl_easyoption {
    guard let found = curl_easy_option_by_id(CURLoption(rawValue: number))?.pointee, let text = found.name else {
      throw OptionError(option: "\(number)", reason: "this libcurl has no option of that number")
    }
    let name = String(cString: text)
    guard types.contains(found.type) else {
      throw OptionError(option: name, reason: "the option needs a value of another type")
    }
    guard !isReserved(name) else { throw OptionError(option: name, reason: "the option is reserved by the adapter") }
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

  private func checked(_ number: UInt32, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let rejected as EasyHandle.OptionRejected {
      throw OptionError(option: rejected.option, reason: String(cString: curl_easy_strerror(rejected.code)))
    }
  }
}
