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
    var parts: [Part] = []
    try TreeEncoder.members(of: value, strategies).forEachLeaf { leaf, path in
      let name = strategies.name(of: path)
      if strategies.joins(path), let last = parts.indices.last, parts[last].name == name, parts[last].text != nil,
        let text = text(leaf)
      {
        parts[last].text?.append(",\(text)")
      } else {
        parts.append(Part(name: name, text: text(leaf), content: leaf, path: path))
      }
    }
    if strategies.sortsNames { parts = parts.stablySorted { $0.name < $1.name } }
    var form = MultipartForm()
    for part in parts { try append(part, to: &form) }
    return form
  }

  private struct Part {
    let name: String
    /// The content as text, with the elements that were joined to it; nil for bytes and files.
    var text: String?
    let content: ValueTree.Leaf
    let path: [any CodingKey]
  }

  /// The content as text; nil for bytes and files.
  private func text(_ content: ValueTree.Leaf) -> String? {
    switch content {
    case .null: "null"
    case .bool(let value): strategies.text(value)
    case .text(let text): text
    case .data, .file: nil
    }
  }

  private func append(_ part: Part, to form: inout MultipartForm) throws {
    switch part.content {
    case .data(let data): form.append(name: part.name, data: data, type: nil)
    case .file(let file):
      do {
        try form.append(name: part.name, file: file.path, filename: file.filename, type: file.type)
      } catch {
        throw EncodingError.invalidValue(
          file, .init(codingPath: part.path, debugDescription: "\(error)", underlyingError: error))
      }
    case .null, .bool, .text: form.append(name: part.name, value: part.text ?? "")
    }
  }
}
