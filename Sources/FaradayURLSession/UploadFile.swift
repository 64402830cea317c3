internal import FaradayCore
internal import Foundation

/// A request's body in a file, which is what URLSession sends in constant memory. On Linux its input streams would be the
/// other way: reading one blocks the one queue of all sessions while the source has nothing.
final class UploadFile: Sendable {
  let url: URL
  private let isTemporary: Bool

  /// The body's own file if it is as it was, else a temporary one that goes with this. Throws what reading the body throws,
  /// and a ``LengthMismatch`` if it is not as long as it was said to be.
  init(_ body: Body) async throws {
    if let file = body.file, let now = try Body.file(file.path).length, now == file.length {
      url = URL(fileURLWithPath: file.path)
      isTemporary = false
      return
    }
    url = FileManager.default.temporaryDirectory.appendingPathComponent("faraday-upload-\(UUID().uuidString)")
    isTemporary = true
    try await write(body)
  }

  var isEmpty: Bool { size == 0 }
  private var size: Int { (try? url.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0 }

  /// What is in it, if that is not more than 8 MiB; nil if it cannot be read.
  var smallContent: Data? { size <= 8 << 20 ? try? Data(contentsOf: url) : nil }

  deinit {
    if isTemporary { try? FileManager.default.removeItem(at: url) }
  }

  private func write(_ body: Body) async throws {
    guard FileManager.default.createFile(atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
      throw CannotWrite(path: url.path)
    }
    let handle = try FileHandle(forWritingTo: url)
    defer { try? handle.close() }
    var written: Int64 = 0
    for try await piece in body {
      try Task.checkCancellation()
      written += Int64(piece.count)
      if let length = body.length, written > length { throw LengthMismatch(stated: length, actual: nil) }
      try handle.write(contentsOf: piece)
    }
    if let length = body.length, written < length { throw LengthMismatch(stated: length, actual: written) }
  }

  struct CannotWrite: Error, CustomStringConvertible {
    let path: String
    var description: String { "cannot write \(path)" }
  }
}
