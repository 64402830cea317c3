public import FaradayCore

/// The binary format of a record, for stores outside of the process: `FCACHE1` and a line feed, the length and the XXH64 of the
/// rest, then the fields in their order. Numbers are little-endian.
extension CacheRecord {
  private static let magic = Data("FCACHE1\n".utf8)
  /// The magic, the length and the checksum.
  private static let headSize = 24
  /// The maximum size of a record in addition to its body.
  static let overhead = 1 << 20

  /// Returns the record as bytes, with their length and a checksum. It contains the response in cleartext, and nothing of the
  /// request.
  public func encoded() -> Data {
    var writer = RecordWriter()
    switch content {
    case .index(let index):
      writer.append(0 as UInt64)
      writer.append(index.generation.utf8)
      writer.append(UInt64(index.varies.count))
      for vary in index.varies {
        writer.append(UInt64(vary.names.count))
        for name in vary.names { writer.append(name.utf8) }
      }
    case .response(let response):
      writer.append(1 as UInt64)
      writer.append(UInt64(response.status.code))
      writer.append(response.status.reasonPhrase.utf8)
      writer.append(UInt64(clamping: response.version.major))
      writer.append(UInt64(clamping: response.version.minor))
      writer.append(response.requestTime.bitPattern)
      writer.append(response.responseTime.bitPattern)
      writer.append(UInt64(response.headers.count))
      for field in response.headers {
        writer.append(field.name.rawName.utf8)
        field.withUnsafeBytesOfValue { writer.append($0) }
      }
      writer.append(response.body)
    }
    var data = Self.magic
    data.reserveCapacity(Self.headSize + writer.data.count)
    data.append(littleEndian: UInt64(writer.data.count))
    data.append(littleEndian: writer.data.withUnsafeBytes(XXHash64.hash))
    data.append(writer.data)
    return data
  }

  /// Decodes a record from its bytes. Throws ``FaradayCore/StoreError`` if they are truncated or changed.
  public init(decoding data: Data) throws(StoreError) {
    guard let record = data.withUnsafeBytes({ Self.decode($0) }) else { throw StoreError(.invalidRecord) }
    self = record
  }

  private static func decode(_ bytes: UnsafeRawBufferPointer) -> CacheRecord? {
    guard bytes.count >= headSize, bytes.prefix(8).elementsEqual(magic) else { return nil }
    let payload = UnsafeRawBufferPointer(rebasing: bytes[headSize...])
    var head = RecordReader(UnsafeRawBufferPointer(rebasing: bytes[8..<headSize]))
    guard head.number() == UInt64(payload.count), head.number() == XXHash64.hash(payload) else { return nil }
    var reader = RecordReader(payload)
    switch reader.number() {
    case 0: return index(&reader).map { CacheRecord($0) }
    case 1: return response(&reader).map { CacheRecord($0) }
    default: return nil
    }
  }

  private static func index(_ reader: inout RecordReader) -> VariantIndex? {
    guard let generation = reader.text(), let count = reader.number(), count <= 1024 else { return nil }
    var varies: [Vary] = []
    for _ in 0..<count {
      guard let nameCount = reader.number(), nameCount <= 1024 else { return nil }
      var names: [String] = []
      for _ in 0..<nameCount {
        guard let name = reader.text() else { return nil }
        names.append(name)
      }
      varies.append(Vary(names: names))
    }
    return reader.isAtEnd ? VariantIndex(generation: generation, varies: varies) : nil
  }

  private static func response(_ reader: inout RecordReader) -> StoredResponse? {
    guard let code = reader.number(), (200...999).contains(code), let phrase = reader.text(), let major = reader.number(),
      let minor = reader.number(), let requestTime = reader.number(), let responseTime = reader.number(),
      let count = reader.number(), count < 65_535
    else { return nil }
    var headers = HTTPFields()
    for _ in 0..<count {
      guard let name = reader.text().flatMap({ HTTPField.Name($0) }), let value = reader.run() else { return nil }
      headers.append(HTTPField(name: name, lenientValue: value))
    }
    guard let body = reader.run(), reader.isAtEnd else { return nil }
    return StoredResponse(
      status: HTTPResponse.Status(code: Int(code), reasonPhrase: phrase), headers: headers,
      version: HTTPVersion(major: Int(clamping: major), minor: Int(clamping: minor)),
      requestTime: Double(bitPattern: requestTime), responseTime: Double(bitPattern: responseTime), body: Data(body),
      policy: HTTPCache.Policy())
  }
}

private struct RecordWriter {
  var data = Data()

  mutating func append(_ number: UInt64) { data.append(littleEndian: number) }

  mutating func append(_ bytes: some Collection<UInt8>) {
    append(UInt64(bytes.count))
    data.append(contentsOf: bytes)
  }
}

/// Reads the output of a `RecordWriter`; nil if the data is too short.
private struct RecordReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { offset == bytes.count }

  mutating func number() -> UInt64? {
    guard bytes.count - offset >= 8 else { return nil }
    defer { offset += 8 }
    return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  mutating func run() -> UnsafeRawBufferPointer? {
    guard let count = number(), count <= UInt64(bytes.count - offset) else { return nil }
    defer { offset += Int(count) }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + Int(count))])
  }

  mutating func text() -> String? { run().flatMap { String(validating: $0, as: UTF8.self) } }
}

extension Data {
  fileprivate mutating func append(littleEndian number: UInt64) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}
