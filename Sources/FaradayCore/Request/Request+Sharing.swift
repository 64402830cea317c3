extension Request {
  /// What two requests must have in common to share one response: method, URL, header fields (credentials too), options, and what
  /// their connections bind to an origin. Nil if this one cannot share: it has a body or callbacks, is not delivered whole, or
  /// has options that cannot be compared.
  ///
  /// - Parameter ignored: fields that do not count, such as an ID of the request.
  package func sharingKey(ignoring ignored: Set<HTTPField.Name>) -> SharingKey? {
    guard body.isEmpty, let options = options.sharingKey else { return nil }
    return SharingKey(
      method: method, url: url.absoluteString, headers: headers.filter { !ignored.contains($0.name) }, options: options,
      isCrossOrigin: isCrossOrigin, originBoundHeaders: context.map { Array($0.originBoundHeaders) } ?? [], secrets: secrets,
      base: context?.baseOrigin?.text)
  }

  /// Whether it has the URL and the credentials of the other request: its response may be given to who has sent the other.
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

  /// The parts of a request by which a response can be shared.
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
  /// Nil if they have callbacks, a delivery other than whole, or values that cannot be compared.
  fileprivate var sharingKey: SharingKey? {
    guard deliversWhole, onInformational == nil, onUploadProgress == nil else { return nil }
    if let fields = transport?.fields {
      guard fields.onRawHead == nil, fields.onTrace == nil, fields.requestTrailers == nil else { return nil }
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

  struct SharingKey: @unchecked Sendable, Hashable {
    // Safe to share: the values are `Sendable`, which `AnyHashable` does not say.
    let maximumBodySize: Int
    let timeouts: Timeouts
    let httpVersion: HTTPVersionPolicy
    let requestTarget: RequestTarget
    let decompression: Decompression?
    let transport: TransportKey?
    let values: [ObjectIdentifier: AnyHashable]
  }

  /// The uncommon options by identity: requests of one connection that do not change them have the same object.
  struct TransportKey: Sendable, Hashable {
    let options: UncommonOptions

    static func == (left: Self, right: Self) -> Bool { left.options === right.options }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(options)) }
  }
}
