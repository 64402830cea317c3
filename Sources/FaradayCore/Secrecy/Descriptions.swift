extension Request: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `GET https://host/path (2 headers, 5 bytes)`, with ``secrets`` redacted and at most 1 KiB of the URL.
  public var description: String { "\(RequestSummary(self)) (\(headers.counted), \(body))" }
  public var debugDescription: String { description }
  /// A mirror without children: `dump` shows no more than the description.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Response: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `200 https://host/path (2 headers, 5 bytes)`, with the connection's ``Secrets`` redacted and at most 1 KiB of the URL.
  public var description: String {
    "\(status.code) \(secrets.redacting(url).bounded()) (\(headers.counted), \(body))"
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Connection: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `Connection to https://host/v2/ (2 headers, 3 middleware over CurlAdapter)`, with ``secrets`` redacted.
  public var description: String {
    let place = url.map { "to \(secrets.redacting($0).bounded())" } ?? "to anywhere"
    return "Connection \(place) (\(headers.counted), \(stack))"
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Stack: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `3 middleware over CurlAdapter`. Shows nothing else, because middleware may contain credentials.
  public var description: String { "\(middleware.count) middleware over \(type(of: adapter))" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Body: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `5 bytes`, `a stream of 5 bytes`, `a value of type User`: the kind and size, without the content.
  public var description: String {
    let size = length.map { "\($0) byte\($0 == 1 ? "" : "s")" }
    if let value = unencodedValue { return "a value of type \(type(of: value))" }
    let kind = file != nil ? "a file" : isFileRange ? "a range of a file" : isStreamed ? "a stream" : nil
    return [kind, size].compactMap { $0 }.joined(separator: " of ")
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Options: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `Options (streamed, 2 callbacks, 1 value)`. Shows nothing else, because callbacks and custom options may contain secrets.
  public var description: String {
    let callbacks: [Any?] = [
      onChunk, onHead, onInformational, onUploadProgress, onDownloadProgress, onRawHead, onTrace, requestTrailers,
    ]
    let parts = ["\(delivery)", Self.count(callbacks.count { $0 != nil }, "callback"), Self.count(keyCount, "value")]
    return "Options (\(parts.compactMap { $0 }.joined(separator: ", ")))"
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }

  private static func count(_ count: Int, _ noun: String) -> String? {
    count == 0 ? nil : "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}

extension Network: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `Network`, or `Network (https://dns.example/query)` with the redacted URL of ``dnsOverHTTPS``, which may contain a token
  /// or password.
  public var description: String {
    "Network" + (dnsOverHTTPS.map { " (\(Secrets().redacting(urlText: $0).bounded()))" } ?? "")
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension HTTPFields {
  /// `2 headers`
  fileprivate var counted: String { "\(count) header\(count == 1 ? "" : "s")" }
}

extension String {
  /// The text, truncated after the limit, 1 KiB by default, so that errors stay small in memory and logs.
  package func bounded(to limit: Int = 1024) -> String {
    guard utf8.count > limit else { return self }
    // An index within a character is rounded down.
    return self[..<utf8.index(utf8.startIndex, offsetBy: limit)] + "…"
  }
}

extension String {
  /// The text on one line, fit for a terminal or log: control and format characters are escaped (`\n`, `\u{1B}`), so that the
  /// text cannot forge a log line or hide characters.
  package func escapingControls() -> String {
    guard utf8.contains(where: { $0 < 0x20 || $0 >= 0x7F }) else { return self }
    var shown = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n": shown += "\\n"
      case "\r": shown += "\\r"
      case "\t": shown += "\\t"
      case _ where scalar.isUnseen: shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is a control character, format character or line separator, except the joiner within emoji (U+200D).
  package var isUnseen: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    case .format: value != 0x200D
    default: false
    }
  }
}
