internal import FaradayCore

/// Makes a form out of a value: any `Encodable` that has members. A ``FormFile`` anywhere in it is a part of its own.
///
/// Names are made as ``QueryEncoder`` makes them, a nil that is encoded is the text `null`, and `Data` its bytes.
public struct MultipartFormEncoder: Sendable {
  public var strategies: FormStrategies

  public init(_ strategies: FormStrategies = FormStrategies()) { self.strategies = strategies }

  /// Throws an `EncodingError`; for a file that cannot be read, its `underlyingError` is a ``FaradayCore/BodyFile/Unreadable``.
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
