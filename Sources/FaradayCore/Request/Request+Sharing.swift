extension Request {
  /// The key that two requests must have in common to share one response: method, URL, header fields (including credentials),
  /// options, and origin-bound headers. Nil if the request cannot share a response: it has a body or callbacks, is not
  /// delivered whole, or has options that cannot be compared.
  ///
  /// - Parameter ignored: fields that the key ignores, such as a request ID.
  package func sharingKey(ignoring ignored: Set<HTTPField.Name>) -> SharingKey? {
    guard body.isEmpty, let options = options.sharingKey else { return nil }
    return SharingKey(
      method: method, url: url.absoluteString, headers: headers.filter { !ignored.contains($0.name) }, options: options,
      isCrossOrigin: isCrossOrigin, originBoundHeaders: context.map { Array($0.originBoundHeaders) } ?? [], secrets: secrets,
      base: context?.baseOrigin?.text)
  }

  /// Whether both requests have the same URL and credentials, so that the sender of the other request may get this request's
  /// response.
  package func hasSameCredentials(as other: Request) -> Bool {
    guard url == other.url, options.authentication == other.options.authentication,
      options.tls.clientCertificate == other.options.tls.clientCertificate
    else { return false }
    let (secrets, others) = (secrets, other.secrets)
    func isCompared(_ field: HTTPField) -> Bool {
      field.name == Self.host || secrets.isRemovedCrossOrigin(field.name) || others.isRemovedCrossOrigin(field.name)
    }
    return headers.filter(isCompared) == other.headers.filter(isCompared)
  }

  /// The parts of a request that must be equal to share a response.
  package struct SharingKey: Sendable, Hashable {
    let method: HTTPRequest.Method
    let url: String
    let headers: [HTTPField]
    let options: Options.SharingKey
    let isCrossOrigin: Bool
    let originBoundHeaders: [HTTPField]
    let secrets: Secrets
    let base: String?
  }
}

extension Options {
  /// The options' part of the key; nil for callbacks, a delivery other than whole, or values that cannot be compared.
  fileprivate var sharingKey: SharingKey? {
    guard deliversWhole, onInformational == nil, onUploadProgress == nil else { return nil }
    if let fields = transport?.fields {
      guard fields.onRawHead == nil, fields.onTrace == nil, fields.requestTrailers == nil, fields.upgrade == nil else {
        return nil
      }
    }
    var values: [ObjectIdentifier: AnyHashable] = [:]
    for (key, value) in custom {
      guard let value = value as? AnyHashable else { return nil }
      values[key] = value
    }
    return SharingKey(
      maximumBodySize: maximumBodySize, timeouts: timeouts, httpVersion: httpVersion, requestTarget: requestTarget,
      decompression: decompression, transport: transport.map(TransportKey.init), values: values)
  }

  // Safe to share: the values are `Sendable`, which `AnyHashable` does not express.
  struct SharingKey: @unchecked Sendable, Hashable {
    let maximumBodySize: Int
    let timeouts: Timeouts
    let httpVersion: HTTPVersionPolicy
    let requestTarget: RequestTarget
    let decompression: Decompression?
    let transport: TransportKey?
    let values: [ObjectIdentifier: AnyHashable]
  }

  /// The uncommon options by identity: unchanged requests of one connection share the same object.
  struct TransportKey: Sendable, Hashable {
    let options: UncommonOptions

    static func == (left: Self, right: Self) -> Bool { left.options === right.options }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(options)) }
  }
}
