/// Everything about one call that is neither its method, URL, headers nor body.
///
/// A value of one reference: copying it costs one retain, whatever is in it.
public struct Options: Sendable {
  private var storage = Storage.defaults

  public init() {}

  /// How the body is delivered. Buffered by default; ``onChunk`` goes first.
  public var delivery: Delivery {
    get { storage.fields.delivery }
    set { mutable.fields.delivery = newValue }
  }

  /// The largest body that buffered delivery collects, in bytes; over it the transfer fails with
  /// ``TransportError/Code/bodyTooLarge``. 64 MiB by default.
  public var maximumBodySize: Int {
    get { storage.fields.maximumBodySize }
    set { mutable.fields.maximumBodySize = newValue }
  }

  /// Queue, connect, idle and total timeouts.
  public var timeouts: Timeouts {
    get { storage.fields.timeouts }
    set { mutable.fields.timeouts = newValue }
  }

  /// The version of HTTP to ask for.
  public var httpVersion: HTTPVersionPolicy {
    get { storage.fields.httpVersion }
    set { mutable.fields.httpVersion = newValue }
  }

  /// What the request's first line asks for: the URL's path and query, or `*`.
  public var requestTarget: RequestTarget {
    get { storage.fields.requestTarget }
    set { mutable.fields.requestTarget = newValue }
  }

  /// How the server is verified.
  public var tls: TLS {
    get { storage.fields.tls }
    set { mutable.fields.tls = newValue }
  }

  /// Whether to ask for a compressed response and decode it. Off by default: the bytes are those on the wire.
  public var decompression: Decompression? {
    get { storage.fields.decompression }
    set { mutable.fields.decompression = newValue }
  }

  /// Takes the body piece by piece as it arrives; the response then has none.
  public var onChunk: ChunkHandler? {
    get { storage.fields.onChunk }
    set { mutable.fields.onChunk = newValue }
  }

  /// Sees the head before the body.
  public var onHead: HeadHandler? {
    get { storage.fields.onHead }
    set { mutable.fields.onHead = newValue }
  }

  /// Sees each 1xx response.
  public var onInformational: InformationalHandler? {
    get { storage.fields.onInformational }
    set { mutable.fields.onInformational = newValue }
  }

  /// Told as the request's body leaves.
  public var onUploadProgress: ProgressHandler? {
    get { storage.fields.onUploadProgress }
    set { mutable.fields.onUploadProgress = newValue }
  }

  /// Told as the response's body arrives.
  public var onDownloadProgress: ProgressHandler? {
    get { storage.fields.onDownloadProgress }
    set { mutable.fields.onDownloadProgress = newValue }
  }

  /// Whether the caller gets the response whole and hears nothing of it before. Then a middleware may collect it, and send again what
  /// broke off; and an engine may hand over a small one at once.
  public var deliversWhole: Bool {
    storage.fields.delivery == .buffered && storage.fields.onChunk == nil && storage.fields.onHead == nil
      && storage.fields.onDownloadProgress == nil
  }

  /// A setting of somebody else's, under a key of their own: a middleware declares its per-request settings this way.
  public subscript<Key: OptionKey>(key: Key.Type) -> Key.Value {
    get {
      // Looked for first: a cast to an optional type makes a value out of nothing.
      guard let stored = storage.fields.values[ObjectIdentifier(key)] else { return key.defaultValue }
      return stored as? Key.Value ?? key.defaultValue
    }
    set { mutable.fields.values[ObjectIdentifier(key)] = newValue }
  }

  /// How many settings of others it has.
  var keyCount: Int { storage.fields.values.count }

  private var mutable: Storage {
    mutating get {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.fields) }
      return storage
    }
  }

  // Safe to share: `fields` is written only through `mutable`, that is, while exactly one value refers to the object.
  private final class Storage: @unchecked Sendable {
    static let defaults = Storage(Fields())
    // Not looked at while the program runs: whoever writes holds the one value, exclusively, and nobody is called meanwhile.
    @exclusivity(unchecked) var fields: Fields

    init(_ fields: Fields) { self.fields = fields }
  }

  private struct Fields {
    var delivery = Delivery.buffered
    var maximumBodySize = 64 << 20
    var timeouts = Timeouts()
    var httpVersion = HTTPVersionPolicy.automatic
    var requestTarget = RequestTarget.origin
    var tls = TLS()
    var decompression: Decompression?
    var onChunk: ChunkHandler?
    var onHead: HeadHandler?
    var onInformational: InformationalHandler?
    var onUploadProgress: ProgressHandler?
    var onDownloadProgress: ProgressHandler?
    var values: [ObjectIdentifier: any Sendable] = [:]
  }
}

/// Names a per-request setting and gives its default.
///
///     enum Attempts: OptionKey { static let defaultValue = 3 }
///     request.options[Attempts.self] = 5
public protocol OptionKey {
  associatedtype Value: Sendable
  static var defaultValue: Value { get }
}
