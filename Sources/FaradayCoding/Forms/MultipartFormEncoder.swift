internal import FaradayCore

/// Encodes a value as a ``MultipartForm``: any `Encodable` that has members. A ``FormFile`` anywhere in it becomes a file part.
///
/// Names are encoded as in ``QueryEncoder``. An encoded nil becomes the text `null`, and `Data` becomes its bytes.
public struct MultipartFormEncoder: Sendable {
  /// How names and values are encoded.
  public var strategies: FormStrategies

  /// An encoder with strategies.
  public init(_ strategies: FormStrategies = FormStrategies()) { self.strategies = strategies }

  /// Encodes the value. Throws an `EncodingError`; for a file that cannot be read, its `underlyingError` is a
  /// ``FaradayCore/BodyError``.
  public func encode(_ value: any Encodable) throws -> MultipartForm {
    var form = MultipartForm()
    try TreeEncoder.members(of: value, strategies).forEachLeaf { leaf, path in
      let name = strategies.name(of: path)
      switch leaf {
      case .null: form.append(name: name, value: "null")
      case .bool(let value): form.append(name: name, value: strategies.text(value))
      case .text(let text): form.append(name: name, value: text)
      case .data(let data): form.append(name: name, data: data, type: nil)
      case .file(let file):
        do {
          try form.append(name: name, file: file.path, filename: file.filename, type: file.type)
        } catch {
          throw EncodingError.invalidValue(
            file, .init(codingPath: path, debugDescription: "\(error)", underlyingError: error))
        }
      }
    }
    return form
  }
}
