internal import FaradayCore

/// Encodes a value as a ``MultipartForm``: any `Encodable` that has members. A ``FormFile`` anywhere in it becomes a file part.
///
/// Names are encoded as by ``QueryEncoder``; an encoded nil is the text `null`, and `Data` its bytes.
public struct MultipartFormEncoder: Sendable {
  /// How names and values are encoded.
  public var strategies: FormStrategies

  /// An encoder with the default strategies, unless given.
  public init(_ strategies: FormStrategies = FormStrategies()) { self.strategies = strategies }

  /// Encodes the value. Throws an `EncodingError`; for a file that cannot be read, its `underlyingError` is a
  /// ``FaradayCore/BodyFile/Unreadable``.
  public func encode(_ value: any Encodable) throws -> MultipartForm {
    var form = MultipartForm()
    try TreeEncoder.members(of: value, strategies).forEachLeaf { leaf, path in
      let name = strategies.name(of: path)
      switch leaf {
      case .null: form.add(name, "null")
      case .bool(let value): form.add(name, strategies.text(value))
      case .text(let text): form.add(name, text)
      case .data(let data): form.add(name, data: data, type: nil)
      case .file(let file):
        do {
          try form.addFile(name, file.path, filename: file.filename, type: file.type)
        } catch {
          throw EncodingError.invalidValue(
            file, .init(codingPath: path, debugDescription: "\(error)", underlyingError: error))
        }
      }
    }
    return form
  }
}
